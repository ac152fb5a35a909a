"""PostgreSQL falls silent, and is shut down: every answer comes in time, and at once where it is known."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench import eventually
from claims import Claim, shows
from closed_loop import Answers, Record
from postgres import Postgres
from readiness import Readiness

if TYPE_CHECKING:
    from hot_row import HotRow

CLIENTS, PAUSE = 16, 0.05
# Before the outage, and after the first budget of requests is over.
BEFORE, AFTERWARDS = 1, 4
# An answer may be so much later than its budget; where the outage is known it takes no longer than that.
SLACK, AT_ONCE = 0.1, 0.05
# Each event loop finds out by itself, by the first who has waited in vain there, and so shortly after the first refusal
# of all; /readyz is right after so long.
SETTLED, LONGEST_UNTOLD = 0.25, 5


def away(row: "HotRow", database: Postgres) -> None:
    """`row` has a server and its budget for a request; nothing else needs the database."""
    outage(row, "silent", database.silent)
    outage(row, "shut-down", lambda: ShutDown(database))


class ShutDown:
    def __init__(self, database: Postgres) -> None:
        self.database = database

    def __enter__(self) -> None:
        self.database.shut_down()

    def __exit__(self, *_: object) -> None:
        self.database.start()
        self.database.await_ready()


@dataclass(frozen=True)
class Outage:
    """What clients were answered from before an outage until after it, and what /readyz said."""

    name: str
    budget: float
    comes_back: bool
    answers: Answers
    says_away: bool
    says_back: bool

    def claims(self) -> list[Claim]:
        longest = self.answers.longest
        return [
            Claim(self.comes_back, f"{self.name}: sign-ins succeed again within {LONGEST_UNTOLD} s"),
            Claim(longest <= self.budget + SLACK,
                  f"{self.name}: every answer comes within the budget of {self.budget} s ({longest:.2f} s)"),
            Claim(len(self.answers.of(200, 503)) == len(self.answers) and not self.answers.untold(),
                  f"{self.name}: every answer is 200, or 503 with Retry-After ({self.answers.tally()})"),
            *self.at_once(),
            Claim(self.says_away, f"{self.name}: it is not ready within {LONGEST_UNTOLD} s"),
            Claim(self.says_back, f"{self.name}: it is ready again within {LONGEST_UNTOLD} s")]

    @property
    def seen(self) -> float | None:
        """When the first was refused."""
        return min((record.began + record.took for record in self.answers.of(503).records), default=None)

    def known(self, seen: float) -> Answers:
        """What was asked where the outage is known."""
        return self.answers.since(seen + SETTLED)

    def at_once(self) -> list[Claim]:
        seen = self.seen
        is_seen = Claim(seen is not None, f"{self.name}: it is seen")
        if seen is None:
            return [is_seen]
        known = self.known(seen)
        late = [round(record.began - seen, 2) for record in known.records if record.took > AT_ONCE]
        return [is_seen, Claim(
            len(known) > 0 and known.longest <= AT_ONCE,
            f"{self.name}: where it is known, within {AT_ONCE * 1000:.0f} ms ({known.longest * 1000:.0f} ms; asked so "
            f"many seconds after it was: {late})")]


def outage(row: "HotRow", name: str, fault: Callable[[], AbstractContextManager[None]]) -> None:
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
        comes_back = eventually(row.is_well, LONGEST_UNTOLD)
        well = time.monotonic()
        time.sleep(LONGEST_UNTOLD)
    seen = Outage(
        name, budget, comes_back, answers, readiness.says(False, fault_began + LONGEST_UNTOLD, fault_ended),
        readiness.says(True, well + LONGEST_UNTOLD - 0.5))
    bench.state(*seen.claims())
    if seen.seen is not None:
        known = seen.known(seen.seen)
        bench.note(f"{name}: {answers}; where it is known: {known}")
        bench.figure(f"{name.replace(', ', '_')}_known_ms", known.longest * 1000)


def self_test() -> None:
    budget = 2.0

    def of(*records: Record) -> Answers:
        return Answers(records)

    well, refused = Record(0, 0.01, 200, None), Record(1, budget + SLACK, 503, 1)
    at_once = Record(budget + 2, AT_ONCE, 503, 1)
    good = Outage("silent", budget, True, of(well, refused, at_once), True, True)

    def bad(*records: Record) -> Sequence[Claim]:
        return replace(good, answers=of(*records)).claims()

    shows(good.claims(), ("succeed again", replace(good, comes_back=False).claims()),
          ("within the budget", bad(refused._replace(took=budget + SLACK + 0.01), at_once)),
          ("is 200, or 503", bad(well._replace(status=500), refused, at_once)),
          ("is 200, or 503", bad(well, refused._replace(retry=None), at_once)),
          ("it is seen", bad(well)),
          ("where it is known", bad(well, refused)),
          ("where it is known", bad(well, refused, at_once._replace(took=AT_ONCE + 0.01))),
          ("is not ready", replace(good, says_away=False).claims()),
          ("is ready again", replace(good, says_back=False).claims()))
