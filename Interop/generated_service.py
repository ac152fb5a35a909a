"""A Gatehouse that has every operation of its documents, for the clients that are generated of them."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field

import requests

from configuration import PLAIN
from testbed import pkce
from testbed.carriers import PLAIN_CLIENT, PLAIN_REDIRECT, ZENKEY_CLIENT, ZENKEY_REDIRECT, carriers
from testbed.ports import free_ports
from testbed.process import running

ADMIN_TOKEN = secrets.token_hex(16)
APP_SECRET = secrets.token_hex(16)
RESOURCE_SERVER_SECRET = secrets.token_hex(16)
APP_REDIRECT_URI = "https://app.example/callback"
# No limits: the fuzzer is one address, and is not to be told so.
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: {admin_port}, token: "{admin_token}"}}
storage: {{url: "file:{folder}/gatehouse.db"}}
session: {{issuer: "http://127.0.0.1:{port}"}}
rateLimit: {{signInsPerMinutePerAddress: 0, challengesPerMinutePerAddress: 0, pushesPerMinutePerAddress: 0,
    failedRefreshesPerMinutePerAddress: 0, authorizationsPerMinutePerAddress: 0, keysPerMinutePerAddress: 0,
    failedLongSecretsPerMinutePerAddress: 0, signUpsPerMinutePerAddress: 0}}
push: {{perUser: 100}}
keyService: {{enabled: true, scryptCost: 14}}
securityTxt: {{contacts: ["mailto:security@example.com"]}}
associationFiles: {{apple: "{folder}/apple.json", android: "{folder}/android.json"}}
providers: [zenkey, plain, beyond]
provider:
  zenkey:
    profile: zenkey
    discoveryURL: {discovery}
    clientID: ccid-0123456789abcdef
    clientSecret: demo-secret
    redirectURIs: ["ccid-0123456789abcdef://com.xci.provider.sdk"]
    trustedIssuers: ["127.0.0.1"]
    serverInitiated: true
    allowLoopbackHTTP: true
""" + PLAIN + """\
    keepTokens: true
  beyond:
    profile: beyond-identity
    issuer: {beyond}
    clientID: gatehouse-beyond
    clientSecret: demo-secret-beyond
    redirectURIs: ["com.example.app:/beyond"]
    requirePKCE: false
    userAPI: {{url: "{beyond}/v1/manage", version: 2021, token: demo-api-token}}
    allowLoopbackHTTP: true
apps: [web]
app:
  web:
    clientID: web-app
    secret: "{app_secret}"
    redirectURIs: ["{app_redirect_uri}"]
    providerTokens: [plain]
    scopes: [openid, profile, email, phone, offline_access, account.read, account.identities, tokens]
    impliedScopes: [offline_access, account.read, tokens]
resourceServers: [api]
resourceServer:
  api: {{id: api, secret: "{resource_server_secret}"}}
"""

ASSOCIATIONS = {
    "apple": {"applinks": {"details": [{"appIDs": ["A1B2C3D4E5.com.example.app"], "components": [{"/": "/cb/*"}]}]}},
    "android": [{"relation": ["delegate_permission/common.handle_all_urls"], "target": {
        "namespace": "android_app", "package_name": "com.example.app",
        "sha256_cert_fingerprints": [":".join(["AB"] * 32)]}}],
}


@dataclass
class Service:
    base: str
    admin: str
    urls: dict[str, str]
    verifier: str = field(default_factory=lambda: secrets.token_hex(32))

    def authorized(self, provider: str, subscriber: str, **more: str) -> dict[str, str]:
        """What an app has when its user has approved: the members of a sign-in's body."""
        nonce = secrets.token_hex(8)
        issuer, client, redirect_uri = {
            "zenkey": (self.urls["aurora"], ZENKEY_CLIENT, ZENKEY_REDIRECT),
            "plain": (self.urls["plain"], PLAIN_CLIENT, PLAIN_REDIRECT)}[provider]
        answer = requests.get(f"{issuer}/authorize", allow_redirects=False, timeout=10, params={
            "response_type": "code", "client_id": client, "redirect_uri": redirect_uri, "nonce": nonce,
            "scope": "openid name email phone postal_code profile", **pkce.parameters(self.verifier),
            "prompt": "none", "login_hint": subscriber, **more})
        came_back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["location"]).query))
        body = {"client_id": client, "code": came_back["code"], "redirect_uri": redirect_uri, "nonce": nonce,
                "code_verifier": self.verifier, **more}
        return {**body, "mccmnc": "310410"} if provider == "zenkey" else {**body, "provider": provider}

    def by_browser(self, subscriber: str, scope: str) -> dict[str, str]:
        """What the app web-app redeems once its user has signed in through the browser: the members of a token
        request."""
        browser = requests.Session()
        begun = browser.get(f"{self.base}/auth/authorize", allow_redirects=False, timeout=10, params={
            "response_type": "code", "client_id": "web-app", "redirect_uri": APP_REDIRECT_URI, "scope": scope,
            **pkce.parameters(self.verifier), "provider": "plain", "prompt": "none", "login_hint": subscriber})
        approved = requests.get(begun.headers["location"], allow_redirects=False, timeout=10)
        back = browser.get(approved.headers["location"], allow_redirects=False, timeout=10)
        came_back = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back.headers["location"]).query))
        return {"grant_type": "authorization_code", "code": came_back["code"], "redirect_uri": APP_REDIRECT_URI,
                "code_verifier": self.verifier, "client_id": "web-app", "client_secret": APP_SECRET}


@contextlib.contextmanager
def service(binaries: str, folder: str) -> Iterator[Service]:
    os.makedirs(folder)
    port, admin_port = free_ports(2)
    for name, content in ASSOCIATIONS.items():
        with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
            json.dump(content, file)
    base = f"http://127.0.0.1:{port}"
    with carriers(binaries, folder, redirect_uris=[f"{base}/auth/plain/callback"]) as simulated:
        configuration = f"{folder}/gatehouse.yaml"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                port=port, admin_port=admin_port, folder=folder, admin_token=ADMIN_TOKEN, app_secret=APP_SECRET,
                app_redirect_uri=APP_REDIRECT_URI,
                resource_server_secret=RESOURCE_SERVER_SECRET, **simulated.urls))
        gatehouse = [f"{binaries}/gatehouse", "serve", "--config", configuration]
        with running(gatehouse, port, f"{folder}/gatehouse.log", {"GATEHOUSE_LOG_LEVEL": "trace"}):
            # As the carrier would read them at an address that it can reach.
            keys = requests.get(f"{base}/auth/client-jwks.json", timeout=10).json()
            requests.post(f"{simulated.urls['aurora']}/control/clients/{ZENKEY_CLIENT}/keys", json=keys, timeout=10)
            yield Service(base, f"http://127.0.0.1:{admin_port}", simulated.urls)
