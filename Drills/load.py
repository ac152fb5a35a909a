"""Sign-ins by wrk, and what they cost whom. Processor time is told by the process, for all share a machine."""

import os
import random
import re
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from bench import Bench
from claims import Claim, shows
from gatehouse import Gatehouse

SECONDS = int(os.environ.get("DRILL_COST_SECONDS", "10"))
REQUESTS = re.compile(r"(\d+) requests in")
FAILED = re.compile(r"Non-2xx or 3xx responses: (\d+)")
ERRORS = re.compile(r"Socket errors: (.*)")
PERCENTILE = re.compile(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s)$", re.M)
UNITS = {"us": 1e-3, "ms": 1, "s": 1e3}
TICKS = os.sysconf("SC_CLK_TCK")


def postgres_cpu() -> float:
    """The seconds that all processes of PostgreSQL have used which are there; its own counts those that ended."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    head, _, rest = file.read().rpartition(")")
            except OSError:
                continue
            if head.endswith("(postgres"):
                times = rest.split()
                total += int(times[11]) + int(times[12])
    return total / TICKS


@dataclass(frozen=True)
class Cost:
    """What one run came to, for each sign-in: microseconds of processor time, and milliseconds of waiting."""

    a_second: float
    own: float
    database: float
    median: float
    late: float

    def __str__(self) -> str:
        return (f"{self.a_second:.0f} a second, {self.own:.0f} µs here, {self.database:.0f} µs in PostgreSQL, "
                f"{self.median:.1f} ms, {self.late:.1f} ms the slowest hundredth")

    @staticmethod
    def median_of(costs: Sequence["Cost"]) -> "Cost":
        return Cost(*(statistics.median(getattr(cost, one.name) for cost in costs) for one in fields(Cost)))


def sign_in(bench: Bench, servers: Sequence[Gatehouse], connections: int, seconds: int = SECONDS) -> Cost:
    """Has as many connections as are given sign in at all the servers, and tells what it came to."""
    return run(bench, servers, connections, seconds, "signin.lua", {"SEED": str(random.randrange(1, 1 << 31))})


def run(bench: Bench, servers: Sequence[Gatehouse], connections: int, seconds: int, script: str,
        settings: Mapping[str, str]) -> Cost:
    """Has wrk send what a script says, which reads these environment variables."""
    before, database = sum(server.cpu() for server in servers), postgres_cpu()
    began = time.monotonic()
    loads = [subprocess.Popen(
        ["wrk", "--threads=1", f"--connections={connections // len(servers)}", f"--duration={seconds}s",
         "--timeout=30s", "--latency", "--script", f"{bench.root}/Drills/{script}", f"http://127.0.0.1:{server.port}"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, **settings, "LOAD": str(number)})
        for number, server in enumerate(servers)]
    outputs = [load.communicate()[0] for load in loads]
    took = time.monotonic() - began
    own, database = sum(server.cpu() for server in servers) - before, postgres_cpu() - database
    count = sum(requests_in(output) for output in outputs)
    bench.state(succeeded(script, outputs))
    times: dict[str, list[float]] = {"50": [], "99": []}
    for output in outputs:
        for which, number, unit in PERCENTILE.findall(output):
            times[which].append(float(number) * UNITS[unit])
    return Cost(count / min(took, seconds + 1), own / count * 1e6, database / count * 1e6,
                statistics.mean(times["50"] or [0]), max(times["99"] or [0]))


def requests_in(output: str) -> int:
    found = REQUESTS.search(output)
    if not found:
        raise RuntimeError(f"wrk has counted nothing: {output[-500:]}")
    return int(found[1])


def succeeded(script: str, outputs: Sequence[str]) -> Claim:
    """What must be true of what every wrk has printed."""
    failed = sum(int(found[1]) for output in outputs if (found := FAILED.search(output)))
    errors = [found[1] for output in outputs if (found := ERRORS.search(output))]
    return Claim(not failed and not errors, f"every request of {script} succeeds ({failed} do not, {errors})")


def self_test() -> None:
    good = "  1234 requests in 10.00s, 1.00MB read"
    shows(
        [succeeded("signin.lua", [good, good])],
        ("3 do not", [succeeded("signin.lua", [good, f"{good}\n  Non-2xx or 3xx responses: 3"])]),
        ("connect 0", [succeeded("signin.lua", [f"{good}\n  Socket errors: connect 0, read 1, write 0, timeout 0"])]))
