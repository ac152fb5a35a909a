"""What a drill is given: places, servers, a way to state claims, and a crowd."""

import concurrent.futures
import contextlib
import os
import time

from carriers import Carriers
from gatehouse import Gatehouse


class Bench:
    def __init__(self, binaries, folder, root, seconds):
        self.binaries = binaries
        self.folder = folder
        self.root = root
        # How long the soak lasts.
        self.seconds = seconds
        self.figures = {}
        self.broken = []
        self.skipped = []
        self.started = time.monotonic()

    def claim(self, holds, sentence):
        """States what must be true, and remembers when it is not."""
        if not holds:
            self.broken.append(sentence)
            print(f"    DOES NOT HOLD: {sentence}", flush=True)
        return holds

    def figure(self, name, value):
        self.figures[name] = f"{value:.2f}" if isinstance(value, float) else str(value)

    def note(self, sentence):
        print(f"    {time.monotonic() - self.started:6.1f} s  {sentence}", flush=True)

    def skip(self, sentence):
        """Says loudly that a part can't be done here."""
        self.skipped.append(sentence)
        print(f"    SKIPPED: {sentence}", flush=True)

    @contextlib.contextmanager
    def carriers(self, latency=0, redirect_uris=()):
        carriers = Carriers(self.binaries, self.folder, latency, redirect_uris)
        try:
            yield carriers
        finally:
            carriers.stop()

    def start(self, carriers, name="server", **options):
        """A server that the drill stops or kills itself."""
        return Gatehouse(self.binaries, os.path.join(self.folder, name), carriers, **options)

    @contextlib.contextmanager
    def server(self, carriers, name="server", **options):
        """A server that must live to the end and stop in good order."""
        server = self.start(carriers, name, **options)
        try:
            yield server
            self.claim(server.is_running, "the server lives")
            self.claim(server.stop() == 0, "the server stops in good order")
        finally:
            if server.is_running:
                server.kill()


def crowd(count, body, threads=16):
    """The results of `body(0)` to `body(count - 1)`, so many at once."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(body, range(count)))


def eventually(condition, seconds=10):
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def tally(values):
    """How often each value occurs, such as `200×16 502×3`."""
    counts = {}
    for value in values:
        counts[str(value)] = counts.get(str(value), 0) + 1
    return " ".join(f"{value}×{count}" for value, count in sorted(counts.items()))


KIB = 1024
MIB = 1024 * 1024
