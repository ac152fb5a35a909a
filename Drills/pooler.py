"""Instances that reach PostgreSQL through pgbouncer in transaction mode, where no session is theirs: nothing is lost or
done twice."""

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping

from apps import SETTINGS, Answers, App
from bench import Bench
from claims import shows
from fleet import Fleet
from gatehouse import Gatehouse
from instances import is_not_refused, report
from postgres import NotInstalled, Postgres, postgres, storage
from recall import check, check_chains
from testbed.carriers import Carriers
from testbed.ports import free_port
from testbed.process import Process

APPS, SECONDS = 8, 20
# As little as it says is needed: no session is told how its commits are made, and when its statements end.
CONFIGURATION = """\
[databases]
postgres = host={host} user=gatehouse
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 8
ignore_startup_parameters = options
logfile =
"""


@contextlib.contextmanager
def pgbouncer(bench: Bench, database: Postgres) -> Iterator[int]:
    """The port of a pooler before a database."""
    program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        raise NotInstalled("pgbouncer is not installed")
    port = free_port()
    path = f"{database.folder}/pgbouncer.ini"
    with open(path, "w", encoding="ascii") as file:
        file.write(CONFIGURATION.format(host=database.folder, port=port))
    os.chmod(path, 0o644)
    pooler = Process([*database.owner, program, path], os.path.join(bench.folder, "pgbouncer.log"))
    try:
        yield port
    finally:
        pooler.kill()


def run(bench: Bench) -> None:
    try:
        with postgres(bench) as database, pgbouncer(bench, database) as port, bench.carriers() as carriers:
            settings = {
                **SETTINGS, **storage(bench, database), "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_LOG_LEVEL": "notice",
                "GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{port}/postgres"}
            # As it is by itself, which has to find out that its sessions are others', and as it is told.
            ways: dict[str, dict[str, str]] = {
                "found-out": {}, "told": {"GATEHOUSE_STORAGE_PREPARED_STATEMENTS": "false"}}
            for name, more in ways.items():
                with bench.server(carriers, f"{name}-one", settings={**settings, **more}) as one, \
                        bench.server(carriers, f"{name}-two", settings={**settings, **more}) as two:
                    use(bench, carriers, {"one": one, "two": two}, name)
    except NotInstalled as error:
        bench.skip(str(error))


def use(bench: Bench, carriers: Carriers, servers: Mapping[str, Gatehouse], name: str) -> None:
    answers, over = Answers(), threading.Event()
    apps = [App(f"{name}{number}", carriers, Fleet(servers), answers) for number in range(APPS)]
    threads = [threading.Thread(target=app.work, args=(over,)) for app in apps]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    over.set()
    for thread in threads:
        thread.join()
    check(bench, apps, f"{name}, at the end")
    check_chains(bench, apps, f"{name}, at the end")
    report(bench, apps, answers)
    bench.state(is_not_refused(answers.refused))


def self_test() -> None:
    shows([is_not_refused(0)], ("(2 are)", [is_not_refused(2)]))
