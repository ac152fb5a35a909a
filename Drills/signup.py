"""Nobody learns from an answer, or from how long it takes, who has signed up: known and unknown names, interleaved at
random."""

import random
import statistics
import time
from collections.abc import Hashable, Mapping

from bench import Bench
from claims import Claim, shows
from testbed.carriers import Carriers
from testbed.client import Client

ROUNDS = 400
WARM_UP = 40
# Of the medians, how far the two kinds may be apart; machines that do other things differ by as much with themselves.
LARGEST_DIFFERENCE = 0.10
HEADERS_OF_EACH = {"date", "x-request-id"}


def settings(carriers: Carriers) -> dict[str, str]:
    url = carriers.urls["beyond"]
    return {
        "GATEHOUSE_PROVIDERS": "zenkey, plain, beyond", "GATEHOUSE_PROVIDER_BEYOND_PROFILE": "beyond-identity",
        "GATEHOUSE_PROVIDER_BEYOND_ISSUER": url,
        "GATEHOUSE_PROVIDER_BEYOND_CLIENT_ID": "gatehouse-beyond",
        "GATEHOUSE_PROVIDER_BEYOND_CLIENT_SECRET": "demo-secret-beyond",
        "GATEHOUSE_PROVIDER_BEYOND_REDIRECT_URIS": "com.example.app:/beyond",
        "GATEHOUSE_PROVIDER_BEYOND_REQUIRE_PKCE": "false",
        "GATEHOUSE_PROVIDER_BEYOND_ALLOW_LOOPBACK_HTTP": "true",
        "GATEHOUSE_PROVIDER_BEYOND_USER_API_URL": f"{url}/v1/manage",
        "GATEHOUSE_PROVIDER_BEYOND_USER_API_TOKEN": "demo-api-token",
        "GATEHOUSE_RATE_LIMIT_SIGN_UPS_PER_MINUTE_PER_ADDRESS": "0"}


def ask(client: Client, path: str, name: str) -> tuple[float, Hashable]:
    """How long an answer took, and all of it that could tell one name from another."""
    began = time.perf_counter()
    answer = client.call("POST", path, body={"username": name, "email": f"{name}@example.com"})
    took = time.perf_counter() - began
    fields = sorted((key, value) for key, value in answer.headers.items() if key not in HEADERS_OF_EACH)
    return took, (answer.status, tuple(fields), answer.body)


def run(bench: Bench) -> None:
    with bench.carriers() as carriers, bench.server(carriers, settings=settings(carriers)) as server, \
            server.client() as client:
        for path in ("/users/signup", "/recover-user"):
            compare(bench, client, path)


def compare(bench: Bench, client: Client, path: str) -> None:
    ask(client, "/users/signup", "jane")
    times: dict[bool, list[float]] = {True: [], False: []}
    answers: set[Hashable] = set()
    for number in range(WARM_UP + ROUNDS):
        kinds = [True, False]
        random.shuffle(kinds)
        for is_known in kinds:
            # Of the same length, so that nothing but who is known differs.
            took, answer = ask(client, path, "jane" if is_known else f"{number:04d}")
            answers.add(answer)
            if number >= WARM_UP:
                times[is_known].append(took)
    medians = {is_known: statistics.median(taken) * 1000 for is_known, taken in times.items()}
    bench.figure(f"known_ms {path}", medians[True])
    bench.figure(f"unknown_ms {path}", medians[False])
    bench.state(*are_alike(path, len(answers), medians))


def are_alike(path: str, different: int, medians: Mapping[bool, float]) -> list[Claim]:
    """What must be true of how many different answers there were, and of how long they took to known and unknown
    names."""
    difference = abs(medians[True] - medians[False]) / max(medians.values())
    return [Claim(different == 1, f"{path}: every answer is the same, to the byte"),
            Claim(difference <= LARGEST_DIFFERENCE, f"{path}: the medians differ by {difference:.0%}")]


def self_test() -> None:
    medians = {True: 10.0, False: 9.0}
    shows([*are_alike("/users/signup", 1, medians), *are_alike("/users/signup", 1, {True: 9.0, False: 10.0})],
          ("to the byte", are_alike("/users/signup", 2, medians)),
          ("differ by 11%", are_alike("/users/signup", 1, {True: 10.0, False: 8.9})),
          ("differ by 11%", are_alike("/users/signup", 1, {True: 8.9, False: 10.0})))
