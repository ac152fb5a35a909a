"""What a sign-in with an app's ID token costs the server beside one with a code, in turns, at the same provider:
nothing is asked of the provider. For a machine that does nothing else."""

import hashlib
import itertools
import json
import secrets
import statistics
import urllib.parse
from collections.abc import Callable, Sequence

from bench import Bench, crowd, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed import pkce
from testbed.carriers import Carriers
from testbed.client import Client

CONNECTIONS = 64
SIGN_INS = 3200
ROUNDS = 3
# The rest is the same for both: the ID token's signature, ours, the store's transaction, and the app's request and
# answer.
MOST = 0.75
CLIENT, APP, REDIRECT = "gatehouse-auth0", "gatehouse-auth0-app", "com.example.app:/callback"


def settings(carriers: Carriers) -> dict[str, str]:
    return {
        "GATEHOUSE_PROVIDERS": "zenkey, plain, auth0", "GATEHOUSE_PROVIDER_AUTH0_PROFILE": "auth0",
        "GATEHOUSE_PROVIDER_AUTH0_ISSUER": f"{carriers.urls['auth0']}/", "GATEHOUSE_PROVIDER_AUTH0_CLIENT_ID": CLIENT,
        "GATEHOUSE_PROVIDER_AUTH0_CLIENT_SECRET": "demo-secret-auth0",
        "GATEHOUSE_PROVIDER_AUTH0_REDIRECT_URIS": REDIRECT, "GATEHOUSE_PROVIDER_AUTH0_AUDIENCES": APP,
        "GATEHOUSE_PROVIDER_AUTH0_ALLOW_LOOPBACK_HTTP": "true"}


def nonce_of(drawn: str) -> str:
    """What an app has put into the ID token of what it has drawn."""
    return hashlib.sha256(drawn.encode()).hexdigest()


class Phones:
    """What people's phones hold when they have approved, by either way."""

    def __init__(self, carriers: Carriers) -> None:
        parts = urllib.parse.urlsplit(carriers.urls["auth0"])
        self.port, self.base = carriers.ports["auth0"], parts.path
        self.numbers = itertools.count()

    def subscriber(self) -> str:
        return f"person{next(self.numbers) % 200}"

    def with_code(self, client: Client) -> dict[str, str]:
        verifier = pkce.new_verifier()
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "state": "drill", "prompt": "none",
            "scope": "openid profile email", **pkce.parameters(verifier),
            "login_hint": self.subscriber()})
        answer = client.call("GET", f"{self.base}/authorize?{query}")
        back = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)
        return {"provider": "auth0", "code": back["code"][0], "redirect_uri": REDIRECT, "code_verifier": verifier}

    def with_id_token(self, client: Client) -> dict[str, str]:
        drawn = secrets.token_urlsafe(24)
        answer = client.call("POST", f"{self.base}/native", body={
            "client_id": APP, "login_hint": self.subscriber(), "nonce": nonce_of(drawn)})
        return {"provider": "auth0", "id_token": json.loads(answer.body)["id_token"], "nonce": drawn}

    def many(self, kind: Callable[[Client], dict[str, str]]) -> list[list[dict[str, str]]]:
        def some(_: int) -> list[dict[str, str]]:
            with Client(self.port) as client:
                return [kind(client) for _ in range(SIGN_INS // CONNECTIONS)]

        return crowd(CONNECTIONS, some)


def cost(server: Gatehouse, bodies: Sequence[Sequence[dict[str, str]]]) -> tuple[float, list[int]]:
    """The microseconds of processor time that a sign-in takes, and the statuses."""

    def sign_in(number: int) -> list[int]:
        with Client(server.port) as client:
            return [client.call("POST", "/auth/signin", body=body).status for body in bodies[number]]

    began = server.cpu()
    statuses = [status for some in crowd(CONNECTIONS, sign_in, threads=CONNECTIONS) for status in some]
    return (server.cpu() - began) * 1e6 / SIGN_INS, statuses


def run(bench: Bench) -> None:
    with bench.carriers() as carriers, bench.server(carriers, settings=settings(carriers)) as server:
        phones = Phones(carriers)
        # People and keys are known afterwards, whichever comes first.
        cost(server, phones.many(phones.with_code))
        costs: dict[str, list[float]] = {"code": [], "native": []}
        for _ in range(ROUNDS):
            for name, kind in (("code", phones.with_code), ("native", phones.with_id_token)):
                taken, statuses = cost(server, phones.many(kind))
                costs[name].append(taken)
                bench.state(ends_well(name, statuses))
        medians = {name: statistics.median(taken) for name, taken in costs.items()}
        ratio = medians["native"] / medians["code"]
        bench.figure("code_us", medians["code"])
        bench.figure("native_us", medians["native"])
        bench.figure("ratio", ratio)
        bench.state(is_cheap(ratio))


def ends_well(name: str, statuses: Sequence[int]) -> Claim:
    return Claim(set(statuses) == {200}, f"every sign-in of {name} ends well ({tally(statuses)})")


def is_cheap(ratio: float) -> Claim:
    return Claim(ratio <= MOST,
                 f"a sign-in with an ID token takes {ratio:.2f} of the processor time of one with a code")


def self_test() -> None:
    shows([ends_well("code", [200, 200])],
          ("ends well", [ends_well("code", [200, 401])]), ("ends well", [ends_well("code", [])]))
    shows([is_cheap(MOST)], ("of one with a code", [is_cheap(MOST + 0.01)]))
