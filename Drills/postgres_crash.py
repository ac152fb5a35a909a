"""PostgreSQL is killed under load: Gatehouse says that the store is away, comes back by itself, and has lost
nothing."""

import os
import random
import threading
import time
from collections.abc import Sequence

from apps import SETTINGS, Answers, App
from bench import Bench
from claims import Claim, shows
from fleet import Fleet
from gatehouse import Gatehouse
from instances import report
from postgres import NotInstalled, Postgres, postgres, storage
from recall import check, check_chains
from testbed.client import LOST

ROUNDS = int(os.environ.get("DRILL_POSTGRES_CRASH_ROUNDS", "50"))
LONGEST = 120 + 15 * ROUNDS
APPS = 6
# How long it is up before a kill, and away after it: mostly so shortly that requests wait for it to come back, and at
# times so long that none can.
LONGEST_LOAD, LONGEST_AWAY = 1.0, 1.0
LONG_AWAY_EVERY = 5
# How much of each app is asked for after a round; all of it at the end.
NEWEST = 200
CONNECT_SECONDS, STATEMENT_SECONDS = 2, 2
# A sign-in has work of several statements, which have twice the time of one, and the claim of its code before. Apps and
# all servers share a machine here.
LONGEST_ANSWER = 3 * STATEMENT_SECONDS + CONNECT_SECONDS + 1
# Connections come back at most two seconds after the server has.
LONGEST_RETURN = 3
TIMES = {"GATEHOUSE_STORAGE_CONNECT_SECONDS": str(CONNECT_SECONDS),
         "GATEHOUSE_STORAGE_STATEMENT_SECONDS": str(STATEMENT_SECONDS)}


def run(bench: Bench) -> None:
    try:
        with postgres(bench) as database, bench.carriers() as carriers:
            settings = {**SETTINGS, **TIMES, **storage(bench, database), "GATEHOUSE_LOG_LEVEL": "notice"}
            with bench.server(carriers, settings=settings) as server:
                kill_again_and_again(bench, database, server)
    except NotInstalled as error:
        bench.skip(str(error))


def kill_again_and_again(bench: Bench, database: Postgres, server: Gatehouse) -> None:
    fleet, answers = Fleet({"server": server}), Answers()
    apps = [App(f"app{number}", server.carriers, fleet, answers) for number in range(APPS)]
    returns: list[float | None] = []
    for number in range(ROUNDS):
        over = threading.Event()
        threads = [threading.Thread(target=app.work, args=(over,)) for app in apps]
        for thread in threads:
            thread.start()
        try:
            time.sleep(0.3 + random.uniform(0, LONGEST_LOAD))
            database.kill()
            time.sleep(random.uniform(0, LONGEST_AWAY) + (0 if number % LONG_AWAY_EVERY else 2 * STATEMENT_SECONDS))
            database.start()
            returns.append(seconds_until_back(server, f"back{number}", database.await_ready()))
        finally:
            over.set()
            for thread in threads:
                thread.join()
        check(bench, apps, f"after kill {number}", newest=NEWEST)
    check(bench, apps, "at the end")
    check_chains(bench, apps, "at the end")
    bench.figure("kills", ROUNDS)
    bench.figure("refused", answers.refused)
    bench.figure("longest_answer_s", answers.slowest)
    report_returns(bench, returns)
    report(bench, apps, answers)
    bench.state(is_seen(answers.refused), is_in_time(answers.slowest))


def is_seen(refused: int) -> Claim:
    return Claim(refused > 0, "the store was seen to be away")


def is_in_time(slowest: float) -> Claim:
    return Claim(slowest <= LONGEST_ANSWER, f"every answer comes within {LONGEST_ANSWER} s")


def seconds_until_back(server: Gatehouse, subscriber: str, since: float) -> float | None:
    """How long after that time a sign-in succeeds, tried again and again; None when none does for long."""
    while time.monotonic() < since + 10 * LONGEST_RETURN:
        try:
            if server.sign_in(subscriber).status == 200:
                return max(0.0, time.monotonic() - since)
        except LOST:
            pass
        time.sleep(0.01)
    return None


def report_returns(bench: Bench, returns: Sequence[float | None]) -> None:
    came = sorted(seconds for seconds in returns if seconds is not None)
    if bench.state(come_back(returns, came)):
        bench.figure("back_after_s", f"{came[len(came) // 2]:.2f}, at most {came[-1]:.2f}")
        bench.state(come_soon(came))


def come_back(returns: Sequence[float | None], came: Sequence[float]) -> Claim:
    return Claim(len(came) == len(returns) and bool(came), "sign-ins succeed again without a restart")


def come_soon(came: Sequence[float]) -> Claim:
    return Claim(max(came) <= LONGEST_RETURN, f"they do within {LONGEST_RETURN} s")


def self_test() -> None:
    shows([is_seen(1)], ("seen to be away", [is_seen(0)]))
    shows([is_in_time(LONGEST_ANSWER)], ("every answer", [is_in_time(LONGEST_ANSWER + 0.01)]))
    shows([come_back([1.0, 2.0], [1.0, 2.0])],
          ("succeed again", [come_back([1.0, None], [1.0])]), ("succeed again", [come_back([], [])]))
    shows([come_soon([0.5, LONGEST_RETURN])], ("they do within", [come_soon([0.5, LONGEST_RETURN + 0.01])]))
