"""Crowds of clients in a process of their own (closed_loop.c), and what they were answered."""

import json
import math
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from typing import NamedTuple, TypedDict, Unpack

from bench import Bench
from testbed.client import JSON

# The same as in closed_loop.c.
PACKED = struct.Struct("=IIHH")
IMPATIENT, LOST, NOT_TOLD = 0, 1, 65535
# Longer than any answer takes that comes at all, in seconds.
PATIENCE = 40
SIGN_IN = ("POST", "/auth/signin", JSON)


class NoCompiler(Exception):
    """What makes the load can't be built here."""


class Record(NamedTuple):
    # In seconds: since the start, and from there on.
    began: float
    took: float
    status: int
    # What the answer said of when to come again.
    retry: int | None


class Answers:
    """What clients were answered: when each asked, how long it took, and how it was answered."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records

    def since(self, seconds: float) -> "Answers":
        """What was asked after that, such as when all had connected."""
        return Answers([record for record in self.records if record.began >= seconds])

    def until(self, seconds: float) -> "Answers":
        """What was asked before that."""
        return Answers([record for record in self.records if record.began < seconds])

    def of(self, *statuses: int) -> "Answers":
        return Answers([record for record in self.records if record.status in statuses])

    def __len__(self) -> int:
        return len(self.records)

    def quantile(self, share: float) -> float:
        """In seconds; 0 where there is nothing."""
        times = sorted(record.took for record in self.records)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else 0.0

    @property
    def longest(self) -> float:
        return max((record.took for record in self.records), default=0.0)

    def untold(self) -> int:
        """How many were refused without being told when to come back."""
        return sum(record.status in (429, 503) and record.retry is None for record in self.records)

    def tally(self) -> str:
        counts: dict[int, int] = {}
        for record in self.records:
            counts[record.status] = counts.get(record.status, 0) + 1
        names = {IMPATIENT: "none-in-time", LOST: "lost"}
        return " ".join(f"{names.get(status, status)}×{count}" for status, count in sorted(counts.items()))

    def a_second(self, begin: float, end: float) -> float:
        """How many were answered between these, each second."""
        return sum(begin <= record.began + record.took < end for record in self.records) / (end - begin)

    def __str__(self) -> str:
        return (f"{len(self)} answers, p50 {self.quantile(.5) * 1000:.1f} ms, p99 {self.quantile(.99) * 1000:.1f} ms, "
                f"longest {self.longest * 1000:.0f} ms, {self.tally()}")


class Options(TypedDict, total=False):
    """How clients behave: how long they pause and wait for an answer, in seconds, when they come back, and as whom."""

    pause: float
    patience: float
    returns: str
    bearer: str


class ClosedLoop:
    """Starts crowds."""

    def __init__(self, bench: Bench) -> None:
        compiler = next(filter(None, map(shutil.which, ["cc", "clang", "gcc"])), None)
        if compiler is None:
            raise NoCompiler("there is no C compiler")
        self.folder, self.count = bench.folder, 0
        self.program = os.path.join(bench.folder, "closed_loop")
        source = f"{bench.root}/Drills/closed_loop.c"
        subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", self.program, source], check=True)

    def start(self, port: int, clients: int, seconds: float, request: tuple[str, str, str], body: str = "",
              **options: Unpack[Options]) -> "Crowd":
        """`request` is a method, a path, and the type of `body`, in which twelve @ become a number."""
        self.count += 1
        output = os.path.join(self.folder, f"answers-{self.count}")
        pause, patience = options.get("pause", 0.0), options.get("patience", PATIENCE)
        numbers = [clients, int(seconds * 1000), int(pause * 1000), int(patience * 1000)]
        return Crowd(output, subprocess.Popen(
            [self.program, str(port), *map(str, numbers), options.get("returns", "soon"), output, *request,
             options.get("bearer", ""), body]))

    def sign_in(self, port: int, clients: int, seconds: float, client_id: str = "ready-made",
                **options: Unpack[Options]) -> "Crowd":
        """Each with a code that nobody has used."""
        return self.start(port, clients, seconds, SIGN_IN, sign_in_body(client_id), **options)


def sign_in_body(client_id: str) -> str:
    """With a place for a number, which makes each code another."""
    body = {"client_id": client_id, "code": "@" * 12, "redirect_uri": "https://app.example/cb",
            "code_verifier": "v" * 43}
    return json.dumps(body, separators=(",", ":"))


class Crowd:
    def __init__(self, output: str, process: subprocess.Popen[bytes]) -> None:
        self.output, self.process = output, process

    def answers(self) -> Answers:
        """Waits until all of them have been answered for the last time."""
        if self.process.wait():
            raise RuntimeError("the crowd has ended early")
        with open(self.output, "rb") as file:
            content = file.read()
        os.remove(self.output)
        return Answers([Record(began / 1e6, took / 1e6, status, None if retry == NOT_TOLD else retry)
                        for began, took, status, retry in PACKED.iter_unpack(content)])

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
