"""PostgreSQL falls silent, and is shut down: every answer comes in time, and at once where it is known."""

import time

from bench import eventually
from readiness import Readiness

CLIENTS, PAUSE = 16, 0.05
# Before the outage, and after the first budget of requests is over.
BEFORE, AFTERWARDS = 1, 4
# An answer may be so much later than its budget; where the outage is known it takes no longer than that.
SLACK, AT_ONCE = 0.1, 0.05
# Each event loop finds out by itself, by the first who has waited in vain there, and so shortly after the first refusal
# of all; /readyz is right after so long.
SETTLED, LONGEST_UNTOLD = 0.25, 5


def away(row):
    """`row` has a server, its budget for a request, and a database that nothing else needs."""
    outage(row, "silent", row.database.silent)
    outage(row, "shut-down", lambda: ShutDown(row.database))


class ShutDown:
    def __init__(self, database):
        self.database = database

    def __enter__(self):
        self.database.shut_down()

    def __exit__(self, *_):
        self.database.start()
        self.database.await_ready()


def outage(row, name, fault):
    bench, budget = row.bench, row.budget
    name = f"{row.name}, {name}"
    lasts = budget + AFTERWARDS
    with Readiness(row.server) as readiness:
        began = time.monotonic()
        crowd = row.crowds.sign_in(row.server.port, CLIENTS, BEFORE + lasts, pause=PAUSE)
        time.sleep(BEFORE)
        fault_began = time.monotonic()
        with fault():
            time.sleep(max(0, began + BEFORE + lasts - time.monotonic()))
            answers = crowd.answers()
            fault_ended = time.monotonic()
        bench.claim(eventually(row.is_well, LONGEST_UNTOLD), f"{name}: sign-ins succeed again within {LONGEST_UNTOLD} s")
        well = time.monotonic()
        time.sleep(LONGEST_UNTOLD)
    bench.claim(answers.longest <= budget + SLACK, f"{name}: every answer comes within the budget of {budget} s ({answers.longest:.2f} s)")
    bench.claim(len(answers.of(200, 503)) == len(answers) and not answers.untold(),
                f"{name}: every answer is 200, or 503 with Retry-After ({answers.tally()})")
    refused = answers.of(503).records
    if bench.claim(refused, f"{name}: it is seen"):
        seen = min(asked + took for asked, took, _, _ in refused)
        known = answers.since(seen + SETTLED)
        bench.note(f"{name}: {answers}; where it is known: {known}")
        bench.figure(f"{name.replace(', ', '_')}_known_ms", known.longest * 1000)
        bench.claim(len(known) and known.longest <= AT_ONCE, f"{name}: where it is known, within {AT_ONCE * 1000:.0f} ms "
                    f"({known.longest * 1000:.0f} ms; asked so many seconds after it was: "
                    f"{[round(asked - seen, 2) for asked, took, _, _ in known.records if took > AT_ONCE]})")
    bench.claim(readiness.says(False, fault_began + LONGEST_UNTOLD, fault_ended), f"{name}: it is not ready within {LONGEST_UNTOLD} s")
    bench.claim(readiness.says(True, well + LONGEST_UNTOLD - 0.5), f"{name}: it is ready again within {LONGEST_UNTOLD} s")
