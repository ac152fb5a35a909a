"""Six times as many sign in as can be served: as many as ever are, the others are told to come back, and /readyz is
prompt."""

import contextlib
import os
import resource
import signal
import statistics
import threading
import time
from collections.abc import Sequence

import load
from bench import Bench
from claims import Claim, shows
from closed_loop import IMPATIENT, LOST, Answers, ClosedLoop, NoCompiler, Record
from gatehouse import Gatehouse
from postgres import NotInstalled as NoDatabase
from postgres import postgres, storage
from readiness import Look, Readiness, first_in_line
from ready_made import NotInstalled, ReadyMade
from testbed.process import Process

LONGEST = 1200
SECONDS = int(os.environ.get("DRILL_OVERLOAD_SECONDS", "10"))
# As /readyz is asked ten times a second, its slowest hundredth takes that long to be told from its slowest answer.
LONG = 2 * SECONDS
ROUNDS = int(os.environ.get("DRILL_OVERLOAD_ROUNDS", "3"))
# What a crowd begins with, all connecting at once, is not counted.
BEGINNING = 3
# The most sign-ins a second are looked for with so many connections.
PEAKS = (16, 64, 256)
FEW, MANY, TIMES = 1024, 6000, 6
# How long clients wait for an answer; what comes later serves nobody.
PATIENCE, LITTLE_PATIENCE = 5, 2
LEAST_SHARE = 0.8
# Of all so many may wait in vain; the others are served or told in time. A sign-in itself takes a second then, and
# where the machine is slow for a moment two.
UNANSWERED_SHARE = {PATIENCE: 0.01, LITTLE_PATIENCE: 0.05}
LONGEST_READINESS = 0.05
# Written and synced so many times, to tell what the disk takes for it just then.
SYNCS = 20


def run(bench: Bench) -> None:
    try:
        crowds = ClosedLoop(bench)
        with contextlib.ExitStack() as stack:
            carrier = ReadyMade(os.path.join(bench.folder, "ready"), 0)
            stack.callback(carrier.stop)
            with bench.server(carrier, "file", settings=carrier.settings()) as server:
                Overload(bench, crowds, server, "file").measure()
                Overload(bench, crowds, server, "file with a quota", is_judged=False).measure_slowly()
            with postgres(bench) as database:
                settings = {**carrier.settings(), **storage(bench, database)}
                with bench.server(carrier, "postgres", settings=settings) as server:
                    Overload(bench, crowds, server, "postgres").measure()
                    Overload(bench, crowds, server, "postgres with a quota", is_judged=False).measure_slowly()
    except (NotInstalled, NoDatabase, NoCompiler) as error:
        bench.skip(str(error))


class Overload:
    def __init__(self, bench: Bench, crowds: ClosedLoop, server: Gatehouse, name: str, is_judged: bool = True) -> None:
        self.bench, self.crowds, self.server, self.name = bench, crowds, server, name
        # Whether there is time to refuse all whom it can't serve. Where the processor is what is short there is not: a
        # refusal takes a sixth of a sign-in, so refusing six times as many takes all of it. There are figures only.
        self.is_judged = is_judged
        # By what was done meanwhile.
        self.readiness: dict[str, Readiness] = {}

    def measure(self) -> None:
        self.crowds.sign_in(self.server.port, PEAKS[0], BEGINNING).answers()
        found = {count: self.beside(f"{count}", count, pause=0) for count in PEAKS}
        best = max(found, key=lambda count: found[count])
        # With such pauses all together ask six times as often as can be served, however fast they are refused.
        pause = MANY / (TIMES * found[best])
        self.beside(f"{FEW}", FEW, pause=0, seconds=LONG)
        self.beside(f"{MANY}", MANY, pause=0, seconds=LONG)
        self.beside(f"{MANY} who come back when they are told to", MANY, pause=0, returns="told", seconds=LONG)
        self.compare(best, pause)
        self.judge_readiness()

    def measure_slowly(self) -> None:
        """The same of a server that has a part of a processor: what waits in it waits longer than clients do."""
        with Quota(self.server):
            found = self.beside(f"{PEAKS[1]}", PEAKS[1], pause=0)
            self.compare(PEAKS[1], MANY / (TIMES * max(1, found)))

    def compare(self, best: int, pause: float) -> None:
        for patience in (PATIENCE, LITTLE_PATIENCE):
            what = f"{TIMES} times the peak, {patience} s of patience"
            # In turns, for neither the machine nor a database that grows is the same all the time.
            pairs = [(self.beside(f"{best}", best, pause=0), self.beside(what, MANY, pause=pause, patience=patience))
                     for _ in range(ROUNDS)]
            peak, good = (statistics.median(rates) for rates in zip(*pairs, strict=True))
            self.bench.figure(f"{self.name}_{patience}s".replace(" ", "_"), f"{good:.0f} of {peak:.0f}")
            self.bench.state(keeps_up(f"{self.name}, {what}", good, peak, self.is_judged))

    def beside(self, what: str, count: int, pause: float, patience: int = PATIENCE, returns: str = "soon",
               seconds: int = SECONDS) -> float:
        """Has so many clients sign in, asks whether the server is ready meanwhile, and tells how many are signed in a
        second."""
        sync = sync_time(self.bench.folder)
        before, began = Used(self.server), time.monotonic()
        with Readiness(self.server) as readiness:
            answers = self.crowds.sign_in(
                self.server.port, count, seconds, pause=pause, patience=patience, returns=returns).answers()
        used = Used(self.server).since(before, time.monotonic() - began)
        self.readiness.setdefault(what, Readiness(self.server)).seen += readiness.seen
        good, refused = answers.of(200), answers.of(503)
        name, a_second = f"{self.name}, {what}", good.a_second(BEGINNING, seconds)
        self.bench.note(
            f"{name}: {a_second:.0f} signed in a second of {answers.a_second(BEGINNING, seconds):.0f} answered, p50 "
            f"{good.quantile(.5) * 1000:.0f} ms, p99 {good.quantile(.99) * 1000:.0f}; refusals p50 "
            f"{refused.quantile(.5) * 1000:.1f}, p99 {refused.quantile(.99) * 1000:.0f}; {answers.tally()}; {used}; "
            f"a sync took {sync * 1000:.1f} ms")
        self.bench.state(*are_served_or_told(name, answers, patience, self.is_judged))
        return a_second

    def judge_readiness(self) -> None:
        for what, readiness in self.readiness.items():
            prompt, name = readiness.quantile(0.99), f"{self.name}, {what}"
            self.bench.note(f"{name}: /readyz p50 {readiness.quantile(.5) * 1000:.1f} ms, p99 {prompt * 1000:.1f}, "
                            f"longest {readiness.quantile(1) * 1000:.0f} of {len(readiness.seen)}")
            self.bench.state(*is_ready(name, prompt, readiness.seen))


