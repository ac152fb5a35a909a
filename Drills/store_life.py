"""The life of a store, all of it written down: it is made, used, backed up, killed, compacted and restored."""

import bisect
import contextlib
import os
import random
import subprocess
import threading
import time

from disk import Disk
from promises import PromisedApp

APPS = 12
# Nothing expires by itself, and who has lost an answer gets the same again to the end.
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_REFRESH_GRACE_SECONDS": "3600", "GATEHOUSE_LOG_LEVEL": "notice"}
LOAD = "load"


class StoreLife:
    """`forgets` is how the names of those files end whose syncs are only pretended."""

    def __init__(self, bench, carriers, journal, forgets=""):
        self.bench, self.carriers, self.journal = bench, carriers, journal
        self.environment = journal.environment(forgets)
        self.name = os.path.basename(journal.folder)
        os.makedirs(journal.folder, exist_ok=True)
        self.begun_with = Disk(journal.folder)
        self.database = os.path.join(journal.folder, "data", "gatehouse.db")
        self.backup = os.path.join(journal.folder, "backup.db")
        self.apps, self.server = [], None
        # What was going on from when until when, by name, in nanoseconds.
        self.stretches = {}
        # What is promised again where a restore has taken place.
        self.restored = []

    @contextlib.contextmanager
    def stretch(self, name):
        began = time.monotonic_ns()
        yield
        self.stretches.setdefault(name, []).append((began, time.monotonic_ns()))

    def span(self, name):
        """From when until when; both infinitely late where it never was."""
        return self.stretches.get(name, [(float("inf"), float("inf"))])[0]

    def start(self, name):
        with self.stretch(name):
            self.server = self.bench.start(
                self.carriers, f"{self.name}-server", database=self.database, settings={**SETTINGS, **self.environment})

    def stop(self):
        with self.stretch("stop"):
            self.bench.claim(self.server.stop() == 0, "the server stops in good order")

    def use(self, seconds, meanwhile=None, kills=False):
        """Has apps use the server for so long, and does something in the middle; it may be killed under them."""
        over = threading.Event()
        threads = [threading.Thread(target=app.work, args=(self.server, over)) for app in self.apps]
        with self.stretch(LOAD):
            for thread in threads:
                thread.start()
            time.sleep(seconds / 2)
            if meanwhile:
                meanwhile()
            time.sleep(seconds / 2)
            if kills:
                self.journal.kill(self.server)
            over.set()
            for thread in threads:
                thread.join()

    def newcomers(self, name):
        self.apps = [PromisedApp(f"{name}{number}", self.carriers) for number in range(APPS)]
        return self.apps

    def tool(self, stretch, *words):
        """Runs a command of the tool."""
        with self.stretch(stretch):
            done = run_tool(self.bench, os.path.join(self.bench.folder, f"{self.name}-server"), words, self.environment)
        self.bench.claim(done.returncode == 0, f"{stretch}: the tool succeeds ({done.stderr.strip()})")

    def live(self, seconds):
        """All of it, with so many seconds of load."""
        apps = self.newcomers("app")
        self.start("first start")
        self.use(seconds * 0.4, meanwhile=lambda: self.tool("backup", "backup", self.backup))
        self.stop()
        self.start("start")
        self.use(seconds * 0.3, kills=True)
        self.start("start after a kill")
        self.use(seconds * 0.2)
        self.stop()
        self.tool("compaction", "compact")
        self.tool("restore", "restore", self.backup, "--keep-sessions")
        self.promise_again(apps)
        late = self.newcomers("late")
        self.start("start after a restore")
        self.use(seconds * 0.1, kills=True)
        self.finish([*apps, *late])

    def live_shortly(self, seconds):
        """A start, load, and no more."""
        apps = self.newcomers("app")
        self.start("first start")
        self.use(seconds, kills=True)
        self.finish(apps)

    def finish(self, apps):
        self.promises = [promise for app in apps for promise in app.promises]
        self.wrong = [sentence for app in apps for sentence in app.wrong]
        self.count = sum(app.count for app in apps)
        self.records = self.journal.records()
        self.times = [record.time for record in self.records]

    def promise_again(self, apps):
        """After a restore what the backup has is so again, but of who has left; the rest is not so any more."""
        begun, done = self.span("restore")
        leaving = set().union(*(app.leaving for app in apps))
        for promise in [promise for app in apps for promise in app.promises if promise.kind != "erased"]:
            if self.is_in_backup(promise) and promise.what.get("user") not in leaving:
                self.restored.append(promise.again(done))
            promise.until = min(promise.until, begun)

    def is_in_backup(self, promise):
        begun, done = self.span("backup")
        return promise.since < begun and done < promise.until

    def moments(self, count, only_load=False):
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

    def time_after(self, count):
        """The last moment at which there were no more than so many records."""
        return self.times[count] if count < len(self.times) else time.monotonic_ns()


def run_tool(bench, folder, words, environment=()):
    """Runs a command of the tool with the configuration of the server that has this folder."""
    return subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", *words, "--config", os.path.join(folder, "gatehouse.yaml")],
        env={**os.environ, **dict(environment)}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
