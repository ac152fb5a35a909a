"""What a sign-in with an app's ID token costs the server beside one with a code, in turns, at the same provider: nothing is asked
of the provider. For a machine that does nothing else."""

import base64
import hashlib
import itertools
import json
import secrets
import statistics
import urllib.parse

from bench import crowd, tally
from testbed.client import Client

CONNECTIONS = 64
SIGN_INS = 3200
ROUNDS = 3
# The rest is the same for both: the ID token's signature, ours, the store's transaction, and the app's request and
# answer.
MOST = 0.75
CLIENT, APP, REDIRECT = "gatehouse-auth0", "gatehouse-auth0-app", "com.example.app:/callback"


def settings(carriers):
    return {
        "GATEHOUSE_PROVIDERS": "zenkey, plain, auth0", "GATEHOUSE_PROVIDER_AUTH0_PROFILE": "auth0",
        "GATEHOUSE_PROVIDER_AUTH0_ISSUER": f"{carriers.urls['auth0']}/", "GATEHOUSE_PROVIDER_AUTH0_CLIENT_ID": CLIENT,
        "GATEHOUSE_PROVIDER_AUTH0_CLIENT_SECRET": "demo-secret-auth0", "GATEHOUSE_PROVIDER_AUTH0_REDIRECT_URIS": REDIRECT,
        "GATEHOUSE_PROVIDER_AUTH0_AUDIENCES": APP, "GATEHOUSE_PROVIDER_AUTH0_ALLOW_LOOPBACK_HTTP": "true"}


def digest(text):
    return hashlib.sha256(text.encode())


class Phones:
    """What people's phones hold when they have approved, by either way."""

    def __init__(self, carriers):
        parts = urllib.parse.urlsplit(carriers.urls["auth0"])
        self.port, self.base = parts.port, parts.path
        self.numbers = itertools.count()

    def subscriber(self):
        return f"person{next(self.numbers) % 200}"

    def with_code(self, client):
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(digest(verifier).digest()).rstrip(b"=").decode()
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "state": "drill", "prompt": "none",
            "scope": "openid profile email", "code_challenge": challenge, "code_challenge_method": "S256",
            "login_hint": self.subscriber()})
        answer = client.call("GET", f"{self.base}/authorize?{query}")
        back = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["location"]).query)
        return {"provider": "auth0", "code": back["code"][0], "redirect_uri": REDIRECT, "code_verifier": verifier}

    def with_id_token(self, client):
        drawn = secrets.token_urlsafe(24)
        answer = client.call("POST", f"{self.base}/native", body={
            "client_id": APP, "login_hint": self.subscriber(), "nonce": digest(drawn).hexdigest()})
        return {"provider": "auth0", "id_token": json.loads(answer.body)["id_token"], "nonce": drawn}

    def many(self, kind):
        def some(_):
            with Client(self.port) as client:
                return [kind(client) for _ in range(SIGN_INS // CONNECTIONS)]

        return crowd(CONNECTIONS, some)


def cost(server, bodies):
    """The microseconds of processor time that a sign-in takes, and the statuses."""

    def sign_in(number):
        with Client(server.port) as client:
            return [client.call("POST", "/auth/signin", body=body).status for body in bodies[number]]

    began = server.cpu()
    statuses = [status for some in crowd(CONNECTIONS, sign_in, threads=CONNECTIONS) for status in some]
    return (server.cpu() - began) * 1e6 / SIGN_INS, statuses


def run(bench):
    with bench.carriers() as carriers, bench.server(carriers, settings=settings(carriers)) as server:
        phones = Phones(carriers)
        # People and keys are known afterwards, whichever comes first.
        cost(server, phones.many(phones.with_code))
        costs = {"code": [], "native": []}
        for _ in range(ROUNDS):
            for name, kind in (("code", phones.with_code), ("native", phones.with_id_token)):
                taken, statuses = cost(server, phones.many(kind))
                costs[name].append(taken)
                bench.claim(set(statuses) == {200}, f"every sign-in of {name} ends well ({tally(statuses)})")
        medians = {name: statistics.median(taken) for name, taken in costs.items()}
        ratio = medians["native"] / medians["code"]
        bench.figure("code_us", medians["code"])
        bench.figure("native_us", medians["native"])
        bench.figure("ratio", ratio)
        bench.claim(ratio <= MOST, f"a sign-in with an ID token takes {ratio:.2f} of the processor time of one with a code")
