"""The simulated carriers in a process of their own, and the phones of their subscribers."""

import contextlib
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping

from testbed import pkce
from testbed.client import Answer, Client
from testbed.process import Process

ZENKEY_CLIENT = "ccid-0123456789abcdef"
ZENKEY_REDIRECT = f"{ZENKEY_CLIENT}://com.xci.provider.sdk"
PLAIN_CLIENT = "gatehouse-demo"
PLAIN_REDIRECT = "com.example.app:/callback"
NETWORKS = {"aurora": "310410", "borealis": "311480", "plain": None}
LISTENING = {
    name: re.compile(rf"^listening {name} (\S+)$", re.M) for name in ("discovery", *NETWORKS, "beyond", "auth0")}


class Carriers(Process):
    """`urls` and `ports` tell where each of them listens."""

    def __init__(self, binaries: str, folder: str, latency: int = 0, redirect_uris: Iterable[str] = (),
                 issuer_host: str | None = None) -> None:
        """`latency` is how long each call of a backend is kept waiting, in milliseconds; `redirect_uris` are addresses
        that both clients may send users back to; `issuer_host` is who stands in their URLs, where a proxy does."""
        addresses = [argument for address in redirect_uris for argument in ("--redirect-uri", address)]
        addresses += ["--issuer-host", issuer_host] if issuer_host else []
        super().__init__([f"{binaries}/carrier-simulator", "--host", "127.0.0.1", "--port", "0",
                          "--latency-ms", str(latency), *addresses],
                         f"{folder}/carrier-simulator.log")
        self.urls = {name: self.await_line(pattern)[1] for name, pattern in LISTENING.items()}
        self.ports = {name: port for name, url in self.urls.items() if (port := urllib.parse.urlsplit(url).port)}

    def authorize(self, subscriber: str, issuer: str = "aurora", misbehave: str | None = None, scope: str = "",
                  nonce: str | None = None, further: Mapping[str, str] | None = None) -> dict[str, str]:
        """What an app posts after its user approved, as the parameters of a sign-in; `further` ones are asked, too."""
        verifier = pkce.new_verifier()
        client, redirect = (
            (PLAIN_CLIENT, PLAIN_REDIRECT) if issuer == "plain" else (ZENKEY_CLIENT, ZENKEY_REDIRECT))
        query = {
            "response_type": "code", "client_id": client, "redirect_uri": redirect, "state": "drill",
            "scope": f"openid profile name email phone postal_code {scope}".strip(), **pkce.parameters(verifier),
            "prompt": "none", "login_hint": subscriber, **(further or {})}
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
        if network := NETWORKS[issuer]:
            body["mccmnc"] = network
        return body

    def access_token(self, subscriber: str) -> str:
        """What an app of the plain provider's holds without our server."""
        body = self.authorize(subscriber, "plain")
        form = {**body, "grant_type": "authorization_code", "client_secret": "demo-secret-plain"}
        with Client(self.ports["plain"]) as client:
            return str(client.call("POST", "/token", form=form).json["access_token"])

    def call(self, method: str, path: str, body: object = None, issuer: str = "discovery") -> Answer:
        with Client(self.ports[issuer]) as client:
            return client.call(method, path, body=body)

    def misbehave(self, name: str, endpoint: str | None = None, issuer: str | None = None,
                  times: int | None = None) -> None:
        """Switches a misbehaviour on for all callers: `times` times, or until `behave`."""
        command = {"name": name, "endpoint": endpoint, "issuer": issuer, "times": times}
        answer = self.call("POST", "/control/misbehave", {key: value for key, value in command.items() if value})
        if answer.status != 200:
            raise RuntimeError(f"the carriers do not know {name} at {endpoint}")

    def behave(self) -> None:
        self.call("POST", "/control/behave", {})

    def port(self, subscriber: str, carrier: str) -> None:
        """Lets a subscriber change carriers."""
        self.call("POST", f"/subscribers/{subscriber}/port?to={carrier}", {})

    def presented(self, after: int = 0) -> tuple[list[str], int]:
        """Hashes of the refresh tokens that the plain provider was shown after a request, and the newest's number."""
        answer = json.loads(self.call("GET", f"/control/refreshes?after={after}").body)
        return answer["presented"], answer["last"]

    def requests(self, endpoint: str) -> int:
        """How many requests all issuers have had at an endpoint."""
        counts = json.loads(self.call("GET", "/control/requests").body)
        return sum(issuer.get(endpoint, 0) for issuer in counts.values())


@contextlib.contextmanager
def carriers(binaries: str, folder: str, latency: int = 0, redirect_uris: Iterable[str] = (),
             issuer_host: str | None = None) -> Iterator[Carriers]:
    """The carriers for as long as they are used."""
    served = Carriers(binaries, folder, latency, redirect_uris, issuer_host)
    try:
        yield served
    finally:
        served.stop()
