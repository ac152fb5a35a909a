"""Another process holds the lock of a file: sign-ins wait for it as long as their budget is, and lose nothing."""

import contextlib
import sqlite3
import threading
import time

from bench import crowd, tally

SIGN_INS = 16
BUDGET, SLACK = 5, 0.1
# How long it is held, and within how many seconds of that sign-ins begin; of the longer one none sees the end.
SHORT, LONG, BEGINNING = 4, 8, 2.5
# How many codes are sent before the lock has been waited for long enough to be seen.
UNSEEN = 1


def locked_file(bench, carriers):
    with bench.server(carriers, "locked", settings={"GATEHOUSE_STORAGE_REQUEST_SECONDS": str(BUDGET)}) as server:
        for name, seconds in (("short", SHORT), ("long", LONG)):
            spent = carriers.requests("token")
            bodies = [carriers.authorize(f"{name}{number}") for number in range(SIGN_INS)]
            answers = hold(server, seconds, bodies)
            times = [took for took, _ in answers]
            spent = carriers.requests("token") - spent
            told = tally(f"{answer}" for _, answer in answers)
            bench.note(f"locked for {seconds} s: {told}, longest {max(times):.2f} s, {spent} codes sent")
            bench.figure(f"locked_{seconds}_s", max(times))
            if seconds < BUDGET:
                bench.claim(all(answer.status == 200 for _, answer in answers),
                            f"locked for {seconds} s: all who waited are signed in ({told})")
            else:
                bench.claim(all(answer.status == 503 and "retry-after" in answer.headers for _, answer in answers),
                            f"locked for {seconds} s: all are refused and told when to come back ({told})")
            bench.claim(max(times) <= BUDGET + SLACK, f"locked for {seconds} s: every answer comes within {BUDGET} s "
                        f"(sign-in {times.index(max(times))} in {max(times):.2f} s)")
            again = [server.call("POST", "/auth/signin", body=body) for body, (_, answer) in zip(bodies, answers)
                     if "retry-after" in answer.headers]
            # Of a code that was on its way before anybody could see the lock the provider says that it was used.
            kept = sum(answer.status == 200 for answer in again)
            bench.claim(kept == len(again) - spent and spent <= UNSEEN or not again,
                        f"locked for {seconds} s: who is told to come back signs in with the same code, but for "
                        f"{UNSEEN} at most ({tally(map(str, again))})")


def hold(server, seconds, bodies):
    """How long each sign-in took, and how it was answered, while the lock is held for so long from before the first."""
    with contextlib.closing(sqlite3.connect(server.database, isolation_level=None, timeout=5, check_same_thread=False)) as other:
        other.execute("PRAGMA wal_autocheckpoint=0")
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(seconds, other.execute, ["ROLLBACK"])
        release.start()

        def sign_in(number):
            time.sleep(BEGINNING * number / SIGN_INS)
            began = time.monotonic()
            answer = server.call("POST", "/auth/signin", body=bodies[number])
            return time.monotonic() - began, answer

        answers = crowd(SIGN_INS, sign_in, SIGN_INS)
        release.join()
        return answers