def keeps_up(name: str, good: float, peak: float, is_judged: bool) -> Claim:
    """What must be true of how many are signed in a second, then and at the peak."""
    return Claim(good >= LEAST_SHARE * peak or not is_judged,
                 f"{name}: {good:.0f} a second are signed in, of {peak:.0f} at the peak at least {LEAST_SHARE}")


def are_served_or_told(name: str, answers: Answers, patience: int, is_judged: bool) -> list[Claim]:
    vain, lost = len(answers.of(IMPATIENT)), len(answers.of(LOST))
    return [
        Claim(not answers.untold(), f"{name}: refusals have Retry-After ({answers.untold()} do not)"),
        Claim(vain <= UNANSWERED_SHARE[patience] * len(answers) or not is_judged,
              f"{name}: who is not served within {patience} s is told ({vain} of {len(answers)} wait in vain)"),
        Claim(not lost, f"{name}: no connection is lost ({lost} are)")]


def is_ready(name: str, prompt: float, seen: Sequence[Look]) -> list[Claim]:
    """What must be true of the slowest hundredth of /readyz, and of all that it said."""
    unready = sum(look.status != 200 for look in seen)
    return [Claim(prompt <= LONGEST_READINESS,
                  f"{name}: p99 of /readyz is {prompt * 1000:.1f} ms, {LONGEST_READINESS * 1000:.0f} at most"),
            Claim(not unready, f"{name}: it is ready all the time ({unready} times of {len(seen)} not)")]


class Quota:
    """Lets a process run for a part of the time only, as a container's quota of the processor does."""

    PERIOD, SHARE = 0.1, 0.15

    def __init__(self, process: Process) -> None:
        self.process = process
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.hold)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self.thread.join()

    def hold(self) -> None:
        first_in_line()
        while not self.is_over.wait(self.PERIOD * self.SHARE):
            self.process.child.send_signal(signal.SIGSTOP)
            time.sleep(self.PERIOD * (1 - self.SHARE))
            self.process.child.send_signal(signal.SIGCONT)


class Used:
    """The seconds of processor time that have been used, by whom."""

    def __init__(self, server: Gatehouse) -> None:
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
        # All but idle and waiting for a disk.
        self.machine = (sum(fields) - fields[3] - fields[4]) / load.TICKS
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        self.server, self.postgres = server.cpu(), load.postgres_cpu()
        self.clients = sum(usage.ru_utime + usage.ru_stime for usage in own)

    def since(self, before: "Used", seconds: float) -> str:
        server, postgres, clients, machine = (used / seconds for used in (
            self.server - before.server, self.postgres - before.postgres, self.clients - before.clients,
            self.machine - before.machine))
        # A provider takes little; what else others have is missing here.
        return (f"cores: server {server:.2f}, PostgreSQL {postgres:.2f}, clients {clients:.2f}, others "
                f"{machine - server - postgres - clients:.2f}")


def sync_time(folder: str) -> float:
    """How long it takes to have a page on the disk, as a median: what all commits wait for."""
    times = []
    with open(os.path.join(folder, "synced"), "wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = time.monotonic()
            file.write(b"x" * 8192)
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - began)
    return statistics.median(times)


def self_test() -> None:
    shows([keeps_up("file", 80, 100, True), keeps_up("file", 0, 100, False)],
          ("at the peak", [keeps_up("file", 79, 100, True)]))
    good, refused, vain = Record(0, 0.1, 200, None), Record(0, 0.1, 503, 1), Record(0, PATIENCE, IMPATIENT, None)
    answers = [*[good] * 98, refused, vain]

    def of(*more: Record, patience: int = PATIENCE, is_judged: bool = True) -> list[Claim]:
        return are_served_or_told("file", Answers([*answers, *more]), patience, is_judged)

    shows([*of(), *of(*[vain] * 4, patience=LITTLE_PATIENCE), *of(vain, is_judged=False)],
          ("have Retry-After (1 do", of(refused._replace(retry=None))),
          ("2 of 101 wait in vain", of(vain)),
          ("6 of 105 wait in vain", of(*[vain] * 5, patience=LITTLE_PATIENCE)),
          ("(1 are)", of(good._replace(status=LOST))))
    looks = [Look(0, 0.01, 200)]
    shows(is_ready("file", LONGEST_READINESS, looks),
          ("p99 of /readyz", is_ready("file", LONGEST_READINESS + 0.001, looks)),
          ("(1 times of 2 not)", is_ready("file", 0.01, [*looks, Look(0, 0.01, 503)])))
