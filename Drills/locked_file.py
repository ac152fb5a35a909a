"""Another process holds the lock of a file: sign-ins wait for it as long as their budget is, and lose nothing."""

import contextlib
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench import Bench, crowd, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import Answer

SIGN_INS = 16
BUDGET, SLACK = 5, 0.1
# How long it is held, and within how many seconds of that sign-ins begin; of the longer one none sees the end.
SHORT, LONG, BEGINNING = 4, 8, 2.5
# How many codes are sent before the lock has been waited for long enough to be seen.
UNSEEN = 1


@dataclass(frozen=True)
class Locked:
    """Sign-ins while the lock was held for some seconds: how long each took, how it was answered, and how many codes
    were sent; and how those were answered who came back with the same code."""

    seconds: int
    times: Sequence[float]
    answers: Sequence[Answer]
    spent: int
    again: Sequence[Answer]

    @property
    def told(self) -> str:
        return tally(f"{answer}" for answer in self.answers)

    def claims(self) -> list[Claim]:
        name, longest = f"locked for {self.seconds} s", max(self.times)
        if self.seconds < BUDGET:
            answered = Claim(all(answer.status == 200 for answer in self.answers),
                             f"{name}: all who waited are signed in ({self.told})")
        else:
            answered = Claim(all(answer.status == 503 and "retry-after" in answer.headers for answer in self.answers),
                             f"{name}: all are refused and told when to come back ({self.told})")
        # Of a code that was on its way before anybody could see the lock the provider says that it was used.
        kept = sum(answer.status == 200 for answer in self.again)
        return [
            answered,
            Claim(longest <= BUDGET + SLACK, f"{name}: every answer comes within {BUDGET} s "
                  f"(sign-in {self.times.index(longest)} in {longest:.2f} s)"),
            Claim(kept == len(self.again) - self.spent and self.spent <= UNSEEN or not self.again,
                  f"{name}: who is told to come back signs in with the same code, but for "
                  f"{UNSEEN} at most ({tally(map(str, self.again))})")]


def locked_file(bench: Bench, carriers: Carriers) -> None:
    with bench.server(carriers, "locked", settings={"GATEHOUSE_STORAGE_REQUEST_SECONDS": str(BUDGET)}) as server:
        for name, seconds in (("short", SHORT), ("long", LONG)):
            spent = carriers.requests("token")
            bodies = [carriers.authorize(f"{name}{number}") for number in range(SIGN_INS)]
            answers = hold(server, seconds, bodies)
            times = [took for took, _ in answers]
            spent = carriers.requests("token") - spent
            again = [server.call("POST", "/auth/signin", body=body)
                     for body, (_, answer) in zip(bodies, answers, strict=True) if "retry-after" in answer.headers]
            seen = Locked(seconds, times, [answer for _, answer in answers], spent, again)
            bench.note(f"locked for {seconds} s: {seen.told}, longest {max(times):.2f} s, {spent} codes sent")
            bench.figure(f"locked_{seconds}_s", max(times))
            bench.state(*seen.claims())


def hold(server: Gatehouse, seconds: float, bodies: Sequence[Mapping[str, str]]) -> list[tuple[float, Answer]]:
    """How long each sign-in took, and how it was answered, while the lock is held for so long from before the first."""
    connection = sqlite3.connect(server.database, isolation_level=None, timeout=5, check_same_thread=False)
    with contextlib.closing(connection) as other:
        other.execute("PRAGMA wal_autocheckpoint=0")
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(seconds, other.execute, ["ROLLBACK"])
        release.start()

        def sign_in(number: int) -> tuple[float, Answer]:
            time.sleep(BEGINNING * number / SIGN_INS)
            began = time.monotonic()
            answer = server.call("POST", "/auth/signin", body=bodies[number])
            return time.monotonic() - began, answer

        answers = crowd(SIGN_INS, sign_in, SIGN_INS)
        release.join()
        return answers


def self_test() -> None:
    good, refused = answer(200), answer(503, headers={"Retry-After": "1"})
    short = Locked(SHORT, [1.0, BUDGET + SLACK], [good, good], 2, [])
    shows(short.claims(),
          ("who waited are signed in", replace(short, answers=[good, refused]).claims()),
          ("(sign-in 1 in 5.11 s)", replace(short, times=[1.0, BUDGET + SLACK + 0.01]).claims()))
    long = Locked(LONG, [5.0, 5.0], [refused, refused], UNSEEN, [good, answer(400)])
    shows(long.claims(),
          ("told when to come back", replace(long, answers=[refused, good]).claims()),
          ("told when to come back", replace(long, answers=[refused, answer(503)]).claims()),
          ("with the same code", replace(long, again=[answer(400)] * 2).claims()),
          ("with the same code", replace(long, spent=UNSEEN + 1, again=[answer(400)] * 2).claims()))
