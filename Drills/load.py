"""Sign-ins by wrk, and what they cost whom. Processor time is told by the process, for all share a machine."""

import os
import random
import re
import statistics
import subprocess
import time

SECONDS = int(os.environ.get("DRILL_COST_SECONDS", "10"))
REQUESTS = re.compile(r"(\d+) requests in")
FAILED = re.compile(r"Non-2xx or 3xx responses: (\d+)")
ERRORS = re.compile(r"Socket errors: (.*)")
PERCENTILE = re.compile(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s)$", re.M)
UNITS = {"us": 1e-3, "ms": 1, "s": 1e3}
TICKS = os.sysconf("SC_CLK_TCK")


def postgres_cpu():
    """The seconds that all processes of PostgreSQL have used which are still there; the server's own counts those that ended."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    head, _, rest = file.read().rpartition(")")
            except OSError:
                continue
            if head.endswith("(postgres"):
                fields = rest.split()
                total += int(fields[11]) + int(fields[12])
    return total / TICKS


class Cost:
    """What one run came to, for each sign-in: microseconds of processor time, and milliseconds of waiting."""

    def __init__(self, a_second, own, database, median, late):
        self.a_second, self.own, self.database, self.median, self.late = a_second, own, database, median, late

    def __str__(self):
        return (f"{self.a_second:.0f} a second, {self.own:.0f} µs here, {self.database:.0f} µs in PostgreSQL, "
                f"{self.median:.1f} ms, {self.late:.1f} ms the slowest hundredth")

    @staticmethod
    def median_of(costs):
        return Cost(*(statistics.median(getattr(cost, name) for cost in costs)
                      for name in ("a_second", "own", "database", "median", "late")))


def sign_in(bench, servers, connections, seconds=SECONDS):
    """Has as many connections as are given sign in at all the servers, and tells what it came to."""
    return run(bench, servers, connections, seconds, "signin.lua", {"SEED": str(random.randrange(1, 1 << 31))})


def run(bench, servers, connections, seconds, script, settings):
    """Has wrk send what a script says, which reads these environment variables."""
    before, database = sum(server.cpu() for server in servers), postgres_cpu()
    began = time.monotonic()
    loads = [subprocess.Popen(
        ["wrk", "--threads=1", f"--connections={connections // len(servers)}", f"--duration={seconds}s", "--timeout=30s",
         "--latency", "--script", f"{bench.root}/Drills/{script}", f"http://127.0.0.1:{server.port}"],
        stdout=subprocess.PIPE, text=True, env={**os.environ, **settings, "LOAD": str(number)})
        for number, server in enumerate(servers)]
    outputs = [load.communicate()[0] for load in loads]
    took = time.monotonic() - began
    own, database = sum(server.cpu() for server in servers) - before, postgres_cpu() - database
    count = sum(int(REQUESTS.search(output)[1]) for output in outputs)
    failed = sum(int(found[1]) for output in outputs if (found := FAILED.search(output)))
    errors = [found[1] for output in outputs if (found := ERRORS.search(output))]
    bench.claim(not failed and not errors, f"every request of {script} succeeds ({failed} do not, {errors})")
    times = {"50": [], "99": []}
    for output in outputs:
        for which, number, unit in PERCENTILE.findall(output):
            times[which].append(float(number) * UNITS[unit])
    return Cost(count / min(took, seconds + 1), own / count * 1e6, database / count * 1e6,
                statistics.mean(times["50"] or [0]), max(times["99"] or [0]))
