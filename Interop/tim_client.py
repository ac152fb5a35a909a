"""TIM, the identity manager of Trifork, as its libraries for phones behave: what they ask of an issuer and of a key
service, in which order, and what they take an answer for. They run on iOS and Android only; what they do was read in
their sources, and is written anew here, quirks included."""

from __future__ import annotations

import secrets
import time
import urllib.parse
from collections.abc import Callable, Mapping
from typing import NotRequired, TypedDict

import requests

from person import Person, parameters
from service import Metadata
from testbed import pkce
from tim_key_service import ANDROID, IOS, TIMEOUT_SECONDS, Key, KeyService, TIMError, decrypted, encrypted
from tokens import Claims, claims_of

SCOPE = "openid profile"
# An access token that has less than this left counts as expired.
MARGIN_SECONDS = 60


class Body(TypedDict):
    """What the token endpoint gives."""

    access_token: str
    expires_in: int
    token_type: str
    id_token: NotRequired[str]
    refresh_token: NotRequired[str]


class Entry(TypedDict):
    """What a phone keeps of a user: the refresh token, encrypted."""

    key_id: str
    refresh: bytes
    long_secret: NotRequired[str]


def payload(token: str) -> Claims:
    """The claims of what both libraries take for a JWT: three segments, and a text as its subject."""
    segments = token.split(".")
    if len(segments) != 3:
        raise TIMError("failedToDecodeJWT")
    claims = claims_of(token)
    if not isinstance(claims.get("sub"), str):
        raise TIMError("failedToGetSubject")
    return claims


class TIM:
    """One app on one phone. What `keychain` holds outlives the app."""

    def __init__(
            self, platform: str, issuer: str, key_service: str, client_id: str, redirect_uri: str,
            sign_in: Mapping[str, str], keychain: dict[str, Entry]) -> None:
        self.platform, self.issuer, self.client_id, self.redirect_uri = platform, issuer, client_id, redirect_uri
        self.sign_in, self.keychain = sign_in, keychain
        self.keys = KeyService(key_service, platform)
        self.access: str | None = None
        self.refresh: str | None = None
        self.expires = 0.0

    # What AppAuth does for it.

    def discovered(self) -> Metadata:
        """Neither library compares the document's issuer with the address that it was asked at."""
        answer = requests.get(f"{self.issuer}/.well-known/openid-configuration", timeout=TIMEOUT_SECONDS,
                              allow_redirects=self.platform == IOS)
        if answer.status_code != 200:
            raise TIMError("failedToDiscoverConfiguration")
        metadata: Metadata = answer.json()
        return metadata

    def ask(self, metadata: Metadata, fields: Mapping[str, str]) -> Body:
        """The token endpoint: `client_id` in the form, no Authorization."""
        answer = requests.post(metadata["token_endpoint"], {"client_id": self.client_id, **fields},
                               timeout=TIMEOUT_SECONDS, allow_redirects=False)
        if answer.status_code != 200:
            # Of all errors of OAuth it knows this one; to the others it is no more than a failure.
            raise TIMError("refreshTokenExpired" if answer.json().get("error") == "invalid_grant" else "networkError")
        body: Body = answer.json()
        self.check(metadata, body)
        return body

    def check(self, metadata: Metadata, body: Body) -> None:
        if body["expires_in"] <= MARGIN_SECONDS or body["token_type"] != "Bearer":
            raise TIMError("tokenUnusable")
        payload(body["access_token"])
        if "id_token" in body:
            claims = payload(body["id_token"])
            if claims["iss"] != metadata["issuer"] or self.client_id not in claims["aud"] \
                    or abs(time.time() - claims["iat"]) > 600:
                raise TIMError("idTokenInvalid")

    def take(self, body: Body) -> None:
        """The tokens in memory."""
        self.access, self.expires = body["access_token"], time.time() + body["expires_in"]
        if "refresh_token" not in body and self.platform == IOS:
            raise TIMError("failedToGetRefreshToken")
        self.refresh = body.get("refresh_token", self.refresh)

    # What an app calls.

    def login(self) -> str:
        """By the browser."""
        metadata, verifier = self.discovered(), secrets.token_urlsafe(64)
        query = {"response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect_uri,
                 "scope": SCOPE, "state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16),
                 **pkce.parameters(verifier), **self.sign_in}
        address = metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(query)
        answer = parameters(Person().follow(address, self.redirect_uri))
        if "error" in answer or answer.get("state") != query["state"]:
            raise TIMError("authorizationFailed")
        self.take(self.ask(metadata, {"grant_type": "authorization_code", "code": answer["code"],
                                      "redirect_uri": self.redirect_uri, "code_verifier": verifier}))
        return self.user()

    def user(self) -> str:
        """What it files things under: the subject of the refresh token itself."""
        return payload(self.refresh_token())["sub"]

    def refresh_token(self) -> str:
        """The one in memory."""
        if self.refresh is None:
            raise TIMError("userNotLoggedIn")
        return self.refresh

    def store(self, password: str) -> None:
        """With a new password."""
        key = self.keys.create(password)
        self.keychain[self.user()] = {"key_id": key.id, "refresh": encrypted(key.key, self.refresh_token())}

    def enable_biometrics(self, password: str, user: str) -> None:
        entry = self.keychain[user]
        entry["long_secret"] = self.keys.by_password(password, entry["key_id"]).long_secret

    def login_with_password(self, user: str, password: str, stores: bool = True) -> None:
        self.unlock(user, lambda entry: self.keys.by_password(password, entry["key_id"]), stores,
                    # It stores the one that it came with again; the other library stores the one that it got.
                    keeps_former=self.platform == ANDROID)

    def login_with_biometrics(self, user: str, stores: bool = True) -> None:
        self.unlock(user, lambda entry: self.keys.by_long_secret(entry["long_secret"], entry["key_id"]), stores,
                    keeps_former=False)

    def unlock(self, user: str, key_of: Callable[[Entry], Key], stores: bool, keeps_former: bool) -> None:
        entry = self.keychain[user]
        former = decrypted(key_of(entry).key, entry["refresh"])
        # Silent login: all that is configured, and what the app adds.
        body = self.ask(self.discovered(), {
            "grant_type": "refresh_token", "refresh_token": former, "scope": SCOPE, "app_version": "7.1",
            "device": self.platform})
        self.take(body)
        if stores:
            entry["refresh"] = encrypted(key_of(entry).key, former if keeps_former else body["refresh_token"])

    def access_token(self) -> str:
        """One that is good; where it takes a refresh, nothing of that is stored."""
        if self.access is None:
            raise TIMError("userNotLoggedIn")
        if self.expires - time.time() < MARGIN_SECONDS:
            fields = {"grant_type": "refresh_token", "refresh_token": self.refresh_token()}
            self.take(self.ask(self.discovered(), fields))
        return self.access

    def logout(self) -> None:
        """Asks no server."""
        self.access, self.refresh, self.expires = None, None, 0.0

    def clear(self, user: str) -> None:
        del self.keychain[user]
