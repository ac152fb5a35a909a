"""A child process and what /proc tells of it."""

import os
import resource
import signal
import subprocess
import sys
import time

# 127.0.0.1 as /proc/net/tcp shows it, which is a number in the order of the machine.
LOOPBACK = f"{int.from_bytes(bytes([127, 0, 0, 1]), sys.byteorder):08X}"


class Process:
    """A started program whose standard output and standard error go to a file."""

    def __init__(self, command, log, environment=None, limits=None):
        """`limits` has limits of setrlimit(2), hard and soft, by their number."""
        self.log = log
        with self.output() as output:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(environment or {})}, preexec_fn=lambda: set_limits(limits or {}))
        self.id = self.child.pid

    def output(self):
        """Where the output goes, as a file that is closed here once the program has it."""
        return open(self.log, "ab")

    def log_text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def await_line(self, pattern, seconds=30):
        """The match of a pattern in the log, once it is there; without one the process is ended."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            match = pattern.search(self.log_text())
            if match:
                return match
            if self.child.poll() is not None:
                break
            time.sleep(0.02)
        self.kill()
        raise RuntimeError(f"{os.path.basename(self.log)} has no {pattern.pattern!r}:\n{self.log_text()[-2000:]}")

    @property
    def is_running(self):
        return self.child.poll() is None

    def resident(self):
        """The resident set in bytes."""
        with open(f"/proc/{self.id}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        return 0

    def cpu(self):
        """The seconds of processor time used so far."""
        with open(f"/proc/{self.id}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self, apart_from=()):
        """How many descriptors are open, without the sockets that are connected to the ports of `apart_from`."""
        apart = sockets_to(apart_from)
        count = 0
        for name in os.listdir(f"/proc/{self.id}/fd"):
            try:
                count += os.readlink(f"/proc/{self.id}/fd/{name}") not in apart
            except FileNotFoundError:
                pass
        return count

    def limit(self, kind, soft):
        """Changes the soft limit of the running process."""
        resource.prlimit(self.id, kind, (soft, resource.prlimit(self.id, kind)[1]))

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()

    def stop(self, seconds=40):
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


def set_limits(limits):
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def sockets_to(ports):
    """The sockets that are connected to one of the ports of 127.0.0.1, as /proc/PID/fd shows them."""
    found = set()
    ends = {f"{LOOPBACK}:{port:04X}" for port in ports}
    if ports:
        with open("/proc/net/tcp", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if fields[2] in ends:
                    found.add(f"socket:[{fields[9]}]")
    return found
