"""An app and its user's browser for the relying-party tests: what comes of a sign-in, and what is wrong with it."""

from __future__ import annotations

import http.cookiejar
import json
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from testbed import jose, pkce

APP, APP_ADDRESS = "conformance-app", "https://app.example/callback"
MOST_STEPS = 20
FORM = "application/x-www-form-urlencoded"

# What a posted code is answered with: the status, an error of Gatehouse's, and its reason.
Answer = tuple[int, str | None, str | None]


class Page(NamedTuple):
    """Status, address that the browser is sent on to, and content."""

    status: int
    location: str | None
    content: bytes


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        return None


class Browser:
    """Keeps cookies, and is told where it is sent instead of going there."""

    def __init__(self) -> None:
        self.opener = urllib.request.build_opener(
            NoRedirect, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def send(self, url: str, body: bytes | None = None, media_type: str = FORM,
             headers: Mapping[str, str] | None = None) -> Page:
        typed = {"Content-Type": media_type} if body else {}
        request = urllib.request.Request(url, body, {**typed, **(headers or {})})
        try:
            with self.opener.open(request, timeout=70) as answer:
                return Page(answer.status, None, answer.read())
        except urllib.error.HTTPError as refusal:
            return Page(refusal.code, refusal.headers.get("location"), refusal.read())

    def follow(self, url: str) -> dict[str, str]:
        """The parameters that come back to the app; a page instead of them is an error of the run."""
        for _ in range(MOST_STEPS):
            status, location, content = self.send(url)
            if location is None:
                raise RuntimeError(f"status {status} instead of a redirect: {content[:200]!r}")
            url = urllib.parse.urljoin(url, location)
            if url.startswith(APP_ADDRESS + "?"):
                return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        raise RuntimeError("redirects for ever")


@dataclass
class Outcome:
    """What came of a sign-in: the error that the app was told, or None; what it was told besides; what was wrong with
    that."""

    error: str | None
    description: str = ""
    faults: list[str] = field(default_factory=list)

    def is_as(self, answer: Answer) -> bool:
        error, word = wanted(*answer)
        return self.error == error and word in self.description and not self.faults

    def __str__(self) -> str:
        told = f"{self.error}: {self.description}" if self.error else "code, redeemed"
        return " ".join([told, *(f"WRONG: {fault}" for fault in self.faults)])


class App:
    """A public app; each sign-in is in a browser of its own."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer

    def sign_in(self, provider: str) -> Outcome:
        verifier = pkce.new_verifier()
        state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        answer = Browser().follow(f"{self.issuer}/auth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": APP, "redirect_uri": APP_ADDRESS, "provider": provider,
            "scope": "openid profile email", "state": state, "nonce": nonce, **pkce.parameters(verifier)}))
        faults = faults_of(answer, state, self.issuer)
        if "code" in answer:
            faults += self.redeem(answer["code"], verifier, nonce)
        return Outcome(answer.get("error"), answer.get("error_description", ""), faults)

    def redeem(self, code: str, verifier: str, nonce: str) -> list[str]:
        """What is wrong with what the code is worth."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": APP_ADDRESS, "client_id": APP,
                "code_verifier": verifier}
        page = Browser().send(f"{self.issuer}/auth/token", urllib.parse.urlencode(form).encode())
        if page.status != 200:
            return [f"the code is answered with {page.status}"]
        tokens: dict[str, str] = json.loads(page.content)
        userinfo = Browser().send(
            f"{self.issuer}/auth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
        return faults_of_claims(jose.claims(tokens["id_token"]), nonce, userinfo)


def faults_of(answer: Mapping[str, str], state: str, issuer: str) -> list[str]:
    """What is wrong with the parameters that came back to the app."""
    faults = [name for name, value in (("state", state), ("iss", issuer)) if answer.get(name) != value]
    if "code" in answer and "error" in answer:
        faults.append("code and error")
    if "code" not in answer and "error" not in answer:
        faults.append("neither code nor error")
    return faults


def faults_of_claims(claims: Mapping[str, object], nonce: str, userinfo: Page) -> list[str]:
    faults: list[str] = []
    if (claims["aud"], claims["nonce"]) != (APP, nonce):
        faults.append("ID token")
    if userinfo.status != 200 or json.loads(userinfo.content)["sub"] != claims["sub"]:
        faults.append("userinfo")
    return faults


def wanted(status: int, error: str | None, reason: str | None) -> tuple[str | None, str]:
    """What the app is told of what a posted code is answered with: an error of OAuth, and a word in its description."""
    if status == 200:
        return None, ""
    # The provider's fault, whatever it was: nothing that the app or its user could mend.
    if reason:
        return "server_error", f"({reason})"
    return "server_error", {"userinfo_mismatch": "userinfo", "provider_error": "discovery"}[error or ""]


def self_test() -> None:
    """Shows each way in which an answer is wrong."""
    back, claims = {"code": "c", "state": "s", "iss": "i"}, {"aud": APP, "nonce": "n", "sub": "1"}
    refused = {"error": "server_error", "state": "s", "iss": "i"}
    taken, refusal = (200, None, None), (401, "invalid_grant", "nonce")
    same, another = Page(200, None, b'{"sub": "1"}'), Page(200, None, b'{"sub": "2"}')
    cases = {
        "a code": faults_of(back, "s", "i") == [],
        "an error": faults_of(refused, "s", "i") == [],
        "another state": faults_of(back, "t", "i") == ["state"],
        "another issuer": faults_of(back, "s", "j") == ["iss"],
        "a code with an error": faults_of({**back, **refused}, "s", "i") == ["code and error"],
        "neither": faults_of({"state": "s", "iss": "i"}, "s", "i") == ["neither code nor error"],
        "claims": faults_of_claims(claims, "n", same) == [],
        "another nonce": faults_of_claims(claims, "m", same) == ["ID token"],
        "another audience": faults_of_claims({**claims, "aud": "b"}, "n", same) == ["ID token"],
        "another user": faults_of_claims(claims, "n", another) == ["userinfo"],
        "no userinfo": faults_of_claims(claims, "n", Page(401, None, b"")) == ["userinfo"],
        "a sign-in": Outcome(None).is_as(taken) and not Outcome("server_error").is_as(taken),
        "a sign-in with a fault": not Outcome(None, "", ["userinfo"]).is_as(taken),
        "a refusal": Outcome("server_error", "the ID token is not taken (nonce)").is_as(refusal),
        "a refusal for something else": not Outcome("server_error", "the ID token is not taken (aud)").is_as(refusal),
        "no refusal": not Outcome(None).is_as(refusal),
        "a refusal without a reason": Outcome("server_error", "no discovery").is_as((502, "provider_error", None)),
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f".ci/conformance_app.py does not see: {', '.join(wrong)}")
