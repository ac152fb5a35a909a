"""The unit of systemd: how much it leaves open, whether it permits what the server asks of the system, what a service
manager hears, and restarts under load with sockets that stay open."""

import fcntl
import functools
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence

from bench import Bench, eventually, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import LOST, Client

LONGEST = 600
EXPOSURE = 2.0
RESTARTS = int(os.environ.get("DRILL_UNIT_RESTARTS", "20"))
LOAD = 8
# What the processes of this drill do before the server is there, or for the tracer.
NOT_OURS = {"execve", "arch_prctl", "restart_syscall"}
# The server goes on without: the unit sets the limits, and SQLite gives its files to their folder's owner only as root,
# as which no unit of ours runs.
DISPENSABLE = {"prlimit64", "setrlimit", "fchown"}
CALL = re.compile(r"^(?:\d+ +)?(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)", re.MULTILINE)


def run(bench: Bench) -> None:
    folder = os.path.join(bench.root, "Config", "systemd")
    if shutil.which("systemd-analyze"):
        judge(bench, folder)
    else:
        bench.skip("systemd-analyze is not installed")
    with bench.carriers() as carriers:
        if shutil.which("systemd-analyze") and shutil.which("strace"):
            watch_calls(bench, carriers)
        else:
            bench.skip("strace or systemd-analyze is not installed")
        restart(bench, carriers)


# MARK: The unit as it is written


def judge(bench: Bench, folder: str) -> None:
    # The program is not where the unit has it.
    stage = os.path.join(bench.folder, "units")
    shutil.copytree(folder, stage)
    service = os.path.join(stage, "gatehouse.service")
    with open(service, encoding="utf-8") as file:
        text = file.read()
    with open(service, "w", encoding="utf-8") as file:
        file.write(text.replace("/usr/bin/gatehouse", f"{bench.binaries}/gatehouse"))
    units = [os.path.join(stage, name) for name in sorted(os.listdir(stage))]
    checked = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    security = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", service], capture_output=True, text=True)
    found = re.search(r"Overall exposure level for gatehouse\.service: ([0-9.]+)", security.stdout)
    exposure = float(found[1]) if found else 10.0
    bench.figure("exposure", exposure)
    bench.state(*is_sound(checked.stdout + checked.stderr, exposure))
    bench.state(*outlives(text, *(open_text(unit) for unit in units if unit.endswith(".socket"))))


def open_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_sound(said: str, exposure: float) -> list[Claim]:
    said = "\n".join(line for line in said.splitlines() if "Failed to" not in line)
    return [Claim(not said.strip(), f"systemd finds nothing wrong with the units ({said.strip()})"),
            Claim(exposure <= EXPOSURE, f"the service is exposed by at most {EXPOSURE} ({exposure})")]


def outlives(service: str, *sockets: str) -> list[Claim]:
    tied = [text for text in sockets if re.search(r"^(PartOf|BindsTo)=", text, re.MULTILINE)]
    return [Claim(not tied, "a restart of the service leaves the sockets alone"),
            Claim("\nSockets=gatehouse.socket" in service, "the service has its socket however it is started")]


# MARK: What the server asks of the system


def watch_calls(bench: Bench, carriers: Carriers) -> None:
    trace = os.path.join(bench.folder, "calls")
    wrapper = os.path.join(bench.folder, "traced.sh")
    with open(wrapper, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nexec strace -f -qq -o {trace} -e signal=none {bench.binaries}/gatehouse \"$@\"\n")
    os.chmod(wrapper, 0o700)
    server = bench.start(carriers, "traced", executable=wrapper)
    try:
        token = server.sign_in("traced").json["refresh_token"]
        server.refresh(str(token))
        child = int(subprocess.check_output(["pgrep", "-P", str(server.id)], text=True).split()[0])
        os.kill(child, signal.SIGHUP)
        server.await_line(re.compile("were read again"))
        os.kill(child, signal.SIGTERM)
        server.child.wait(60)
    finally:
        if server.is_running:
            server.kill()
    made = set(CALL.findall(open_text(trace))) - NOT_OURS
    bench.figure("system_calls", len(made))
    unit = os.path.join(bench.root, "Config", "systemd", "gatehouse.service")
    bench.state(*permits(permitted(open_text(unit)), made))


def permitted(service: str) -> set[str]:
    """What the filters of the unit leave, one after the other."""
    allowed: set[str] = set()
    for filtered in re.findall(r"^SystemCallFilter=(.*)$", service, re.MULTILINE):
        names = set[str]().union(*(
            members(name) if name.startswith("@") else {name} for name in filtered.removeprefix("~").split()))
        allowed = allowed - names if filtered.startswith("~") else allowed | names
    return allowed


