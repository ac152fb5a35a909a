"""Six times as many sign in as can be served: as many as ever are, the others are told to come back, and /readyz is prompt."""

import contextlib
import os
import statistics

from closed_loop import LOST, ClosedLoop, NoCompiler
from postgres import NotInstalled as NoDatabase
from postgres import postgres, storage
from readiness import Readiness
from ready_made import NotInstalled, ReadyMade

LONGEST = 900
SECONDS = int(os.environ.get("GATEHOUSE_OVERLOAD_SECONDS", "10"))
ROUNDS = int(os.environ.get("GATEHOUSE_OVERLOAD_ROUNDS", "3"))
# What a crowd begins with, all connecting at once, is not counted.
BEGINNING = 3
# The most sign-ins a second are looked for with so many connections.
PEAKS = (16, 64, 256)
FEW, MANY, TIMES = 1024, 6000, 6
# How long clients wait for an answer; what comes later serves nobody.
PATIENCE, LITTLE_PATIENCE = 5, 2
LEAST_SHARE = 0.8
LONGEST_READINESS = 0.05


def run(bench):
    try:
        crowds = ClosedLoop(bench)
        with contextlib.ExitStack() as stack:
            carrier = ReadyMade(os.path.join(bench.folder, "ready"), 0)
            stack.callback(carrier.stop)
            with bench.server(carrier, "file", settings=carrier.settings()) as server:
                Overload(bench, crowds, server, "file").measure()
            with postgres(bench) as database:
                settings = {**carrier.settings(), **storage(bench, database)}
                with bench.server(carrier, "postgres", settings=settings) as server:
                    Overload(bench, crowds, server, "postgres", database).measure()
    except (NotInstalled, NoDatabase, NoCompiler) as error:
        bench.skip(str(error))


class Overload:
    def __init__(self, bench, crowds, server, name, database=None):
        self.bench, self.crowds, self.server, self.name, self.database = bench, crowds, server, name, database

    def measure(self):
        self.crowds.sign_in(self.server.port, PEAKS[0], BEGINNING).answers()
        found = {count: self.beside(f"{count}", count, pause=0) for count in PEAKS}
        best = max(found, key=found.get)
        # With such pauses all together ask six times as often as can be served, however fast they are refused.
        pause = MANY / (TIMES * found[best])
        self.beside(f"{FEW}", FEW, pause=0)
        self.beside(f"{MANY}", MANY, pause=0)
        self.beside(f"{MANY} who come back when they are told to", MANY, pause=0, returns="told")
        for patience in (PATIENCE, LITTLE_PATIENCE):
            what = f"{TIMES} times the peak, {patience} s of patience"
            # In turns, for neither the machine nor a database that grows is the same all the time.
            pairs = [(self.beside(f"{best}", best, pause=0), self.beside(what, MANY, pause=pause, patience=patience))
                     for _ in range(ROUNDS)]
            peak, good = (statistics.median(rates) for rates in zip(*pairs))
            self.bench.figure(f"{self.name}_{patience}s", f"{good:.0f} of {peak:.0f}")
            self.bench.claim(good >= LEAST_SHARE * peak, f"{self.name}, {what}: {good:.0f} a second are signed in, of {peak:.0f} at the "
                             f"peak at least {LEAST_SHARE}")

    def beside(self, what, count, pause, patience=PATIENCE, returns="soon"):
        """Has so many clients sign in, asks whether the server is ready meanwhile, and tells how many are signed in a second."""
        before = self.server.cpu()
        with Readiness(self.server) as readiness:
            answers = self.crowds.sign_in(
                self.server.port, count, SECONDS, pause=pause, patience=patience, returns=returns).answers()
        cpu = (self.server.cpu() - before) / (SECONDS + patience)
        good, refused = answers.of(200), answers.of(503)
        name, a_second = f"{self.name}, {what}", good.a_second(BEGINNING, SECONDS)
        self.bench.note(
            f"{name}: {a_second:.0f} signed in a second of {answers.a_second(BEGINNING, SECONDS):.0f} answered, p50 "
            f"{good.quantile(.5) * 1000:.0f} ms, p99 {good.quantile(.99) * 1000:.0f}; refusals p50 {refused.quantile(.5) * 1000:.1f}, "
            f"p99 {refused.quantile(.99) * 1000:.0f}; {answers.tally()}; /readyz p99 {readiness.quantile(.99) * 1000:.1f} ms of "
            f"{len(readiness.seen)}; {cpu:.2f} cores at least")
        self.judge(name, answers, readiness)
        return a_second

    def judge(self, name, answers, readiness):
        claim = self.bench.claim
        prompt = readiness.quantile(0.99)
        claim(prompt <= LONGEST_READINESS, f"{name}: p99 of /readyz is {prompt * 1000:.1f} ms, {LONGEST_READINESS * 1000:.0f} at most")
        unready = sum(status != 200 for _, _, status in readiness.seen)
        claim(not unready, f"{name}: it is ready all the time (but {unready} times of {len(readiness.seen)})")
        claim(not answers.untold(), f"{name}: refusals have Retry-After ({answers.untold()} do not)")
        claim(not answers.of(LOST), f"{name}: no connection is lost ({len(answers.of(LOST))} are)")
