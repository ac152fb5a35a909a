"""What is done to a service during a history: each fault gives instances, and a function that does harm once."""

import contextlib
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time

from bench import eventually
from history_log import OK, REFUSED
from history_promotion import pair
from history_service import service
from history_world import TIMEOUT
from pooler import pgbouncer
from postgres import NotInstalled, postgres, storage
from store_life import run_tool
from testbed.ports import free_ports
from testbed.process import Process

INSTANCES = 3
# A count of a second, and the look of whoever asks whether an instance is ready.
HEARSAY = 3
# In milliseconds, each way.
SKEW = 1500
RELAYING = re.compile("relaying")


def restart(of):
    """Kills any instance and starts it again."""
    number = of.any()
    of.kill(number)
    time.sleep(random.uniform(0, 0.5))
    of.start(number)


def pause(process):
    """Stops a process for a while, now and then for longer than clients wait."""
    process.child.send_signal(signal.SIGSTOP)
    try:
        time.sleep(random.choice([random.uniform(0.2, 3), random.uniform(0.2, 3), TIMEOUT + 1]))
    finally:
        process.child.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def killed(bench, carriers, name, settings):
    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, lambda: restart(instances)


@contextlib.contextmanager
def stopped(bench, carriers, name, settings):
    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, lambda: pause(instances.servers[instances.any()])


@contextlib.contextmanager
def backend(bench, carriers, name, settings):
    """One process of PostgreSQL's that serves a connection is killed, which takes all others with it, or ended alone."""
    others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"

    def harm():
        if random.random() < 0.5:
            database.ask(f"SELECT pg_terminate_backend(pid) {others}")
        elif found := database.ask(f"SELECT pid {others}"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(found), signal.SIGKILL)
            time.sleep(random.uniform(0.5, 1.5))

    def patient():
        # It takes nobody while it replays its log.
        with contextlib.suppress(RuntimeError):
            harm()

    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, patient


@contextlib.contextmanager
def promotion(bench, carriers, name, settings):
    with pair(bench) as databases, service(
            bench, carriers, name, {**settings, **storage(bench, *databases.servers)}, count=INSTANCES) as instances:
        yield instances, databases.fail_over


@contextlib.contextmanager
def returned(bench, carriers, name, settings):
    """The standby that is promoted may lack what was acknowledged: then, and only then, an operator has it go on."""
    with pair(bench, waits=False) as databases:
        ledger = {"GATEHOUSE_STORAGE_LEDGER": f"file:{bench.folder}/ledger", **storage(bench, *databases.servers)}
        with service(bench, carriers, name, {**settings, **ledger}, count=INSTANCES) as instances:
            yield instances, lambda: go_back(bench, instances, databases)


def go_back(bench, instances, databases):
    if is_behind := random.random() < 0.5:
        databases.standby.cut_off()
        time.sleep(random.uniform(0.1, 1))
    recovery = instances.log.invoke("operator", "recover")
    databases.promote()
    # Who lacks none of its own commits may serve until it hears, within seconds, what others have seen acknowledged.
    time.sleep(HEARSAY)
    standings = []

    def is_settled():
        standings[:] = [instances.standing(number) for number in range(INSTANCES)]
        return any("acknowledged" in standing for standing in standings) or all(map(instances.is_well, range(INSTANCES)))

    eventually(is_settled, 30)
    is_recovered = False
    if lacks := any("acknowledged" in standing for standing in standings):
        folder = os.path.join(bench.folder, f"{instances.name}0")
        done = None

        def goes_on():
            nonlocal done
            done = run_tool(bench, folder, ["recovered"], instances.settings[0])
            return done.returncode == 0

        # A server that has just been promoted may not take everybody in yet: an operator tries again.
        is_recovered = eventually(goes_on, 60)
        bench.claim(is_recovered, f"the store goes on ({done.stderr.strip()})")
    bench.claim(lacks or not is_behind, f"what lacks something serves nobody: {standings}")
    well = [eventually(lambda number=number: instances.is_well(number), 30) for number in range(INSTANCES)]
    bench.claim(all(well), f"every instance is well again ({[instances.standing(number) for number in range(INSTANCES)]})")
    instances.log.end(recovery, OK if is_recovered else REFUSED)
    databases.replace()


@contextlib.contextmanager
def pooled(bench, carriers, name, settings):
    """A pooler in between gives each transaction to any session, those too that a killed instance has left behind."""
    with postgres(bench) as database, pgbouncer(bench, database) as port:
        through = {**storage(bench, database), "GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{port}/postgres",
                   "GATEHOUSE_STORAGE_PREPARED_STATEMENTS": "false"}
        with service(bench, carriers, name, {**settings, **through}, count=INSTANCES) as instances:
            yield instances, lambda: restart(instances)


@contextlib.contextmanager
def silent(bench, carriers, name, settings):
    """The network between an instance and PostgreSQL passes nothing on for a while, and breaks no connection."""
    with postgres(bench) as database, contextlib.ExitStack() as stack:
        relays, ports = [], free_ports(INSTANCES)
        for number, port in enumerate(ports):
            relay = Process(
                [sys.executable, "-B", f"{bench.root}/Drills/relay.py", str(port), f"{database.folder}/.s.PGSQL.5432", "0"],
                os.path.join(bench.folder, f"{name}-relay{number}.log"))
            stack.callback(relay.kill)
            relays.append(relay)
        for relay in relays:
            relay.await_line(RELAYING)
        instances = stack.enter_context(service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES,
            of_instance=lambda number: {"GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{ports[number]}/postgres"}))
        yield instances, lambda: pause(random.choice(relays))


@contextlib.contextmanager
def skewed(bench, carriers, name, settings):
    """The clocks of instances are apart, and are set while they run."""
    if not shutil.which("cc"):
        raise NotInstalled("cc is not installed")
    library = os.path.join(bench.folder, "skewed_clock.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, f"{bench.root}/Drills/skewed_clock.c"], check=True)

    def path(number):
        return os.path.join(bench.folder, f"{name}-clock{number}")

    def set_clock(number, milliseconds):
        with open(path(number), "r+b" if os.path.exists(path(number)) else "wb", buffering=0) as file:
            file.write(struct.pack("=q", milliseconds))

    for number, offset in enumerate((SKEW, 0, -SKEW)):
        set_clock(number, offset)

    def harm():
        set_clock(instances.any(), random.choice([-SKEW, 0, SKEW]))
        time.sleep(random.uniform(0.5, 1.5))

    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES,
            of_instance=lambda number: {"LD_PRELOAD": library, "SKEWED_CLOCK": path(number)}) as instances:
        yield instances, harm


@contextlib.contextmanager
def file_killed(bench, carriers, name, settings):
    with service(bench, carriers, name, settings) as instances:
        yield instances, lambda: restart(instances)


@contextlib.contextmanager
def file_stopped(bench, carriers, name, settings):
    with service(bench, carriers, name, settings) as instances:
        yield instances, lambda: pause(instances.servers[0])


@contextlib.contextmanager
def file_locked(bench, carriers, name, settings):
    """Another process, such as an operator's sqlite3, has a transaction open that writes."""

    def harm():
        other = sqlite3.connect(instances.servers[0].database, isolation_level=None, timeout=5)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            time.sleep(1)
            other.execute("ROLLBACK")

    with service(bench, carriers, name, settings) as instances:
        yield instances, harm


FAULTS = {"kill": killed, "stop": stopped, "backend": backend, "promotion": promotion, "returned": returned, "pooler": pooled, "silent": silent,
          "skew": skewed, "file-kill": file_killed, "file-stop": file_stopped, "file-lock": file_locked}