def members(group: str) -> set[str]:
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", group], check=True, capture_output=True, text=True).stdout
    names: set[str] = set()
    for line in listed.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            names |= members(name)
        elif name and not name.startswith("#"):
            names.add(name)
    return names


def permits(allowed: set[str], made: set[str]) -> list[Claim]:
    refused = sorted(made - allowed - DISPENSABLE)
    return [Claim(len(made) > 30, f"the calls are seen ({len(made)})"),
            Claim(not refused, f"the unit permits all that the server asks of the system ({refused})")]


# MARK: Restarts


def is_longer(waits: Sequence[float], count: int) -> bool:
    return len(waits) > count


class Activation:
    """A socket that stays open from one server to the next, as a service manager's does."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port: int = self.listening.getsockname()[1]
        # Not 3, which it is to be later.
        self.number = fcntl.fcntl(self.listening, fcntl.F_DUPFD, 100)

    def program(self, executable: str) -> str:
        """What gives the socket to that executable: a shell that says which process it is for, and then is that
        process."""
        path = os.path.join(self.folder, f"activated-{len(os.listdir(self.folder))}.sh")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                f"#!/bin/bash\nexec 3<&{self.number} {self.number}<&-\n"
                "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http\n"
                f"exec setpriv --bounding-set=-sys_nice {executable} \"$@\"\n")
        os.chmod(path, 0o700)
        return path

    def close(self) -> None:
        self.listening.close()
        os.close(self.number)


def restart(bench: Bench, carriers: Carriers) -> None:
    activation = Activation(bench.folder)
    port, number = activation.port, activation.number
    wrapper = activation.program(f"{bench.binaries}/gatehouse")
    over = threading.Event()
    waits, failed = list[float](), list[str]()

    def ask() -> None:
        while not over.is_set():
            at = time.monotonic()
            try:
                with Client(port) as client:
                    answer = client.call("GET", "/healthz")
                waits.append(time.monotonic() - at)
                if answer.status != 200:
                    failed.append(str(answer))
            except LOST as error:
                failed.append(repr(error))

    threads = [threading.Thread(target=ask) for _ in range(LOAD)]
    server: Gatehouse | None = None
    ends: list[int] = []
    strange: list[str] = []
    try:
        for turn in range(RESTARTS):
            server = bench.start(carriers, "activated-server", executable=wrapper, kept=[number])
            if turn == 0:
                for thread in threads:
                    thread.start()
            eventually(functools.partial(is_longer, waits, len(waits) + 200), 30)
            ends.append(server.stop())
            strange += foreign(server.log_text())
        server = bench.start(carriers, "activated-server", executable=wrapper, kept=[number])
        over.set()
        for thread in threads:
            thread.join()
        ends.append(server.stop())
    finally:
        over.set()
        if server and server.is_running:
            server.kill()
        activation.close()
    bench.figure("restarts", RESTARTS)
    bench.figure("requests", len(waits))
    bench.figure("longest_wait_ms", round(max(waits) * 1000))
    bench.figure("median_ms", f"{statistics.median(waits) * 1000:.1f}")
    bench.state(*refuses_nobody(failed, ends), is_our_log(strange))


def foreign(log: str) -> list[str]:
    """Lines that a library has written, and not the server."""
    return [line for line in log.splitlines() if not re.match(r"\d{4}-\d\d-\d\dT", line)]


def is_our_log(strange: Sequence[str]) -> Claim:
    return Claim(not strange, f"without a right to priorities there is nothing strange in the log ({strange[:3]})")


def refuses_nobody(failed: Sequence[str], ends: Iterable[int]) -> list[Claim]:
    return [Claim(not failed, f"no request fails over {RESTARTS} restarts ({tally(failed)})"),
            Claim(not any(ends), f"each server stops in good order ({tally(ends)})")]


def self_test() -> None:
    shows(is_sound("", 1.4), ("nothing wrong", is_sound("gatehouse.service:3: Unknown key", 1.4)),
          ("exposed", is_sound("", 2.1)))
    service = "\nSockets=gatehouse.socket"
    shows(outlives(service, "[Socket]"), ("leaves the sockets", outlives(service, "PartOf=gatehouse.service")),
          ("its socket", outlives("", "[Socket]")))
    many = {f"call{number}" for number in range(40)}
    shows(permits(many, many), ("are seen", permits(many, set())), ("permits all", permits(many, many | {"ptrace"})))
    shows([is_our_log(foreign("2026-11-28T13:00:00.000Z notice listening\n"))],
          ("strange", [is_our_log(foreign("Failed to set thread priority"))]))
    shows(refuses_nobody([], [0]), ("no request fails", refuses_nobody(["reset"], [0])),
          ("in good order", refuses_nobody([], [-9])))
