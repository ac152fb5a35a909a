"""What Gatehouse says of itself to providers, read by PyJWT, by joserfc and by Authlib's verifier for RFC 7523.

Run by scripts/check-clients."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from dataclasses import dataclass
from email.message import Message
from typing import NamedTuple

import jwt as pyjwt
from authlib.oauth2.rfc6749 import InvalidClientError
from joserfc import errors, jws
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from app import App, CodeApp
from checks import Checks
from configuration import configuration, section
from refusing_provider import Provider
from testbed.ports import free_port
from testbed.process import running
from tokens import Claims, Header
from verifiers import TYPE, Key, Verifier, by_joserfc, by_pyjwt

NAME = "Assertions"
CLIENT = "gatehouse at the provider"
SECRET = "a secret that never leaves this side"
TEAM, APPLE_KEY, APPLE = "TEAM123456", "KEY1234567", "https://appleid.apple.com"
LONGEST_SECONDS = 300
KEYS = ["clientAuthentication: private_key_jwt"]


@dataclass
class Way:
    """A provider of Gatehouse's, and what its assertions must be. No `kid` stands for the key's thumbprint."""
    name: str
    lines: list[str]
    algorithm: str
    audience: str = "{issuer}/token"
    kid: str | None = None
    # The file's key, where there is one; the shared keys are known from where they are published alone.
    key: Key | None = None


def ways(folder: str) -> list[Way]:
    def file(name: str, *options: str) -> str:
        path = f"{folder}/{name}.key"
        subprocess.run(["openssl", "genpkey", *options, "-out", path], check=True, stderr=subprocess.DEVNULL)
        return path

    def text(path: str) -> str:
        with open(path, encoding="utf-8") as pem:
            return pem.read()

    p256 = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    rsa = file("rsa", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
    ec, apple = file("ec", *p256), file("apple", *p256)
    return [
        Way("rs256", KEYS, "RS256"),
        Way("es256", [*KEYS, "assertionAlgorithm: ES256"], "ES256"),
        Way("for-issuer", [*KEYS, "assertionAudience: issuer"], "RS256", audience="{issuer}"),
        Way("for-endpoint", [*KEYS, "assertionAudience: endpoint"], "RS256"),
        Way("file-rsa", [*KEYS, f"clientKeyFile: {rsa}", "clientKeyID: by-hand"], "RS256",
            kid="by-hand", key=RSAKey.import_key(text(rsa))),
        Way("file-ec", [*KEYS, f"clientKeyFile: {ec}"], "ES256", key=ECKey.import_key(text(ec))),
        Way("secret", ["clientAuthentication: client_secret_jwt", f"clientSecret: '{SECRET}'"], "HS256"),
        Way("apple", ["clientAuthentication: apple", f"clientKeyFile: {apple}", f"appleTeamID: {TEAM}",
                      f"appleKeyID: {APPLE_KEY}"], "ES256", kid=APPLE_KEY, key=ECKey.import_key(text(apple))),
    ]


def sent(provider: Provider, port: int, way: Way) -> tuple[Message, dict[str, str]]:
    """The form of a token request, and its headers."""
    app = CodeApp(port, way.name, lambda _: {"code": secrets.token_urlsafe(16)})
    before = len(provider.requests)
    status, answer = app.post(app.code())
    if (status, answer.get("error"), len(provider.requests)) != (502, "provider_error", before + 1):
        count = len(provider.requests) - before
        raise RuntimeError(f"{way.name}: {status} {answer}, and {count} requests at the provider")
    headers, form = provider.requests[-1]
    return headers, {name: values[0] for name, values in form.items() if len(values) == 1}


class Verified(NamedTuple):
    """What an assertion says, how long it is good for, and a key that is not its own."""

    header: Header
    claims: Claims
    lived: int
    other: Key


def is_verified(
        checks: Checks, who: str, token: str, key: Key, way: Way, issuer: str, audience: str) -> Verified:
    """By two libraries; and neither takes it with another key, or for somebody else."""
    other = {"RS256": lambda: RSAKey.generate_key(2048), "ES256": lambda: ECKey.generate_key("P-256"),
             "HS256": lambda: OctKey.import_key(SECRET[::-1])}[way.algorithm]()
    claims = by_joserfc(token, key, way.algorithm, issuer, CLIENT, audience)
    checks.equal(f"{who}: joserfc and PyJWT read the same",
                 by_pyjwt(token, key, way.algorithm, issuer, CLIENT, audience), claims)
    checks.refused(f"{who}: joserfc, another key", errors.BadSignatureError.__name__,
                   lambda: by_joserfc(token, other, way.algorithm, issuer, CLIENT, audience))
    checks.refused(f"{who}: joserfc, another audience", errors.InvalidClaimError.__name__,
                   lambda: by_joserfc(token, key, way.algorithm, issuer, CLIENT, "https://elsewhere.example"))
    checks.refused(f"{who}: PyJWT, another key", pyjwt.InvalidSignatureError.__name__,
                   lambda: by_pyjwt(token, other, way.algorithm, issuer, CLIENT, audience))
    checks.refused(f"{who}: PyJWT, another audience", pyjwt.InvalidAudienceError.__name__,
                   lambda: by_pyjwt(token, key, way.algorithm, issuer, CLIENT, "https://elsewhere.example"))
    header: Header = jws.extract_compact(token.encode()).headers()
    checks.equal(f"{who}: the algorithm", header["alg"], way.algorithm)
    lived = claims["exp"] - claims["iat"]
    checks.expect(f"{who}: it was made just now", abs(time.time() - claims["iat"]) < 60, claims)
    return Verified(header, claims, lived, other)


def asserts(checks: Checks, provider: Provider, port: int, way: Way, published: KeySet) -> None:
    who, issuer = f"{NAME}, {way.name}", provider.issuer(way.name)
    audience = way.audience.format(issuer=issuer)
    headers, form = sent(provider, port, way)
    checks.equal(f"{who}: the form has it under its type, and no secret",
                 (form.get("client_assertion_type"), form.get("client_id"), "client_secret" in form,
                  headers["authorization"]),
                 (TYPE, CLIENT, False, None))
    token = form["client_assertion"]
    key = OctKey.import_key(SECRET) if way.algorithm == "HS256" else published
    header, claims, lived, other = is_verified(checks, who, token, key, way, CLIENT, audience)
    checks.equal(f"{who}: it says that it is a JWT", header.get("typ"), "JWT")
    checks.expect(f"{who}: good for {LONGEST_SECONDS} seconds at most", 0 < lived <= LONGEST_SECONDS, claims)
    if way.algorithm != "HS256":
        named = published.get_by_kid(header["kid"])
        checks.equal(f"{who}: its key is published under that kid", header["kid"], way.kid or named.thumbprint())
        checks.equal(f"{who}: for this algorithm and for signatures", (named.get("alg"), named.get("use")),
                     (way.algorithm, "sig"))
        if way.key:
            checks.equal(f"{who}: it is the file's", named.thumbprint(), way.key.thumbprint())
    else:
        checks.expect(f"{who}: no kid: a secret has none", "kid" not in header, header)

    verifier = Verifier(key, CLIENT, audience)
    checks.expect(f"{who}: a server with Authlib takes it", verifier.taken(token))
    refusal = InvalidClientError.__name__
    checks.refused(f"{who}: but not a second time", f"{refusal} invalid_client: JWT ID is used before.",
                   lambda: verifier.taken(token))
    checks.refused(f"{who}: nor with another key", refusal,
                   lambda: Verifier(other, CLIENT, audience).taken(token))
    checks.refused(f"{who}: nor one that is for somebody else", f"{refusal} invalid_client: Invalid claim: 'aud'",
                   lambda: Verifier(key, CLIENT, "https://elsewhere.example/token").taken(token))
    _, again = sent(provider, port, way)
    checks.expect(f"{who}: the next one is another", verifier.taken(again["client_assertion"]))


def posts_as_apple(checks: Checks, provider: Provider, port: int, way: Way, published: KeySet) -> None:
    who = f"{NAME}, {way.name}"
    headers, form = sent(provider, port, way)
    checks.equal(f"{who}: the form has it for a secret, and no assertion",
                 (form.get("client_id"), "client_assertion" in form, headers["authorization"]), (CLIENT, False, None))
    token = form["client_secret"]
    header, claims, lived, _ = is_verified(checks, who, token, way.key, way, TEAM, APPLE)
    checks.equal(f"{who}: under the name that Apple gave the key", header["kid"], APPLE_KEY)
    checks.equal(f"{who}: it has the claims that Apple names, and no more", set(claims),
                 {"iss", "sub", "aud", "iat", "exp"})
    checks.expect(f"{who}: good for an hour, where Apple takes half a year", 0 < lived <= 3600, claims)
    _, again = sent(provider, port, way)
    checks.equal(f"{who}: it serves more than one request", again["client_secret"], token)
    checks.expect(f"{who}: and is nothing to publish", APPLE_KEY not in [key.kid for key in published.keys])


def run(checks: Checks, binaries: str, folder: str) -> None:
    os.makedirs(folder)
    all_ways = ways(folder)
    port = free_port()
    with Provider().listening() as provider:
        sections = [section(way.name, provider.issuer(way.name), f'"{CLIENT}"', way.lines) for way in all_ways]
        file = configuration(folder, port, 0, [way.name for way in all_ways], sections)
        with running([f"{binaries}/gatehouse", "serve", "--config", file], port, f"{folder}/gatehouse.log",
                     {"GATEHOUSE_LOG_LEVEL": "trace"}):
            document = App(port, "").client_keys()
            checks.expect(f"{NAME}: what is published is public", not any(
                {"d", "p", "q", "dp", "dq", "qi", "k"} & key.keys() for key in document["keys"]), document)
            published = KeySet.import_key_set(document)
            checks.equal(f"{NAME}: no two keys have one name", len({key.kid for key in published.keys}),
                         len(document["keys"]))
            for way in all_ways:
                (posts_as_apple if way.name == "apple" else asserts)(checks, provider, port, way, published)
