"""Of two instances on one PostgreSQL one is killed and started again, and the other knows all that it acknowledged."""

import os
import random
import threading
import time
from collections.abc import Mapping, Sequence

from apps import SETTINGS, Answers, App
from bench import Bench, tally
from claims import Claim, shows
from fleet import Fleet
from gatehouse import Gatehouse
from postgres import NotInstalled, postgres, storage
from recall import check, check_chains
from testbed.carriers import Carriers

ROUNDS = int(os.environ.get("DRILL_INSTANCES_ROUNDS", "10"))
LONGEST = 120 + 15 * ROUNDS
APPS = 8
# How long a round goes on before the kill at most, and after the killed one is back.
LONGEST_LOAD, AFTERWARDS = 1.5, 0.5


def run(bench: Bench) -> None:
    try:
        with postgres(bench) as database, bench.carriers() as carriers:
            kill_in_turn(bench, carriers, storage(bench, database))
    except NotInstalled as error:
        bench.skip(str(error))


def kill_in_turn(bench: Bench, carriers: Carriers, storage_settings: Mapping[str, str]) -> None:
    settings = {**SETTINGS, **storage_settings, "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_LOG_LEVEL": "notice"}

    def start(name: str, awaits: bool = True) -> Gatehouse:
        return bench.start(carriers, name, settings=settings, awaits=awaits)

    # The tables are made by both at once.
    fleet, answers = Fleet({name: start(name, awaits=False) for name in ("one", "two")}), Answers()
    apps = [App(f"app{number}", carriers, fleet, answers) for number in range(APPS)]
    try:
        for server in fleet.instances.values():
            server.await_listening()
        for number in range(ROUNDS):
            over = threading.Event()
            threads = [threading.Thread(target=app.work, args=(over,)) for app in apps]
            for thread in threads:
                thread.start()
            name = random.choice(["one", "two"])
            try:
                time.sleep(0.5 + random.uniform(0, LONGEST_LOAD))
                fleet.kill(name)
                fleet.replace(name, start(name))
                time.sleep(AFTERWARDS)
            finally:
                over.set()
                for thread in threads:
                    thread.join()
            check(bench, apps, f"after kill {number}")
        check_chains(bench, apps, "at the end")
        for server in fleet.instances.values():
            bench.state(stops(server.stop()))
    finally:
        for server in fleet.instances.values():
            if server.is_running:
                server.kill()
    report(bench, apps, answers)
    # A sign-in that was cut off may have had its code sent.
    opened = answers.counts["sign-in:200"] + answers.copied
    bench.state(is_sent_once(carriers.requests("token"), opened, answers.cut_off), is_not_refused(answers.refused))


def stops(status: int) -> Claim:
    return Claim(status == 0, "an instance stops in good order")


def is_sent_once(sent: int, opened: int, cut_off: int) -> Claim:
    again = sent - opened - cut_off
    return Claim(again <= 0, f"no code is sent to its provider twice ({again} are)")


def is_not_refused(count: int) -> Claim:
    return Claim(count == 0, f"no request is refused for the store ({count} are)")


def are_right(wrong: Sequence[str]) -> Claim:
    return Claim(not wrong, f"every answer is the one that it should be ({tally(wrong)})")


def report(bench: Bench, apps: Sequence[App], answers: Answers) -> None:
    """Figures and claims of what apps were answered."""
    bench.note("answers: " + "  ".join(f"{name} {count}" for name, count in sorted(answers.counts.items())))
    bench.figure("requests", answers.total)
    bench.figure("cut_off", answers.cut_off)
    bench.figure("users", sum(len(app.users) for app in apps))
    bench.figure("sessions", sum(len(app.sessions) for app in apps))
    bench.figure("signed_out", sum(len(app.ended) for app in apps))
    bench.state(are_right(answers.wrong))


def self_test() -> None:
    shows([stops(0)], ("in good order", [stops(-9)]))
    shows([is_sent_once(10, 8, 2)], ("twice (1 are)", [is_sent_once(11, 8, 2)]))
    shows([is_not_refused(0)], ("(1 are)", [is_not_refused(1)]))
    shows([are_right([])], ("look-up×1", [are_right(["look-up"])]))
