"""The simulated carriers in a process of their own, and the phones of their subscribers."""

import base64
import hashlib
import json
import re
import secrets
import urllib.parse

from process import Process
from wire import Client

ZENKEY_CLIENT = "ccid-0123456789abcdef"
ZENKEY_REDIRECT = f"{ZENKEY_CLIENT}://com.xci.provider.sdk"
PLAIN_CLIENT = "gatehouse-demo"
PLAIN_REDIRECT = "com.example.app:/callback"
NETWORKS = {"aurora": "310410", "borealis": "311480", "plain": None}
LISTENING = {name: re.compile(rf"^listening {name} (\S+)$", re.M) for name in ("discovery", *NETWORKS, "beyond", "auth0")}


class Carriers(Process):
    def __init__(self, binaries, folder, latency=0, redirect_uris=()):
        """`latency` is how long each call of a backend is kept waiting, in milliseconds; `redirect_uris` are addresses that
        both clients may send users back to."""
        addresses = [argument for address in redirect_uris for argument in ("--redirect-uri", address)]
        super().__init__([f"{binaries}/carrier-simulator", "--host", "127.0.0.1", "--port", "0",
                          "--latency-ms", str(latency), *addresses],
                         f"{folder}/carrier-simulator.log")
        self.urls = {name: self.await_line(pattern)[1] for name, pattern in LISTENING.items()}
        self.ports = {name: urllib.parse.urlsplit(url).port for name, url in self.urls.items()}

    def authorize(self, subscriber, issuer="aurora", misbehave=None, scope="", nonce=None, further=None):
        """What an app posts after its user approved, as the parameters of a sign-in; `further` ones are asked for as well."""
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        client, redirect = (
            (PLAIN_CLIENT, PLAIN_REDIRECT) if issuer == "plain" else (ZENKEY_CLIENT, ZENKEY_REDIRECT))
        query = {
            "response_type": "code", "client_id": client, "redirect_uri": redirect, "state": "drill",
            "scope": f"openid profile name email phone postal_code {scope}".strip(), "code_challenge": challenge,
            "code_challenge_method": "S256", "prompt": "none", "login_hint": subscriber, **(further or {})}
        if nonce:
            query["nonce"] = nonce
        if misbehave:
            query["misbehave"] = misbehave
        answer = self.call("GET", "/authorize?" + urllib.parse.urlencode(query), issuer=issuer)
        location = urllib.parse.urlsplit(answer.headers.get("location", ""))
        code = urllib.parse.parse_qs(location.query).get("code")
        if not code:
            raise RuntimeError(f"{issuer} gave {subscriber} no code: {answer.status}")
        body = {"client_id": client, "code": code[0], "redirect_uri": redirect, "code_verifier": verifier}
        if nonce:
            body["nonce"] = nonce
        if NETWORKS[issuer]:
            body["mccmnc"] = NETWORKS[issuer]
        return body

    def access_token(self, subscriber):
        """What an app of the plain provider's holds without our server."""
        body = self.authorize(subscriber, "plain")
        form = {**body, "grant_type": "authorization_code", "client_secret": "demo-secret-plain"}
        with Client(self.ports["plain"]) as client:
            return client.call("POST", "/token", form=form).json["access_token"]

    def call(self, method, path, body=None, issuer="discovery"):
        with Client(self.ports[issuer]) as client:
            return client.call(method, path, body=body)

    def misbehave(self, name, endpoint=None, issuer=None, times=None):
        """Switches a misbehaviour on, for all callers: `times` times, or until `behave`."""
        command = {"name": name, "endpoint": endpoint, "issuer": issuer, "times": times}
        answer = self.call("POST", "/control/misbehave", {key: value for key, value in command.items() if value})
        if answer.status != 200:
            raise RuntimeError(f"the carriers do not know {name} at {endpoint}")

    def behave(self):
        self.call("POST", "/control/behave", {})

    def port(self, subscriber, carrier):
        """Lets a subscriber change carriers."""
        self.call("POST", f"/subscribers/{subscriber}/port?to={carrier}", {})

    def presented(self, after=0):
        """The hashes of the refresh tokens that the plain provider was shown after a request, and the number of the newest."""
        answer = json.loads(self.call("GET", f"/control/refreshes?after={after}").body)
        return answer["presented"], answer["last"]

    def requests(self, endpoint):
        """How many requests all issuers have had at an endpoint."""
        counts = json.loads(self.call("GET", "/control/requests").body)
        return sum(issuer.get(endpoint, 0) for issuer in counts.values())
