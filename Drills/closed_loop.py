"""Crowds of clients in a process of their own (closed_loop.c), and what they were answered."""

import math
import os
import shutil
import struct
import subprocess

# The same as in closed_loop.c.
RECORD = struct.Struct("=IIHH")
IMPATIENT, LOST, NOT_TOLD = 0, 1, 65535
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
# Longer than any answer takes that comes at all, in seconds.
PATIENCE = 40
SIGN_IN = ("POST", "/auth/signin", JSON)


class NoCompiler(Exception):
    """What makes the load can't be built here."""


class Answers:
    """What clients were answered: when each asked, in seconds since the start, how long it took, and how it was answered."""

    def __init__(self, records):
        self.records = records

    def since(self, seconds):
        """What was asked after that, such as when all had connected."""
        return Answers([record for record in self.records if record[0] >= seconds])

    def until(self, seconds):
        """What was asked before that."""
        return Answers([record for record in self.records if record[0] < seconds])

    def of(self, *statuses):
        return Answers([record for record in self.records if record[2] in statuses])

    def __len__(self):
        return len(self.records)

    def quantile(self, share):
        """In seconds; 0 where there is nothing."""
        times = sorted(took for _, took, _, _ in self.records)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else 0.0

    @property
    def longest(self):
        return max((took for _, took, _, _ in self.records), default=0.0)

    def untold(self):
        """How many were refused without being told when to come back."""
        return sum(status in (429, 503) and retry is None for _, _, status, retry in self.records)

    def tally(self):
        counts = {}
        for _, _, status, _ in self.records:
            counts[status] = counts.get(status, 0) + 1
        names = {IMPATIENT: "none-in-time", LOST: "lost"}
        return " ".join(f"{names.get(status, status)}×{count}" for status, count in sorted(counts.items()))

    def a_second(self, begin, end):
        """How many were answered between these, each second."""
        return sum(begin <= began + took < end for began, took, _, _ in self.records) / (end - begin)

    def __str__(self):
        return (f"{len(self)} answers, p50 {self.quantile(.5) * 1000:.1f} ms, p99 {self.quantile(.99) * 1000:.1f} ms, "
                f"longest {self.longest * 1000:.0f} ms, {self.tally()}")


class ClosedLoop:
    """Starts crowds."""

    def __init__(self, bench):
        compiler = next(filter(None, map(shutil.which, ["cc", "clang", "gcc"])), None)
        if compiler is None:
            raise NoCompiler("there is no C compiler")
        self.folder, self.count = bench.folder, 0
        self.program = os.path.join(bench.folder, "closed_loop")
        subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", self.program, f"{bench.root}/Drills/closed_loop.c"], check=True)

    def start(self, port, clients, seconds, request, body="", pause=0.0, patience=PATIENCE, returns="soon", bearer=""):
        """`request` is a method, a path, and the type of `body`, in which twelve @ become a number."""
        self.count += 1
        output = os.path.join(self.folder, f"answers-{self.count}")
        numbers = [clients, int(seconds * 1000), int(pause * 1000), int(patience * 1000)]
        return Crowd(output, subprocess.Popen(
            [self.program, str(port), *map(str, numbers), returns, output, *request, bearer, body]))

    def sign_in(self, port, clients, seconds, client_id="ready-made", **options):
        """Each with a code that nobody has used."""
        return self.start(port, clients, seconds, SIGN_IN, sign_in_body(client_id), **options)


def sign_in_body(client_id):
    """With a place for a number, which makes each code another."""
    return ('{"client_id":"%s","code":"%s","redirect_uri":"https://app.example/cb","code_verifier":"%s"}'
            % (client_id, "@" * 12, "v" * 43))


class Crowd:
    def __init__(self, output, process):
        self.output, self.process = output, process

    def answers(self):
        """Waits until all of them have been answered for the last time."""
        if self.process.wait():
            raise RuntimeError("the crowd has ended early")
        with open(self.output, "rb") as file:
            content = file.read()
        os.remove(self.output)
        return Answers([(began / 1e6, took / 1e6, status, None if retry == NOT_TOLD else retry)
                        for began, took, status, retry in RECORD.iter_unpack(content)])

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
