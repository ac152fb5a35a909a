"""Answers of a carrier that are small on the wire and large in memory are given up before they are large."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import MIB, Bench, crowd, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import Answer

# Fewer than the failures in a row after which a carrier is left alone.
BOMBS = 15
# Provider.largestDocument; all answers may come at once.
LARGEST_ANSWER = MIB // 4
LARGEST_GROWTH = BOMBS * LARGEST_ANSWER + 4 * MIB
# How long a failed fetch of metadata or keys is remembered.
FAILURE_SECONDS = 1.2


@dataclass(frozen=True)
class Exploded:
    endpoint: str
    answers: Sequence[Answer]
    # Bytes of memory that the server has taken for them.
    grown: int

    def claims(self) -> list[Claim]:
        return [
            Claim(all(answer.status == 502 and answer.error == "provider_error" for answer in self.answers),
                  f"a bomb at {self.endpoint} is answered with 502 ({tally(self.answers)})"),
            Claim(self.grown <= LARGEST_GROWTH,
                  f"{BOMBS} bombs at {self.endpoint} take bounded memory")]


def goes_on(after: Answer) -> Claim:
    return Claim(after.status == 200, f"the next sign-in succeeds ({after})")


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        for endpoint in ("discovery", "keys", "token", "userinfo"):
            # A server of its own for each: what it has fetched it would not fetch again.
            with bench.server(carriers, name=endpoint) as server:
                explode(bench, carriers, server, endpoint)


def explode(bench: Bench, carriers: Carriers, server: Gatehouse, endpoint: str) -> None:
    # Warms up everything but what belongs to the carrier that is about to misbehave.
    crowd(20, lambda number: server.sign_in(f"warm{number}", issuer="plain"))
    before = server.resident()
    bodies = [carriers.authorize(f"{endpoint}{number}") for number in range(BOMBS)]
    carriers.misbehave("gzip_bomb", endpoint=endpoint)
    answers = crowd(BOMBS, lambda number: server.call("POST", "/auth/signin", body=bodies[number]), threads=BOMBS)
    exploded = Exploded(endpoint, answers, server.resident() - before)
    bench.figure(f"{endpoint}_MiB", exploded.grown / MIB)
    bench.state(*exploded.claims())
    carriers.behave()
    time.sleep(FAILURE_SECONDS)
    bench.state(goes_on(server.sign_in(f"{endpoint}-after")))


def self_test() -> None:
    good = Exploded("token", [answer(502, "provider_error")] * BOMBS, LARGEST_GROWTH)
    shows(
        good.claims(),
        ("is answered with 502", replace(good, answers=[*good.answers, answer(200)]).claims()),
        ("is answered with 502", replace(good, answers=[answer(502)]).claims()),
        ("take bounded memory", replace(good, grown=LARGEST_GROWTH + 1).claims()))
    shows([goes_on(answer(200))], ("the next sign-in", [goes_on(answer(502))]))
