"""Instances that reach PostgreSQL through pgbouncer in transaction mode, where no session is theirs: nothing is lost or done twice."""

import contextlib
import os
import shutil
import threading
import time

from apps import SETTINGS, Answers, App
from fleet import Fleet
from instances import report
from postgres import NotInstalled, postgres, storage
from recall import check, check_chains
from testbed.ports import free_ports
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
def pgbouncer(bench, database):
    """The port of a pooler before a database."""
    program = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        raise NotInstalled("pgbouncer is not installed")
    port = free_ports(1)[0]
    path = f"{database.folder}/pgbouncer.ini"
    with open(path, "w", encoding="ascii") as file:
        file.write(CONFIGURATION.format(host=database.folder, port=port))
    os.chmod(path, 0o644)
    pooler = Process([*database.owner, program, path], os.path.join(bench.folder, "pgbouncer.log"))
    try:
        yield port
    finally:
        pooler.kill()


def run(bench):
    try:
        with postgres(bench) as database, pgbouncer(bench, database) as port, bench.carriers() as carriers:
            settings = {
                **SETTINGS, **storage(bench, database), "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_LOG_LEVEL": "notice",
                "GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{port}/postgres"}
            # As it is by itself, which has to find out that its sessions are others', and as it is told.
            for name, more in ("found-out", {}), ("told", {"GATEHOUSE_STORAGE_PREPARED_STATEMENTS": "false"}):
                with bench.server(carriers, f"{name}-one", settings={**settings, **more}) as one, \
                        bench.server(carriers, f"{name}-two", settings={**settings, **more}) as two:
                    use(bench, carriers, {"one": one, "two": two}, name)
    except NotInstalled as error:
        bench.skip(str(error))


def use(bench, carriers, servers, name):
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
    bench.claim(answers.refused == 0, f"no request is refused for the store ({answers.refused} are)")
