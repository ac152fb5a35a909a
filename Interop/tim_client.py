"""TIM, the identity manager of Trifork, as its libraries for phones behave: what they ask of an issuer and of a key service, in
which order, and what they take an answer for. They run on iOS and Android only; what they do was read in their sources, and is
written anew here, quirks included."""

import base64
import hashlib
import json
import os
import secrets
import time
import urllib.parse

import requests
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from person import Person, parameters

IOS, ANDROID = "iOS", "Android"
SCOPE = "openid profile"
# An access token that has less than this left counts as expired.
MARGIN_SECONDS = 60
# AppAuth for Android gives up reading an answer then.
TIMEOUT_SECONDS = 10
NONCE_BYTES = 12


class TIMError(Exception):
    """By the name that the libraries give to what went wrong."""

    @property
    def error(self):
        return self.args[0]


def payload(token):
    """The claims of what both libraries take for a JWT: three segments, and a text as its subject."""
    segments = token.split(".")
    if len(segments) != 3:
        raise TIMError("failedToDecodeJWT")
    claims = json.loads(base64.urlsafe_b64decode(segments[1] + "=" * (-len(segments[1]) % 4)))
    if not isinstance(claims.get("sub"), str):
        raise TIMError("failedToGetSubject")
    return claims


class KeyService:
    """`root` is what the app configures; `createkey` and `key` come behind it."""

    ERRORS = {401: "badPassword", 403: "keyLocked", 404: "keyMissing", 500: "unableToCreateKey"}

    def __init__(self, root, platform):
        self.root, self.platform = root, platform
        # How many answers get lost on their way from now on.
        self.losing = 0

    def create(self, secret):
        return self.post("createkey", {"secret": secret})

    def by_password(self, secret, key_id):
        return self.post("key", {"secret": secret, "keyid": key_id})

    def by_long_secret(self, long_secret, key_id):
        return self.post("key", {"longsecret": long_secret, "keyid": key_id})

    def post(self, name, body):
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
        return key["keyid"], base64.b64decode(key["key"], validate=True), key.get("longsecret")

    def send(self, url, body):
        answer = requests.post(url, json=body, timeout=TIMEOUT_SECONDS, allow_redirects=self.platform == IOS)
        if self.losing:
            self.losing -= 1
            raise requests.ConnectionError("the answer is lost")
        return answer


def encrypted(key, text):
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text.encode(), None)


def decrypted(key, sealed):
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None).decode()
    except InvalidTag:
        raise TIMError("failedToDecryptData") from None


class TIM:
    """One app on one phone. What `keychain` holds outlives the app."""

    def __init__(self, platform, issuer, key_service, client_id, redirect_uri, sign_in, keychain):
        self.platform, self.issuer, self.client_id, self.redirect_uri = platform, issuer, client_id, redirect_uri
        self.sign_in, self.keychain = sign_in, keychain
        self.keys = KeyService(key_service, platform)
        self.logout()

    # What AppAuth does for it.

    def discovered(self):
        """Neither library compares the document's issuer with the address that it was asked at."""
        answer = requests.get(f"{self.issuer}/.well-known/openid-configuration", timeout=TIMEOUT_SECONDS,
                              allow_redirects=self.platform == IOS)
        if answer.status_code != 200:
            raise TIMError("failedToDiscoverConfiguration")
        return answer.json()

    def ask(self, metadata, fields):
        """The token endpoint: `client_id` in the form, no Authorization."""
        answer = requests.post(metadata["token_endpoint"], {"client_id": self.client_id, **fields},
                               timeout=TIMEOUT_SECONDS, allow_redirects=False)
        body = answer.json()
        if answer.status_code != 200:
            # Of all errors of OAuth it knows this one; to the others it is no more than a failure.
            raise TIMError("refreshTokenExpired" if body.get("error") == "invalid_grant" else "networkError")
        self.check(metadata, body)
        return body

    def check(self, metadata, body):
        if body["expires_in"] <= MARGIN_SECONDS or body["token_type"] != "Bearer":
            raise TIMError("tokenUnusable")
        payload(body["access_token"])
        if "id_token" in body:
            claims = payload(body["id_token"])
            if claims["iss"] != metadata["issuer"] or self.client_id not in claims["aud"] \
                    or abs(time.time() - claims["iat"]) > 600:
                raise TIMError("idTokenInvalid")

    def take(self, body):
        """The tokens in memory."""
        self.access, self.expires = body["access_token"], time.time() + body["expires_in"]
        if "refresh_token" not in body and self.platform == IOS:
            raise TIMError("failedToGetRefreshToken")
        self.refresh = body.get("refresh_token", self.refresh)

    # What an app calls.

    def login(self):
        """By the browser."""
        metadata, verifier = self.discovered(), secrets.token_urlsafe(64)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {"response_type": "code", "client_id": self.client_id, "redirect_uri": self.redirect_uri,
                 "scope": SCOPE, "state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16),
                 "code_challenge": challenge, "code_challenge_method": "S256", **self.sign_in}
        address = metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(query)
        answer = parameters(Person().follow(address, self.redirect_uri))
        if "error" in answer or answer.get("state") != query["state"]:
            raise TIMError("authorizationFailed")
        self.take(self.ask(metadata, {"grant_type": "authorization_code", "code": answer["code"],
                                      "redirect_uri": self.redirect_uri, "code_verifier": verifier}))
        return self.user()

    def user(self):
        """What it files things under: the subject of the refresh token itself."""
        return payload(self.refresh)["sub"]

    def store(self, password):
        """With a new password."""
        key_id, key, _ = self.keys.create(password)
        self.keychain[self.user()] = {"key_id": key_id, "refresh": encrypted(key, self.refresh)}

    def enable_biometrics(self, password, user):
        entry = self.keychain[user]
        entry["long_secret"] = self.keys.by_password(password, entry["key_id"])[2]

    def login_with_password(self, user, password, stores=True):
        self.unlock(user, lambda entry: self.keys.by_password(password, entry["key_id"]), stores,
                    # It stores the one that it came with again; the other library stores the one that it got.
                    keeps_former=self.platform == ANDROID)

    def login_with_biometrics(self, user, stores=True):
        self.unlock(user, lambda entry: self.keys.by_long_secret(entry["long_secret"], entry["key_id"]), stores,
                    keeps_former=False)

    def unlock(self, user, key_of, stores, keeps_former):
        entry = self.keychain[user]
        former = decrypted(key_of(entry)[1], entry["refresh"])
        # Silent login: all that is configured, and what the app adds.
        body = self.ask(self.discovered(), {
            "grant_type": "refresh_token", "refresh_token": former, "scope": SCOPE, "app_version": "7.1",
            "device": self.platform})
        self.take(body)
        if stores:
            entry["refresh"] = encrypted(key_of(entry)[1], former if keeps_former else body["refresh_token"])

    def access_token(self):
        """One that is good; where it takes a refresh, nothing of that is stored."""
        if self.access is None:
            raise TIMError("userNotLoggedIn")
        if self.expires - time.time() < MARGIN_SECONDS:
            self.take(self.ask(self.discovered(), {"grant_type": "refresh_token", "refresh_token": self.refresh}))
        return self.access

    def logout(self):
        """Asks no server."""
        self.access, self.refresh, self.expires = None, None, 0

    def clear(self, user):
        del self.keychain[user]
