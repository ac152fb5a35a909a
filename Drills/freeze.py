"""Whatever an operator's tools or a reader that never ends do to the store, sign-ins go on as fast as ever."""

import math
import os
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bench import Bench, crowd
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.client import Answer

# Enough users that each tool takes some seconds altogether.
USERS = 2_000
# How long sign-ins are measured beside each tool, and how many apps sign in at once.
SECONDS = 5
APPS = 2
# Between two runs of a tool, which has the processor to itself for a part of its time.
PAUSE = 0.1
# Others use the machine too: what holds in one of so many measurements is no freeze, which is seen in each.
ATTEMPTS = 3
# What p99 may be where the quiet one is so small that the machine's own hiccups decide.
LEAST_BOUND = 0.060


# What a tool does until it is told that this is over.
Work = Callable[[threading.Event], None]


class SignIn(NamedTuple):
    # Seconds.
    took: float
    status: int


@dataclass(frozen=True)
class Beside:
    """What became of sign-ins beside a tool, and of the tool."""

    name: str
    stays_fast: bool
    times: int
    failures: Sequence[str]

    def claims(self) -> list[Claim]:
        return [
            Claim(self.stays_fast, f"{self.name}: p99 stays within twice the quiet one"),
            Claim(self.times > 0, f"{self.name}: it was done meanwhile"),
            Claim(not self.failures, f"{self.name}: and succeeded ({self.failures[:1]})")]


def is_fast(sign_ins: Sequence[SignIn], quiet: float) -> bool:
    """`quiet` is what p99 was without the tool."""
    return quantile(sign_ins, 0.99) <= max(2 * quiet, LEAST_BOUND)


def all_succeed(name: str, sign_ins: Sequence[SignIn]) -> Claim:
    refused = [status for _, status in sign_ins if status != 200]
    return Claim(not refused, f"{name}: every sign-in is answered with 200 ({refused[:3]})")


def is_emptied(has_mark: bool) -> Claim:
    return Claim(not has_mark, "the log is emptied of those who were erased")


def run(bench: Bench) -> None:
    with bench.carriers() as carriers, bench.server(carriers) as server:
        tools = Tools(bench, server)
        crowd(USERS, lambda number: expect(server.sign_in(f"user{number}")))
        sign_in_for(server, 2)
        report(bench, "quiet", sign_in_for(server, SECONDS), None)
        for name, work in [
            ("users-erase", tools.erase), ("delete-me", tools.delete_me), ("backup", tools.backup),
            ("check", tools.check), ("status", tools.status), ("endless-reader", tools.read_without_end),
            ("erase-beside-reader", tools.erase_beside_reader),
        ]:
            stays_fast = False
            for _ in range(ATTEMPTS):
                # The machine is not the same all the time, so the measure is taken anew before each.
                quiet = quantile(sign_in_for(server, SECONDS / 2), 0.99)
                latencies, times = beside(server, work)
                report(bench, name, latencies, quiet)
                stays_fast = is_fast(latencies, quiet)
                if stays_fast:
                    break
            bench.state(*Beside(name, stays_fast, times, tools.failures).claims())
            tools.failures.clear()
            bench.note(f"{name}: {times} times")
        is_clear(bench, server)


class Tools:
    """Each does one thing and is repeated as long as it is measured."""

    def __init__(self, bench: Bench, server: Gatehouse) -> None:
        self.executable = f"{bench.binaries}/gatehouse"
        self.folder = bench.folder
        self.server = server
        self.configuration = os.path.join(bench.folder, "server", "gatehouse.yaml")
        self.number = 0
        self.failures: list[str] = []

    def command(self, *words: str) -> None:
        done = subprocess.run(
            [self.executable, *words, "--config", self.configuration], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
            # What is measured is who waits for the store, not who waits for the processor.
            preexec_fn=lambda: os.nice(10))
        if done.returncode != 0:
            self.failures.append(f"{words[:2]}: {done.stderr.strip()}")

    def erase(self, _: threading.Event) -> None:
        self.number += 1
        self.command("users", "erase", str(self.number), "--yes")

    def delete_me(self, _: threading.Event) -> None:
        self.number += 1
        answer = self.server.sign_in(f"leaver{self.number}")
        if answer.status == 200:
            answer = self.server.call("DELETE", "/users/me", bearer=answer.json["token"])
        if answer.status not in (200, 204):
            self.failures.append(str(answer))

    def backup(self, _: threading.Event) -> None:
        self.number += 1
        file = os.path.join(self.folder, f"backup{self.number}.db")
        self.command("store", "backup", file)
        if os.path.exists(file):
            os.remove(file)

    def check(self, _: threading.Event) -> None:
        self.command("store", "check")

    def status(self, _: threading.Event) -> None:
        self.command("store", "status")

    def read_without_end(self, is_over: threading.Event) -> None:
        with Reader(self.server.database):
            is_over.wait()

    def erase_beside_reader(self, is_over: threading.Event) -> None:
        with Reader(self.server.database):
            while not is_over.is_set():
                self.erase(is_over)
                is_over.wait(PAUSE)


