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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from bench import Bench, eventually
from claims import Claim, shows
from history_log import OK, REFUSED
from history_promotion import Pair, pair
from history_service import Service, service
from history_world import TIMEOUT
from pooler import pgbouncer
from postgres import NotInstalled, postgres, storage
from store_life import run_tool
from testbed.carriers import Carriers
from testbed.ports import free_ports
from testbed.process import Process

INSTANCES = 3
# A count of a second, and the look of those who ask whether an instance is ready.
HEARSAY = 3
# In milliseconds, each way.
SKEW = 1500
RELAYING = re.compile("relaying")


Settings = Mapping[str, str]
# A service, and what does it harm once.
Harmed = Iterator[tuple[Service, Callable[[], None]]]


def restart(of: Service) -> None:
    """Kills any instance and starts it again."""
    number = of.any()
    of.kill(number)
    time.sleep(random.uniform(0, 0.5))
    of.start(number)


def pause(process: Process) -> None:
    """Stops a process for a while, now and then for longer than clients wait."""
    process.child.send_signal(signal.SIGSTOP)
    try:
        time.sleep(random.choice([random.uniform(0.2, 3), random.uniform(0.2, 3), TIMEOUT + 1]))
    finally:
        process.child.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def killed(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, lambda: restart(instances)


@contextlib.contextmanager
def stopped(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, lambda: pause(instances.servers[instances.any()])


@contextlib.contextmanager
def backend(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """One process of PostgreSQL's that serves a connection is killed, which takes all others with it, or only ended."""
    others = ("FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
              "ORDER BY random() LIMIT 1")

    def harm() -> None:
        if random.random() < 0.5:
            database.ask(f"SELECT pg_terminate_backend(pid) {others}")
        elif found := database.ask(f"SELECT pid {others}"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(found), signal.SIGKILL)
            time.sleep(random.uniform(0.5, 1.5))

    def patient() -> None:
        # It takes nobody while it replays its log.
        with contextlib.suppress(RuntimeError):
            harm()

    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES) as instances:
        yield instances, patient


@contextlib.contextmanager
def promotion(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    with pair(bench) as databases, service(
            bench, carriers, name, {**settings, **storage(bench, *databases.servers)}, count=INSTANCES) as instances:
        yield instances, databases.fail_over


@contextlib.contextmanager
def returned(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """The standby that is promoted may lack what was acknowledged: then, and only then, an operator has it go on."""
    with pair(bench, waits=False) as databases:
        ledger = {"GATEHOUSE_STORAGE_LEDGER": f"file:{bench.folder}/ledger", **storage(bench, *databases.servers)}
        with service(bench, carriers, name, {**settings, **ledger}, count=INSTANCES) as instances:
            yield instances, lambda: go_back(bench, instances, databases)


def goes_on(is_recovered: bool, errors: str) -> Claim:
    return Claim(is_recovered, f"the store goes on ({errors})")


def serve_nobody(is_behind: bool, lacks: bool, standings: Sequence[str]) -> Claim:
    """`is_behind` is whether commits may be lacking, and `lacks` whether an instance says that there are such."""
    return Claim(lacks or not is_behind, f"what lacks something serves nobody: {standings}")


def are_well(well: Sequence[bool], standings: Sequence[str]) -> Claim:
    return Claim(all(well), f"every instance is well again ({standings})")


def go_back(bench: Bench, instances: Service, databases: Pair) -> None:
    if is_behind := random.random() < 0.5:
        databases.standby.cut_off()
        time.sleep(random.uniform(0.1, 1))
    recovery = instances.log.invoke("operator", "recover")
    databases.promote()
    # Who lacks none of its own commits may serve until it hears, within seconds, what others have seen acknowledged.
    time.sleep(HEARSAY)
    standings: list[str] = []

    def is_settled() -> bool:
        standings[:] = [instances.standing(number) for number in range(INSTANCES)]
        return (any("acknowledged" in standing for standing in standings)
                or all(map(instances.is_well, range(INSTANCES))))

    eventually(is_settled, 30)
    is_recovered = False
    if lacks := any("acknowledged" in standing for standing in standings):
        folder = os.path.join(bench.folder, f"{instances.name}0")
        errors = ""

        def is_told() -> bool:
            nonlocal errors
            done = run_tool(bench, folder, ["recovered"], instances.settings[0])
            errors = done.stderr.strip()
            return done.returncode == 0

        # A server that has just been promoted may not take everybody in yet: an operator tries again.
        is_recovered = eventually(is_told, 60)
        bench.state(goes_on(is_recovered, errors))
    bench.state(serve_nobody(is_behind, lacks, standings))
    well = [instances.await_one(number) for number in range(INSTANCES)]
    bench.state(are_well(well, [instances.standing(number) for number in range(INSTANCES)]))
    instances.log.end(recovery, OK if is_recovered else REFUSED)
    databases.replace()


@contextlib.contextmanager
def pooled(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """A pooler in between gives each transaction to any session, those too that a killed instance has left behind."""
    with postgres(bench) as database, pgbouncer(bench, database) as port:
        through = {**storage(bench, database), "GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{port}/postgres",
                   "GATEHOUSE_STORAGE_PREPARED_STATEMENTS": "false"}
        with service(bench, carriers, name, {**settings, **through}, count=INSTANCES) as instances:
            yield instances, lambda: restart(instances)


@contextlib.contextmanager
def silent(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """The network between an instance and PostgreSQL passes nothing on for a while, and breaks no connection."""
    with postgres(bench) as database, contextlib.ExitStack() as stack:
        relays, ports = [], free_ports(INSTANCES)
        for number, port in enumerate(ports):
            relay = Process(
                [sys.executable, "-B", f"{bench.root}/Drills/relay.py", str(port), f"{database.folder}/.s.PGSQL.5432",
                 "0"],
                os.path.join(bench.folder, f"{name}-relay{number}.log"))
            stack.callback(relay.kill)
            relays.append(relay)
        for relay in relays:
            relay.await_line(RELAYING)
        instances = stack.enter_context(service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES,
            of_instance=lambda number: {
                "GATEHOUSE_STORAGE_URL": f"postgres://gatehouse@127.0.0.1:{ports[number]}/postgres"}))
        yield instances, lambda: pause(random.choice(relays))


@contextlib.contextmanager
def skewed(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """The clocks of instances are apart, and are set while they run."""
    if not shutil.which("cc"):
        raise NotInstalled("cc is not installed")
    library = os.path.join(bench.folder, "set_clock.so")
    clock = f"{bench.root}/scripts/testbed/set_clock.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, clock], check=True)

    def path(number: int) -> str:
        return os.path.join(bench.folder, f"{name}-clock{number}")

    def set_clock(number: int, milliseconds: int) -> None:
        with open(path(number), "r+b" if os.path.exists(path(number)) else "wb", buffering=0) as file:
            file.write(struct.pack("=q", milliseconds))

    for number, offset in enumerate((SKEW, 0, -SKEW)):
        set_clock(number, offset)

    def harm() -> None:
        set_clock(instances.any(), random.choice([-SKEW, 0, SKEW]))
        time.sleep(random.uniform(0.5, 1.5))

    with postgres(bench) as database, service(
            bench, carriers, name, {**settings, **storage(bench, database)}, count=INSTANCES,
            of_instance=lambda number: {"LD_PRELOAD": library, "SKEWED_CLOCK": path(number)}) as instances:
        yield instances, harm


@contextlib.contextmanager
def file_killed(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    with service(bench, carriers, name, settings) as instances:
        yield instances, lambda: restart(instances)


@contextlib.contextmanager
def file_stopped(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    with service(bench, carriers, name, settings) as instances:
        yield instances, lambda: pause(instances.servers[0])


@contextlib.contextmanager
def file_locked(bench: Bench, carriers: Carriers, name: str, settings: Settings) -> Harmed:
    """Another process, such as an operator's sqlite3, has a transaction open that writes."""

    def harm() -> None:
        other = sqlite3.connect(instances.servers[0].database, isolation_level=None, timeout=5)
        with contextlib.closing(other):
            other.execute("BEGIN IMMEDIATE")
            time.sleep(1)
            other.execute("ROLLBACK")

    with service(bench, carriers, name, settings) as instances:
        yield instances, harm


Fault = Callable[[Bench, Carriers, str, Settings], AbstractContextManager[tuple[Service, Callable[[], None]]]]
FAULTS: dict[str, Fault] = {
    "kill": killed, "stop": stopped, "backend": backend, "promotion": promotion, "returned": returned, "pooler": pooled,
    "silent": silent, "skew": skewed, "file-kill": file_killed, "file-stop": file_stopped, "file-lock": file_locked}


def self_test() -> None:
    shows([goes_on(True, "")], ("goes on", [goes_on(False, "no such store")]))
    shows([serve_nobody(True, True, []), serve_nobody(False, False, [])],
          ("serves nobody", [serve_nobody(True, False, ["200 {}"])]))
    shows([are_well([True, True], [])], ("is well", [are_well([True, False], ["200 {}", "503 {}"])]))
