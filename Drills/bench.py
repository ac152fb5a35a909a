"""What a drill is given: places, servers, a way to state claims, and a crowd."""

import concurrent.futures
import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar, Unpack

from claims import Claim, shows
from gatehouse import Gatehouse, Options, Providers
from testbed.carriers import Carriers, carriers

Result = TypeVar("Result")


class Bench:
    def __init__(self, binaries: str, folder: str, root: str, seconds: int) -> None:
        self.binaries = binaries
        self.folder = folder
        self.root = root
        # How long the soak lasts.
        self.seconds = seconds
        self.figures: dict[str, str] = {}
        self.broken: list[str] = []
        self.skipped: list[str] = []
        self.started = time.monotonic()

    def state(self, *claims: Claim) -> bool:
        """States what must be true, and remembers what is not. Whether all of it is."""
        for claim in claims:
            if not claim.holds:
                self.broken.append(claim.sentence)
                print(f"    DOES NOT HOLD: {claim.sentence}", flush=True)
        return all(claim.holds for claim in claims)

    def figure(self, name: str, value: object) -> None:
        self.figures[name] = f"{value:.2f}" if isinstance(value, float) else str(value)

    def note(self, sentence: str) -> None:
        print(f"    {time.monotonic() - self.started:6.1f} s  {sentence}", flush=True)

    def skip(self, sentence: str) -> None:
        """Says loudly that a part can't be done here."""
        self.skipped.append(sentence)
        print(f"    SKIPPED: {sentence}", flush=True)

    def carriers(self, latency: int = 0, redirect_uris: Iterable[str] = ()) -> AbstractContextManager[Carriers]:
        return carriers(self.binaries, self.folder, latency, redirect_uris)

    def start(self, providers: Providers, name: str = "server", **options: Unpack[Options]) -> Gatehouse:
        """A server that the drill stops or kills itself."""
        return Gatehouse(self.binaries, os.path.join(self.folder, name), providers, **options)

    @contextlib.contextmanager
    def server(self, providers: Providers, name: str = "server", **options: Unpack[Options]) -> Iterator[Gatehouse]:
        """A server that must live to the end and stop in good order."""
        server = self.start(providers, name, **options)
        try:
            yield server
            self.state(*ended(server.is_running, server.stop()))
        finally:
            if server.is_running:
                server.kill()


def ended(lived: bool, status: int) -> list[Claim]:
    """What must be true of a server that was stopped."""
    return [Claim(lived, "the server lives"), Claim(status == 0, "the server stops in good order")]


def went_on(error: Exception | None) -> Claim:
    return Claim(error is None, f"the drill runs to its end ({error})")


def crowd(count: int, body: Callable[[int], Result], threads: int = 16) -> list[Result]:
    """The results of `body(0)` to `body(count - 1)`, so many at once."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(body, range(count)))


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether a condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def tally(values: Iterable[object]) -> str:
    """How often each value occurs, such as `200×16 502×3`."""
    counts: dict[str, int] = {}
    for value in values:
        counts[str(value)] = counts.get(str(value), 0) + 1
    return " ".join(f"{value}×{count}" for value, count in sorted(counts.items()))


KIB = 1024
MIB = 1024 * 1024


def self_test() -> None:
    shows(ended(True, 0), ("lives", ended(False, 0)), ("in good order", ended(True, -9)))
    shows([went_on(None)], ("to its end", [went_on(TimeoutError("the drill takes too long"))]))