class Reader:
    """Keeps a snapshot of the store."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        # It must not copy the log back: that is the server's.
        self.connection.execute("PRAGMA wal_autocheckpoint=0")

    def __enter__(self) -> None:
        self.connection.execute("BEGIN")
        self.connection.execute("SELECT count(*) FROM users").fetchone()

    def __exit__(self, *_: object) -> None:
        self.connection.execute("ROLLBACK")
        self.connection.close()


def beside(server: Gatehouse, work: Work) -> tuple[list[SignIn], int]:
    """The latencies of sign-ins while `work` is done again and again, and how often it was."""
    is_over = threading.Event()
    times: list[int] = []

    def repeat() -> None:
        while not is_over.is_set():
            work(is_over)
            times.append(1)
            is_over.wait(PAUSE)

    worker = threading.Thread(target=repeat)
    worker.start()
    latencies = sign_in_for(server, SECONDS)
    is_over.set()
    worker.join()
    return latencies, len(times)


def sign_in_for(server: Gatehouse, seconds: float) -> list[SignIn]:
    """Signs in from several apps at once; how long each took, and how it was answered."""
    end = time.monotonic() + seconds

    def app(number: int) -> list[SignIn]:
        results: list[SignIn] = []
        turn = 0
        while time.monotonic() < end:
            # Approved before it is timed: that is the carrier's.
            body = server.carriers.authorize(f"app{number}-{turn % 50}")
            turn += 1
            began = time.monotonic()
            answer = server.call("POST", "/auth/signin", body=body)
            results.append(SignIn(time.monotonic() - began, answer.status))
        return results

    return [result for results in crowd(APPS, app, threads=APPS) for result in results]


def report(bench: Bench, name: str, results: Sequence[SignIn], quiet: float | None) -> None:
    refused = [status for _, status in results if status != 200]
    p50, p99, longest = (quantile(results, share) for share in (0.5, 0.99, 1))
    bench.figure(f"{name}_ms", f"{p50 * 1000:.1f}/{p99 * 1000:.1f}/{longest * 1000:.1f}")
    than = f" (quiet {quiet * 1000:.1f} ms)" if quiet else ""
    bench.note(f"{name}: {len(results)} sign-ins, p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms{than}, "
               f"longest {longest * 1000:.1f} ms, {refused.count(503)} answered 503")
    bench.state(all_succeed(name, results))


def quantile(results: Sequence[SignIn], share: float) -> float:
    latencies = sorted(result.took for result in results)
    return latencies[max(0, math.ceil(share * len(latencies)) - 1)]


def expect(answer: Answer) -> None:
    if answer.status != 200:
        raise RuntimeError(f"a sign-in is answered with {answer}")


def is_clear(bench: Bench, server: Gatehouse) -> None:
    """When nobody reads any more, the server empties the log of those who were erased."""
    deadline = time.monotonic() + 10
    while has_mark(server.database) and time.monotonic() < deadline:
        time.sleep(0.2)
    bench.state(is_emptied(has_mark(server.database)))


def has_mark(path: str) -> bool:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        count = connection.execute("SELECT count(*) FROM meta WHERE name = 'erasure_in_log'").fetchone()[0]
        return int(count) > 0
    finally:
        connection.close()


def self_test() -> None:
    good = Beside("backup", is_fast([SignIn(0.08, 200)], 0.04), 3, [])
    shows(good.claims(), ("p99", replace(good, stays_fast=is_fast([SignIn(0.081, 200)], 0.04)).claims()),
          ("done meanwhile", replace(good, times=0).claims()),
          ("succeeded", replace(good, failures=["store is locked"]).claims()))
    shows(replace(good, stays_fast=is_fast([SignIn(LEAST_BOUND, 200)], 0.001)).claims(),
          ("p99", replace(good, stays_fast=is_fast([SignIn(LEAST_BOUND + 0.001, 200)], 0.001)).claims()))
    shows([all_succeed("check", [SignIn(0.1, 200)])], ("503", [all_succeed("check", [SignIn(0.1, 503)])]))
    shows([is_emptied(False)], ("is emptied", [is_emptied(True)]))
