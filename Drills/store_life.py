"""The life of a store, all of it written down: it is made, used, backed up, killed, compacted and restored."""

import bisect
import contextlib
import math
import os
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from bench import Bench
from claims import Claim, shows
from disk import Disk
from disk_journal import DiskJournal
from gatehouse import Gatehouse
from promises import Promise, PromisedApp
from testbed.carriers import Carriers

APPS = 12
# Nothing expires by itself, and who has lost an answer gets the same again to the end.
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_REFRESH_GRACE_SECONDS": "3600",
            "GATEHOUSE_LOG_LEVEL": "notice"}
LOAD = "load"


class StoreLife:
    """`forgets` is how the names of those files end whose syncs are only pretended."""

    def __init__(self, bench: Bench, carriers: Carriers, journal: DiskJournal, forgets: str = "") -> None:
        self.bench, self.carriers, self.journal = bench, carriers, journal
        self.environment = journal.environment(forgets)
        self.name = os.path.basename(journal.folder)
        os.makedirs(journal.folder, exist_ok=True)
        self.begun_with = Disk(journal.folder)
        self.database = os.path.join(journal.folder, "data", "gatehouse.db")
        self.backup = os.path.join(journal.folder, "backup.db")
        self.apps: list[PromisedApp] = []
        self.server: Gatehouse | None = None
        # What was going on from when until when, by name, in nanoseconds.
        self.stretches: dict[str, list[tuple[int, int]]] = {}
        # What is promised again where a restore has taken place.
        self.restored: list[Promise] = []

    @contextlib.contextmanager
    def stretch(self, name: str) -> Iterator[None]:
        began = time.monotonic_ns()
        yield
        self.stretches.setdefault(name, []).append((began, time.monotonic_ns()))

    def span(self, name: str) -> tuple[float, float]:
        """From when until when; both infinitely late where it never was."""
        return self.stretches[name][0] if name in self.stretches else (math.inf, math.inf)

    def start(self, name: str) -> Gatehouse:
        with self.stretch(name):
            self.server = self.bench.start(
                self.carriers, f"{self.name}-server", database=self.database, settings={**SETTINGS, **self.environment})
        return self.server

    def stop(self, server: Gatehouse) -> None:
        with self.stretch("stop"):
            self.bench.state(stops(server.stop()))

    def use(self, server: Gatehouse, seconds: float, meanwhile: Callable[[], None] | None = None,
            kills: bool = False) -> None:
        """Has apps use the server for so long, and does something in the middle; it may be killed under them."""
        over = threading.Event()
        threads = [threading.Thread(target=app.work, args=(server, over)) for app in self.apps]
        with self.stretch(LOAD):
            for thread in threads:
                thread.start()
            time.sleep(seconds / 2)
            if meanwhile:
                meanwhile()
            time.sleep(seconds / 2)
            if kills:
                self.journal.kill(server)
            over.set()
            for thread in threads:
                thread.join()

    def newcomers(self, name: str) -> list[PromisedApp]:
        self.apps = [PromisedApp(f"{name}{number}", self.carriers) for number in range(APPS)]
        return self.apps

    def tool(self, stretch: str, *words: str) -> None:
        """Runs a command of the tool."""
        with self.stretch(stretch):
            done = run_tool(self.bench, os.path.join(self.bench.folder, f"{self.name}-server"), words, self.environment)
        self.bench.state(succeeds(stretch, done.returncode, done.stderr.strip()))

    def live(self, seconds: float) -> None:
        """All of it, with so many seconds of load."""
        apps = self.newcomers("app")
        server = self.start("first start")
        self.use(server, seconds * 0.4, meanwhile=lambda: self.tool("backup", "backup", self.backup))
        self.stop(server)
        self.use(self.start("start"), seconds * 0.3, kills=True)
        server = self.start("start after a kill")
        self.use(server, seconds * 0.2)
        self.stop(server)
        self.tool("compaction", "compact")
        self.tool("restore", "restore", self.backup, "--keep-sessions")
        self.promise_again(apps)
        late = self.newcomers("late")
        self.use(self.start("start after a restore"), seconds * 0.1, kills=True)
        self.finish([*apps, *late])

    def live_shortly(self, seconds: float) -> None:
        """A start, load, and no more."""
        apps = self.newcomers("app")
        self.use(self.start("first start"), seconds, kills=True)
        self.finish(apps)

    def finish(self, apps: list[PromisedApp]) -> None:
        self.promises = [promise for app in apps for promise in app.promises]
        self.wrong = [sentence for app in apps for sentence in app.wrong]
        self.count = sum(app.count for app in apps)
        self.records = self.journal.records()
        self.times = [record.time for record in self.records]

    def promise_again(self, apps: list[PromisedApp]) -> None:
        """After a restore what the backup has is so again, but of who has left; the rest is not so any more."""
        begun, done = self.span("restore")
        leaving = {user for app in apps for user in app.leaving}
        for promise in [promise for app in apps for promise in app.promises if promise.kind != "erased"]:
            if self.is_in_backup(promise) and promise.user not in leaving:
                self.restored.append(promise.again(done))
            promise.until = min(promise.until, begun)

    def is_in_backup(self, promise: Promise) -> bool:
        begun, done = self.span("backup")
        return promise.since < begun and done < promise.until

    def moments(self, count: int, only_load: bool = False) -> list[tuple[str, int]]:
        """As many moments, as pairs of a name and how many records there are by then: every other one under load, and
        the others wherever something else goes on, each thing as often as another."""
        others = [] if only_load else [name for name in self.stretches if name != LOAD]
        random.shuffle(others)
        found = []
        for number in range(count):
            name = LOAD if number % 2 or not others else others[number // 2 % len(others)]
            began, ended = random.choice(self.stretches[name])
            first, last = bisect.bisect(self.times, began), bisect.bisect(self.times, ended)
            found.append((name, random.randint(first, last)))
        return sorted(found, key=lambda moment: moment[1])

    def time_after(self, count: int) -> int:
        """The last moment at which there were no more than so many records."""
        return self.times[count] if count < len(self.times) else time.monotonic_ns()


def stops(status: int) -> Claim:
    return Claim(status == 0, "the server stops in good order")


def succeeds(stretch: str, status: int, said: str) -> Claim:
    return Claim(status == 0, f"{stretch}: the tool succeeds ({said})")


def run_tool(bench: Bench, folder: str, words: Sequence[str],
             environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command of the tool with the configuration of the server that has this folder."""
    return subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", *words, "--config", os.path.join(folder, "gatehouse.yaml")],
        env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False)


def self_test() -> None:
    shows([stops(0)], ("in good order", [stops(-9)]))
    shows([succeeds("backup", 0, "")], ("the tool succeeds", [succeeds("backup", 1, "no room")]))
