"""The primary PostgreSQL is killed and its synchronous standby promoted: Gatehouse goes over, and has lost nothing."""

import threading
import time

from apps import SETTINGS, Answers, App
from bench import Bench, eventually
from claims import Claim, shows
from fleet import Fleet
from gatehouse import Gatehouse
from instances import report
from postgres import NotInstalled, Postgres, storage
from postgres_crash import APPS, STATEMENT_SECONDS, TIMES, is_in_time, report_returns, seconds_until_back
from recall import check, check_chains

LOAD_SECONDS, AFTERWARDS = 3, 2
# How long the standby has been out of reach when the primary is killed: some statements are waiting for it then, and
# the first have been given up.
OUT_OF_REACH = 3 * STATEMENT_SECONDS + 0.5


def run(bench: Bench) -> None:
    servers: list[Postgres] = []
    try:
        # What is acknowledged is on the standby's disk, too.
        servers.append(Postgres(bench, "primary", {"synchronous_standby_names": "standby"}))
        servers.append(Postgres(bench, "standby"))
        primary, standby = servers
        primary.make()
        primary.start()
        primary.await_ready()
        standby.copy(primary)
        standby.start()
        in_step = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        if not bench.state(is_in_step(eventually(lambda: primary.ask(in_step) == "1", 30))):
            return
        with bench.carriers() as carriers:
            settings = {**SETTINGS, **TIMES, **storage(bench, primary, standby), "GATEHOUSE_LOG_LEVEL": "notice"}
            with bench.server(carriers, settings=settings) as server:
                fail_over(bench, primary, standby, server)
    except NotInstalled as error:
        bench.skip(str(error))
    finally:
        for database in servers:
            database.remove()


def fail_over(bench: Bench, primary: Postgres, standby: Postgres, server: Gatehouse) -> None:
    fleet, answers = Fleet({"server": server}), Answers()
    apps = [App(f"app{number}", server.carriers, fleet, answers) for number in range(APPS)]
    over = threading.Event()
    threads = [threading.Thread(target=app.work, args=(over,)) for app in apps]
    for thread in threads:
        thread.start()
    try:
        time.sleep(LOAD_SECONDS)
        standby.cut_off()
        time.sleep(OUT_OF_REACH)
        primary.kill()
        killed = time.monotonic()
        standby.promote()
        promoted = time.monotonic()
        seconds = seconds_until_back(server, "back", promoted)
        bench.figure("promoted_after_s", promoted - killed)
        time.sleep(AFTERWARDS)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    check(bench, apps, "on the standby")
    check_chains(bench, apps, "on the standby")
    bench.state(is_primary(standby.ask("SELECT pg_is_in_recovery()")))
    bench.figure("refused", answers.refused)
    bench.figure("longest_answer_s", answers.slowest)
    report_returns(bench, [seconds])
    report(bench, apps, answers)
    bench.state(is_in_time(answers.slowest))


def is_in_step(holds: bool) -> Claim:
    return Claim(holds, "the standby is in step")


def is_primary(in_recovery: str) -> Claim:
    return Claim(in_recovery == "f", "the standby is one no more")


def self_test() -> None:
    shows([is_in_step(True)], ("in step", [is_in_step(False)]))
    shows([is_primary("f")], ("one no more", [is_primary("t")]))
