"""What AppAuth, the library of most apps on phones, asks of a server beyond what is written: requests as it makes them,
and its checks of the answers. It runs on iOS and Android only; what it does was read in its sources (iOS 2.1.0, Android
0.11.1)."""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import time
import urllib.parse
from collections.abc import Mapping
from typing import TypedDict

import requests

from checks import Checks
from person import Person, parameters
from service import FAILURES_A_MINUTE, Metadata, Service
from testbed import pkce
from tokens import claims_of

NAME = "AppAuth's demands"
SCOPE = "openid profile email phone offline_access"
# OIDServiceDiscovery.m and AuthorizationServiceDiscovery.java refuse a document without these.
METADATA = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported"]
LARGEST_DIFFERENCE_SECONDS = 600


class Tokens(TypedDict):
    """What the token endpoint gives an app."""

    access_token: str
    id_token: str
    refresh_token: str


class Application:
    """A public app."""

    def __init__(self, service: Service) -> None:
        self.app, self.person = service.device, Person()
        self.metadata: Metadata = self.person.get(service.metadata_url).json()

    def code(self) -> tuple[str, str, str]:
        """What comes back, the verifier and the nonce: no response_mode, and nothing beside what AppAuth sends."""
        # AppAuth for iOS makes 43 characters, for Android 86.
        state, nonce, verifier = (secrets.token_urlsafe(size) for size in (32, 32, 64))
        query = {"response_type": "code", "client_id": self.app.client_id, "redirect_uri": self.app.redirect_uri,
                 "scope": SCOPE, "state": state, "nonce": nonce,
                 **pkce.parameters(verifier), **self.app.sign_in}
        address = self.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(query)
        answer = parameters(self.person.follow(address, self.app.redirect_uri))
        if answer.get("state") != state:
            raise RuntimeError(f"another state comes back: {answer}")
        return answer["code"], verifier, nonce

    def post(self, fields: Mapping[str, str]) -> requests.Response:
        """`client_id` in the form, no Authorization; redirects are not followed."""
        return requests.post(self.metadata["token_endpoint"], {"client_id": self.app.client_id, **fields},
                             allow_redirects=False, timeout=30)

    def redeem(self, code: str, verifier: str) -> requests.Response:
        return self.post({"grant_type": "authorization_code", "code": code, "redirect_uri": self.app.redirect_uri,
                          "code_verifier": verifier})


def media_type(answer: requests.Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip()


def is_empty(value: object) -> bool:
    return value is None or value in ("", [], {})


def run(checks: Checks, service: Service) -> None:
    application = Application(service)
    metadata = Person().get(service.metadata_url)
    checks.equal("metadata: 200 and application/json", (metadata.status_code, media_type(metadata)),
                 (200, "application/json"))
    document: Metadata = metadata.json()
    missing = [name for name in METADATA if not document.get(name)]
    checks.equal("metadata: what both libraries demand is there", missing, [])
    keys = Person().get(document["jwks_uri"])
    checks.equal("keys: 200 and application/json", (keys.status_code, media_type(keys)), (200, "application/json"))

    code, verifier, nonce = application.code()
    answers = {"code": application.redeem(code, verifier)}
    # It sends no scope when it refreshes.
    answers["refresh"] = application.post({
        "grant_type": "refresh_token", "refresh_token": answers["code"].json()["refresh_token"]})
    answers["refresh with scope"] = application.post({
        "grant_type": "refresh_token", "refresh_token": answers["refresh"].json()["refresh_token"], "scope": SCOPE})
    subjects: set[str] = set()
    for name, answer in answers.items():
        token_answer(checks, service, name, answer, nonce if name == "code" else None)
        subjects.add(claims_of(answer.json()["id_token"])["sub"])
    checks.equal("all answers are about one user", len(subjects), 1)
    errors(checks, application)
    passing_trouble(checks, service, application)


def token_answer(checks: Checks, service: Service, name: str, answer: requests.Response, nonce: str | None) -> None:
    checks.equal(f"{name}: exactly 200, application/json", (answer.status_code, media_type(answer)),
                 (200, "application/json"))
    checks.equal(f"{name}: kept by nobody on the way", answer.headers.get("cache-control"), "no-store")
    body = answer.json()
    checks.equal(f"{name}: token_type", body.get("token_type"), "Bearer")
    checks.expect(f"{name}: expires_in is a number of more than a minute",
                  isinstance(body.get("expires_in"), int) and body["expires_in"] > 60, body.get("expires_in"))
    checks.equal(f"{name}: no member is null or empty", [name for name, value in body.items() if is_empty(value)], [])
    checks.expect(f"{name}: there is a refresh token", isinstance(body.get("refresh_token"), str))
    claims = claims_of(body["id_token"])
    checks.equal(f"{name}: no claim is null or empty", [name for name, value in claims.items() if is_empty(value)], [])
    checks.equal(f"{name}: iss, aud and nonce of the ID token",
                 (claims.get("iss"), claims.get("aud"), claims.get("nonce")), (service.issuer, "device-app", nonce))
    now = time.time()
    checks.expect(f"{name}: iat is that of now", abs(now - claims["iat"]) < LARGEST_DIFFERENCE_SECONDS, claims["iat"])
    checks.expect(f"{name}: exp is ahead", claims["exp"] > now, claims["exp"])


def errors(checks: Checks, application: Application) -> None:
    trials: list[tuple[str, dict[str, str], str]] = [
        ("an unknown code", {"grant_type": "authorization_code", "code": "unknown", "code_verifier": "v" * 43,
                             "redirect_uri": application.app.redirect_uri}, "invalid_grant"),
        ("an unknown refresh token", {"grant_type": "refresh_token", "refresh_token": "unknown"}, "invalid_grant"),
        ("another grant", {"grant_type": "password", "username": "jane", "password": "x"}, "unsupported_grant_type"),
        ("no grant", {}, "invalid_request"),
    ]
    for name, fields, error in trials:
        answer = application.post(fields)
        checks.equal(f"{name}: a 400 in JSON, which is final",
                     (answer.status_code, media_type(answer), answer.json().get("error")),
                     (400, "application/json", error))


def passing_trouble(checks: Checks, service: Service, application: Application) -> None:
    """AppAuth for Android takes any `error` in JSON for the last word, whatever the status, and ends the login."""
    code, verifier, _ = application.code()
    with contextlib.closing(sqlite3.connect(service.database, isolation_level=None)) as other:
        # Another process that writes, and does not come to an end.
        other.execute("BEGIN IMMEDIATE")
        answer = application.redeem(code, verifier)
        other.execute("ROLLBACK")
    is_passing(checks, "the store can't be written", answer, 503)
    answer = application.redeem(code, verifier)
    checks.equal("the code is good still", answer.status_code, 200)
    # Some are allowed again while they are sent, and while the store was waited for.
    for _ in range(2 * FAILURES_A_MINUTE):
        answer = application.post({"grant_type": "refresh_token", "refresh_token": "unknown"})
        if answer.status_code != 400:
            break
    is_passing(checks, "too many failures", answer, 429)


def is_passing(checks: Checks, name: str, answer: requests.Response, status: int) -> None:
    checks.equal(f"{name}: {status}, without error, and when to try again",
                 (answer.status_code, "error" in answer.json(), bool(answer.json().get("error_code")),
                  "retry-after" in answer.headers), (status, False, True, True))
