"""Runs `swift test …` and ends it when no test has begun or ended for DEV_TEST_SECONDS, 120 when that is unset:
then those that are under way hang, and are named. With --self-test it shows that happening. Used by scripts/test.

Swift Testing says when a test begins, but that is when it gets in line, before the limit of tests that run at a time
lets it through. So no test is timed by itself: one that hangs is seen when all others are through, whose results
stay."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from types import FrameType

SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_TO_END = 10.0
# A test's identifier ends with where it stands, and a suite's does not.
PLACE = re.compile(r"^(.*)/(\w+\.swift:\d+):\d+$", re.DOTALL)


PROGRESS = {"testStarted", "testCaseStarted", "testCaseEnded", "testEnded", "testSkipped", "runEnded"}


class Progress:
    """What the stream of events, a line of JSON each, says of a run of tests."""

    def __init__(self) -> None:
        self.running: Counter[str] = Counter()
        self.events = 0
        self.rest = b""

    def read(self, more: bytes) -> None:
        *lines, self.rest = (self.rest + more).split(b"\n")
        for line in lines:
            # The larger part describes tests, before the first begins.
            if not line.startswith(b'{"kind":"event"'):
                continue
            event = json.loads(line)["payload"]
            kind, test = event["kind"], event.get("testID", "")
            # An issue is no progress: a loop may record them for ever.
            if kind not in PROGRESS:
                continue
            self.events += 1
            if PLACE.match(test):
                self.running[test] += {"testStarted": 1, "testEnded": -1}.get(kind, 0)

    def names(self) -> Iterable[str]:
        for test in sorted(test for test, count in self.running.items() if count > 0):
            if place := PLACE.match(test):
                yield f"{place[1]} ({place[2]})"


def children(process: int) -> list[int]:
    try:
        tasks = list(pathlib.Path(f"/proc/{process}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:  # It has ended.
        return []


def descendants(process: int) -> list[int]:
    found = children(process)
    return found + [further for child in found for further in descendants(child)]


def is_there(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def send(number: signal.Signals, processes: Iterable[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def end(runner: subprocess.Popen[bytes]) -> None:
    """Ends the tests, which are the child of `swift test`, at once, and asks what they have started to end, for
    PostgreSQL has a folder to remove. `swift test` ends by itself then, once it has written what it has heard."""
    tests = children(runner.pid) or [runner.pid]
    started = [process for process in descendants(runner.pid) if process not in tests]
    send(signal.SIGKILL, tests)
    send(signal.SIGTERM, started)
    deadline = time.monotonic() + SECONDS_TO_END
    while (runner.poll() is None or any(map(is_there, started))) and time.monotonic() < deadline:
        time.sleep(0.05)
    send(signal.SIGKILL, filter(is_there, [runner.pid, *started]))
    runner.wait()


def watch(command: list[str], limit: float, look_every: float = SECONDS_BETWEEN_LOOKS) -> int:
    """Runs the command, which is told where its events go.

    Returns its status, or 1 when it had to be ended, and its tests are named on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder, "events")
        events.touch()
        runner = subprocess.Popen([*command, "--event-stream-output-path", str(events)])

        def stop(number: int, _: FrameType | None) -> None:
            end(runner)
            sys.exit(128 + number)

        signal.signal(signal.SIGTERM, stop)
        progress, seen, since = Progress(), 0, time.monotonic()
        with events.open("rb") as stream:
            while True:
                try:
                    status = runner.wait(look_every)
                    return status if status >= 0 else 128 - status
                except subprocess.TimeoutExpired:
                    progress.read(stream.read())
                except KeyboardInterrupt:  # The terminal has told the tests as well.
                    runner.wait()
                    return 128 + signal.SIGINT
                # Before the first, swift test may wait for another that builds.
                if progress.events != seen or seen == 0:
                    seen, since = progress.events, time.monotonic()
                elif time.monotonic() - since > limit:
                    hanging = list(progress.names()) or ["none: all have ended, and the run has not"]
                    end(runner)
                    print(f"error: for {limit:.0f} s no test has begun or ended. Under way:", *hanging,
                          sep="\n  ", file=sys.stderr)
                    return 1


# Stands in for `swift test`: of two tests the second never ends where it is told so, nor does what that has started.
STAND_IN = r"""
import json, subprocess, sys, time
behaviour, path = sys.argv[1], sys.argv[-1]
def say(kind, test=""):
    with open(path, "a") as stream:
        event = {"kind": "event", "payload": {"kind": kind, "testID": test}}
        for part in json.dumps(event, separators=(",", ":")), "\n":
            stream.write(part)
            stream.flush()
            time.sleep(0.02)
suite, first, second = "A.`B C`", "A.`B C`/`ends`()/B.swift:1:6", "A.`B C`/`hangs for ever`(of:)/B.swift:9:6"
for test in suite, first, second: say("testStarted", test)
say("testEnded", first)
if behaviour == "hang": subprocess.run(["sh", "-c", "sleep 300; true"])
for _ in range(12 if behaviour == "crawl" else 0):
    say("testCaseStarted", second)
    time.sleep(0.1)
while behaviour == "complain": say("issueRecorded", second)
for test in second, suite: say("testEnded", test)
say("runEnded")
sys.exit(3 if behaviour == "fail" else 0)
"""


def self_test() -> None:
    def run(behaviour: str) -> tuple[int, str]:
        command = [sys.executable, "-B", __file__, "--stand-in", behaviour]
        # This waits for the output's end, so that a process which is left behind fails it, too.
        ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        return ended.returncode, ended.stderr

    hung, complained = run("hang"), run("complain")
    cases = {
        "tests that pass": run("pass") == (0, ""),
        "tests that fail": run("fail") == (3, ""),
        "tests that take long, and go on": run("crawl") == (0, ""),
        "a test that hangs": hung[0] == 1 and "A.`B C`/`hangs for ever`(of:) (B.swift:9)" in hung[1],
        "a test that has ended before": "`ends`" not in hung[1],
        "a test that says much and never ends": complained[0] == 1 and "hangs for ever" in complained[1],
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/watched_tests.py does not see: {', '.join(wrong)}")
    print("a test that hangs is named, and ends the run.")


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    if sys.argv[1:2] == ["--stand-in"]:
        return watch([sys.executable, "-c", STAND_IN, *sys.argv[2:]], limit=0.6, look_every=0.1)
    return watch(sys.argv[1:], float(os.environ.get("DEV_TEST_SECONDS", "120")))


sys.exit(main())
