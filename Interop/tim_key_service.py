"""The key service as TIM's libraries for phones ask it, and what they encrypt with its keys."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import NamedTuple

import requests
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

IOS, ANDROID = "iOS", "Android"
# AppAuth for Android gives up reading an answer then.
TIMEOUT_SECONDS = 10
NONCE_BYTES = 12


class Key(NamedTuple):
    """What the key service gives."""

    id: str
    key: bytes
    long_secret: str


class TIMError(Exception):
    """By the name that the libraries give to what went wrong."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class KeyService:
    """`root` is what the app configures; `createkey` and `key` come behind it."""

    ERRORS = {401: "badPassword", 403: "keyLocked", 404: "keyMissing", 500: "unableToCreateKey"}

    def __init__(self, root: str, platform: str) -> None:
        self.root, self.platform = root, platform
        # How many answers get lost on their way from now on.
        self.losing = 0

    def create(self, secret: str) -> Key:
        return self.post("createkey", {"secret": secret})

    def by_password(self, secret: str, key_id: str) -> Key:
        return self.post("key", {"secret": secret, "keyid": key_id})

    def by_long_secret(self, long_secret: str, key_id: str) -> Key:
        return self.post("key", {"longsecret": long_secret, "keyid": key_id})

    def post(self, name: str, body: Mapping[str, str]) -> Key:
        # Retrofit ends the path with a slash.
        url = f"{self.root}/{name}" + ("/" if self.platform == ANDROID else "")
        try:
            answer = self.send(url, body)
        except requests.ConnectionError:
            if self.platform == ANDROID:
                raise TIMError("badInternet") from None
            # Once more, whatever became of the first attempt.
            answer = self.send(url, body)
        is_success = answer.status_code == 200 or self.platform == ANDROID and name == "key" and answer.ok
        if answer.status_code == 204:
            raise TIMError("keyLocked")
        if not is_success:
            raise TIMError(self.ERRORS.get(answer.status_code, f"unknown({answer.status_code})"))
        key = answer.json()
        if self.platform == ANDROID and not isinstance(key.get("longsecret"), str):
            raise TIMError("responseHasNoLongSecret")
        # Strict: what base64url has instead of + and / is no key to either of them.
        return Key(key["keyid"], base64.b64decode(key["key"], validate=True), key.get("longsecret"))

    def send(self, url: str, body: Mapping[str, str]) -> requests.Response:
        answer = requests.post(url, json=body, timeout=TIMEOUT_SECONDS, allow_redirects=self.platform == IOS)
        if self.losing:
            self.losing -= 1
            raise requests.ConnectionError("the answer is lost")
        return answer


def encrypted(key: bytes, text: str) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    sealed: bytes = AESGCM(key).encrypt(nonce, text.encode(), None)
    return nonce + sealed


def decrypted(key: bytes, sealed: bytes) -> str:
    try:
        text: bytes = AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None)
        return text.decode()
    except InvalidTag:
        raise TIMError("failedToDecryptData") from None
