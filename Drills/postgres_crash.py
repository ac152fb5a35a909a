"""PostgreSQL is killed under load: Gatehouse says that the store is away, comes back by itself, and has lost nothing."""

import os
import random
import threading
import time

from apps import SETTINGS, Answers, App
from fleet import Fleet
from instances import report
from postgres import NotInstalled, postgres, storage
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
TIMES = {"GATEHOUSE_STORAGE_CONNECT_SECONDS": str(CONNECT_SECONDS), "GATEHOUSE_STORAGE_STATEMENT_SECONDS": str(STATEMENT_SECONDS)}


def run(bench):
    try:
        with postgres(bench) as database, bench.carriers() as carriers:
            settings = {**SETTINGS, **TIMES, **storage(bench, database), "GATEHOUSE_LOG_LEVEL": "notice"}
            with bench.server(carriers, settings=settings) as server:
                kill_again_and_again(bench, database, server)
    except NotInstalled as error:
        bench.skip(str(error))


def kill_again_and_again(bench, database, server):
    fleet, answers = Fleet({"server": server}), Answers()
    apps = [App(f"app{number}", server.carriers, fleet, answers) for number in range(APPS)]
    returns = []
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
    bench.claim(answers.refused > 0, "the store was seen to be away")
    bench.claim(answers.slowest <= LONGEST_ANSWER, f"every answer comes within {LONGEST_ANSWER} s")


def seconds_until_back(server, subscriber, since):
    """How long after that time a sign-in succeeds, tried again and again; None when none does for long."""
    while time.monotonic() < since + 10 * LONGEST_RETURN:
        try:
            if server.sign_in(subscriber).status == 200:
                return max(0.0, time.monotonic() - since)
        except LOST:
            pass
        time.sleep(0.01)
    return None


def report_returns(bench, returns):
    came = sorted(seconds for seconds in returns if seconds is not None)
    if bench.claim(len(came) == len(returns) and came, "sign-ins succeed again without a restart"):
        bench.figure("back_after_s", f"{came[len(came) // 2]:.2f}, at most {came[-1]:.2f}")
        bench.claim(came[-1] <= LONGEST_RETURN, f"they do within {LONGEST_RETURN} s")
