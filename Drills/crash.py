"""Killed at random instants under load, the server loses nothing that it acknowledged."""

import random
import threading
import time

from acknowledged import Acknowledged
from bench import eventually
from damage import flaws
from wire import LOST

ROUNDS = 12
APPS = 6
# Codes are got beforehand, so that what is killed is busy with sign-ins and not waiting for codes.
CODES_PER_APP = 25
LONGEST_ROUND = 0.4


def use(known, bodies, stopped):
    """An app that signs in, and renews what it has, until the server goes away."""
    mine = []
    for body in bodies:
        if stopped.is_set():
            return
        try:
            known.sign_in(None, body=body)
            mine = known.sessions[-1:]
            if random.random() < 0.3:
                known.refresh(mine[0])
        except (*LOST, IndexError):
            return


def run(bench):
    with bench.carriers() as carriers:
        known = Acknowledged(None)
        lost = 0
        for number in range(ROUNDS):
            server = known.server = bench.start(carriers)
            try:
                # What was acknowledged in the round before, first.
                known.check(bench, f"round {number}", newest=APPS * CODES_PER_APP)
                lost += kill_under_load(bench, known, number)
            finally:
                if server.is_running:
                    server.kill()
        found = flaws(server.database)
        bench.claim(found == [], f"the file of a killed server is sound ({found})")
        bench.figure("rounds", ROUNDS)
        bench.figure("cut_off", lost)
        bench.figure("acknowledged", len(known.sessions))
        with bench.server(carriers) as server:
            known.server = server
            known.check(bench, "at the end")
            refreshed = [known.refresh(session) for session in known.sessions if "refresh" in session][-100:]
            bench.claim(all(answer.status == 200 for answer in refreshed), "and the refresh tokens work")
        found = flaws(server.database)
        bench.claim(found == [], f"the file is sound ({found})")


def kill_under_load(bench, known, number):
    """Kills the server in the middle; how many apps were cut off."""
    bodies = [[known.server.carriers.authorize(f"r{number}a{app}n{code}") for code in range(CODES_PER_APP)]
              for app in range(APPS)]
    stopped = threading.Event()
    before = len(known.sessions)
    apps = [threading.Thread(target=use, args=(known, own, stopped)) for own in bodies]
    for app in apps:
        app.start()
    bench.claim(eventually(lambda: len(known.sessions) > before), f"round {number}: somebody is signed in")
    time.sleep(random.uniform(0, LONGEST_ROUND))
    working = sum(app.is_alive() for app in apps)
    known.server.kill()
    stopped.set()
    for app in apps:
        app.join()
    return working
