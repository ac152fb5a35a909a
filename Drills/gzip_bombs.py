"""Answers of a carrier that are small on the wire and large in memory are given up before they are large."""

import time

from bench import MIB, crowd, tally

# Fewer than the failures in a row after which a carrier is left alone.
BOMBS = 15
# Provider.largestDocument; all answers may come at once.
LARGEST_ANSWER = MIB // 4
# How long a failed fetch of metadata or keys is remembered.
FAILURE_SECONDS = 1.2


def run(bench):
    with bench.carriers() as carriers:
        for endpoint in ("discovery", "keys", "token", "userinfo"):
            # A server of its own for each: what it has fetched it would not fetch again.
            with bench.server(carriers, name=endpoint) as server:
                explode(bench, carriers, server, endpoint)


def explode(bench, carriers, server, endpoint):
    # Warms up everything but what belongs to the carrier that is about to misbehave.
    crowd(20, lambda number: server.sign_in(f"warm{number}", issuer="plain"))
    before = server.resident()
    bodies = [carriers.authorize(f"{endpoint}{number}") for number in range(BOMBS)]
    carriers.misbehave("gzip_bomb", endpoint=endpoint)
    answers = crowd(BOMBS, lambda number: server.call("POST", "/auth/signin", body=bodies[number]), threads=BOMBS)
    grown = server.resident() - before
    bench.figure(f"{endpoint}_MiB", grown / MIB)
    bench.claim(all(answer.status == 502 and answer.error == "provider_error" for answer in answers),
                f"a bomb at {endpoint} is answered with 502 ({tally(answers)})")
    bench.claim(grown <= BOMBS * LARGEST_ANSWER + 4 * MIB, f"{BOMBS} bombs at {endpoint} take bounded memory")
    carriers.behave()
    time.sleep(FAILURE_SECONDS)
    after = server.sign_in(f"{endpoint}-after")
    bench.claim(after.status == 200, f"the next sign-in succeeds ({after})")
