"""Apps that hold an ID token of a provider, as an SDK gives it to them, and post that: the provider knows nothing of
Gatehouse, and gives the token to a client of the app's own."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import urllib.parse
from collections.abc import Callable, Iterable, Mapping

from app import Answer, App, Parameters
from browser import Browser
from checks import Checks
from configuration import REDIRECT_URI, section
from tokens import claims_of, segment

APP, STRANGER = "gatehouse-app", "another-app"


class SDK:
    """Has a provider's ID tokens by the code flow of a client of its own. What stands in them as the nonce is a hash,
    so that a reader of a token does not see what the app has drawn."""

    def __init__(self, issuer: str, secret: str, authorize: Callable[[str, Parameters], Parameters]) -> None:
        self.issuer, self.secret, self.authorize = issuer, secret, authorize
        parts = urllib.parse.urlsplit(issuer)
        self.browser = Browser(parts.hostname or "", parts.port or 80)
        page = self.browser.send("GET", f"{parts.path}/.well-known/openid-configuration")
        document: dict[str, str] = json.loads(page.text)
        self.token_path = urllib.parse.urlsplit(document["token_endpoint"]).path

    def token(self, client: str = APP) -> tuple[str, str]:
        """The ID token for a client, and what the app has drawn for it."""
        drawn = secrets.token_urlsafe(24)
        answer = self.authorize(client, {
            "state": "state", "nonce": hashlib.sha256(drawn.encode()).hexdigest()})
        basic = base64.b64encode(f"{client}:{self.secret}".encode()).decode()
        page = self.browser.send(
            "POST", self.token_path, urllib.parse.urlencode({
                "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": REDIRECT_URI}),
            {"Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Basic {basic}"})
        if page.status != 200:
            raise RuntimeError(f"{self.issuer} answers {page.status} to the app's code: {page.text}")
        tokens: dict[str, str] = json.loads(page.text)
        return tokens["id_token"], drawn


def tampered(token: str) -> str:
    """The same claims but for the time, under the signature of the others."""
    header, _, signature = token.split(".")
    claims = claims_of(token)
    claims["exp"] = int(claims["exp"]) + 1
    return f"{header}.{segment(claims)}.{signature}"


class NativeTokens:
    def __init__(self, port: int, sdks: dict[str, SDK], lines: Mapping[str, tuple[str, Iterable[str]]]) -> None:
        """`sdks` by the names of the sections that take their tokens; `lines` of a section by the same names."""
        self.port, self.sdks = port, sdks
        self.sections = [
            section(name, sdks[name].issuer, client, [
                *more, "nativeTokens: true", f"audiences: [{APP}]", "userinfo: false"])
            for name, (client, more) in lines.items()]
        self.names = list(sdks)

    def sign_ins(self, checks: Checks, log: str) -> None:
        for name in self.names:
            self.sign_in(checks, name, next(other for other in self.names if other != name))
        with open(log, encoding="utf-8") as file:
            checks.expect("native: no token stands in the log", "eyJ" not in file.read())

    def sign_in(self, checks: Checks, name: str, other: str) -> None:
        app, sdk = App(self.port, name), self.sdks[name]

        def post(token: str, drawn: str) -> tuple[int, Answer]:
            return app.post({"provider": name, "id_token": token, "nonce": drawn})

        def refused(what: str, answer: tuple[int, Answer], reason: str) -> None:
            status, body = answer
            seen = (status, body.get("reason") if body.get("error") == "invalid_id_token" else body.get("error"))
            checks.expect(f"{name}: {what} is refused as {reason}", seen == (401, reason), answer)

        token, drawn = sdk.token()
        claim = hashlib.sha256(drawn.encode()).hexdigest()
        refused("what stands in a stolen token", post(token, claim), "nonce")
        refused("another nonce", post(token, "another"), "nonce")
        refused("a tampered token", post(tampered(token), drawn), "signature")
        status, first = post(token, drawn)
        checks.expect(
            f"{name}: an app's ID token signs in the user of the codes",
            status == 200 and first.get("new_user") is False, (status, first))
        status, same = post(token, drawn)
        checks.expect(
            f"{name}: a token that is sent again gets the same answer",
            status == 200 and (same.get("user"), same.get("new_user")) == (first.get("user"), False), (status, same))
        refused("a stranger's app's token", post(*sdk.token(STRANGER)), "audience")
        status, foreign = post(*self.sdks[other].token())
        checks.expect(
            f"{name}: a token of {other} is refused", (status, foreign.get("error")) == (401, "invalid_id_token"),
            (status, foreign))
