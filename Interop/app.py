"""What an app does between a provider and Gatehouse."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TypedDict

from browser import Browser
from configuration import REDIRECT_URI
from testbed import pkce

Parameters = dict[str, str]
Authorize = Callable[[Parameters], Parameters]


class User(TypedDict, total=False):
    """Of whom a sign-in is."""

    user_id: int
    name: str
    email: str


class Answer(TypedDict, total=False):
    """What a sign-in is answered with."""

    new_user: bool
    user: User
    error: str
    reason: str


class PublicKey(TypedDict):
    """One of a JWK set."""

    kid: str
    kty: str


class KeySet(TypedDict):
    """What Gatehouse publishes, and what providers are told."""

    keys: list[PublicKey]


class App:
    """Posts what it has of one provider."""

    def __init__(self, port: int, provider: str) -> None:
        self.browser, self.provider = Browser("127.0.0.1", port), provider

    def post(self, body: dict[str, str]) -> tuple[int, Answer]:
        page = self.browser.send("POST", "/auth/signin", json.dumps(body), {"Content-Type": "application/json"})
        answer: Answer = json.loads(page.text)
        return page.status, answer

    def client_keys(self) -> KeySet:
        """The keys that Gatehouse publishes for providers."""
        keys: KeySet = json.loads(self.browser.send("GET", "/auth/client-jwks.json").text)
        return keys


class CodeApp(App):
    """Signs its user in by code. `authorize` takes the parameters of an authorization request and gives what comes back
    with the user."""

    def __init__(self, port: int, provider: str, authorize: Authorize) -> None:
        super().__init__(port, provider)
        self.authorize = authorize

    def code(self) -> dict[str, str]:
        verifier, nonce = pkce.new_verifier(), secrets.token_urlsafe(16)
        answer = self.authorize({"state": "state", "nonce": nonce, **pkce.parameters(verifier)})
        body = {"provider": self.provider, "redirect_uri": REDIRECT_URI, "code_verifier": verifier, "nonce": nonce}
        body.update({name: answer[name] for name in ("code", "iss") if name in answer})
        return body
