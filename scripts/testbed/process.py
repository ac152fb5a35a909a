"""A child process and what /proc tells of it."""

import contextlib
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, TypeVar

# 127.0.0.1 as /proc/net/tcp shows it, which is a number in the order of the machine.
LOOPBACK = f"{int.from_bytes(bytes([127, 0, 0, 1]), sys.byteorder):08X}"
START_SECONDS = 60

Found = TypeVar("Found")


class Process:
    """A started program whose standard output and standard error go to a file."""

    def __init__(self, command: Sequence[str], log: str, environment: Mapping[str, str] | None = None,
                 limits: Mapping[int, int] | None = None, kept: Sequence[int] = ()) -> None:
        """`limits` has limits of setrlimit(2), hard and soft, by their number; `kept` are descriptors that it gets."""
        self.log = log
        with self.output() as output:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(environment or {})}, pass_fds=kept,
                preexec_fn=lambda: set_limits(limits or {}))
        self.id = self.child.pid

    def output(self) -> BinaryIO:
        """Where the output goes, as a file that is closed here once the program has it."""
        return open(self.log, "ab")

    def log_text(self) -> str:
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def await_line(self, pattern: re.Pattern[str], seconds: float = 30) -> re.Match[str]:
        """The match of a pattern in the log, once it is there; without one the process is ended."""
        return self.awaited(lambda: pattern.search(self.log_text()), seconds, f"has no {pattern.pattern!r}")

    def await_port(self, port: int, seconds: float = START_SECONDS) -> None:
        """Waits until somebody listens there; when nobody comes to, the process is ended."""
        self.awaited(lambda: listens(port) or None, seconds, f"is of one that does not listen on {port}")

    def awaited(self, look: Callable[[], Found | None], seconds: float, what_is_wrong: str) -> Found:
        """What is found, once it is; when it never is, the process is ended, and the error has the end of its log."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (found := look()) is not None:
                return found
            if self.child.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        raise RuntimeError(f"{os.path.basename(self.log)} {what_is_wrong}:\n{self.log_text()[-2000:]}")

    @property
    def is_running(self) -> bool:
        return self.child.poll() is None

    def resident(self) -> int:
        """The resident set in bytes."""
        with open(f"/proc/{self.id}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        return 0

    def cpu(self) -> float:
        """The seconds of processor time used so far."""
        with open(f"/proc/{self.id}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self, apart_from: Iterable[int] = ()) -> int:
        """How many descriptors are open, without the sockets that are connected to the ports of `apart_from`."""
        apart = sockets_to(set(apart_from))
        count = 0
        for name in os.listdir(f"/proc/{self.id}/fd"):
            with contextlib.suppress(FileNotFoundError):
                count += os.readlink(f"/proc/{self.id}/fd/{name}") not in apart
        return count

    def limit(self, kind: int, soft: int) -> None:
        """Changes the soft limit of the running process."""
        resource.prlimit(self.id, kind, (soft, resource.prlimit(self.id, kind)[1]))

    def kill(self) -> None:
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def stop(self, seconds: float = 40) -> int:
        """Stops it in good order.

        Returns its status; kills it when it takes longer.
        """
        if self.is_running:
            self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL


@contextlib.contextmanager
def running(command: Sequence[str], port: int | None, log: str,
            environment: Mapping[str, str] | None = None) -> Iterator[Process]:
    """Starts a server with a log of its own and waits until it listens; stops it at the end.

    Without a port, its starter has to wait."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(log)
    process = Process(command, log, environment)
    try:
        if port is not None:
            process.await_port(port)
        yield process
    finally:
        process.stop(15)


def listens(port: int) -> bool:
    """Whether somebody listens on a port of the loopback address."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def set_limits(limits: Mapping[int, int]) -> None:
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def sockets_to(ports: set[int]) -> set[str]:
    """The sockets that are connected to one of the ports of 127.0.0.1, as /proc/PID/fd shows them."""
    found: set[str] = set()
    ends = {f"{LOOPBACK}:{port:04X}" for port in ports}
    if ports:
        with open("/proc/net/tcp", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if fields[2] in ends:
                    found.add(f"socket:[{fields[9]}]")
    return found
