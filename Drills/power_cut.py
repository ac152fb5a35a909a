"""A power cut at any moment loses nothing that was acknowledged, and the store is sound and starts by itself.

A server and its tools run with every change of their files written down (disk_journal.c). Of that the disk of any
moment is made as a power cut might leave it (disk.py, synced.py), a server is started on it, and whatever was
acknowledged before that moment must be so.
"""

import collections
import concurrent.futures
import contextlib
import os
import random
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future

from bench import Bench, tally
from claims import Claim, shows
from damage import flaws
from disk import Disk, Image
from disk_journal import DiskJournal, NoCompiler
from gatehouse import Gatehouse
from kept import losses, losses_of_backup, losses_of_ledger
from store_life import SETTINGS, StoreLife
from testbed.carriers import Carriers

# Many more by hand: DRILL_POWER_CUTS=1000 scripts/drill power-cut
CUTS = int(os.environ.get("DRILL_POWER_CUTS", "20"))
# Files whose syncs are pretended throughout, to see the drill fail: 1 stands for the write-ahead log, and anything else
# for files whose name ends so.
PLANT = os.environ.get("DRILL_POWER_CUT_PLANT", "")
PLANT = "-wal" if PLANT == "1" else PLANT
LONGEST = 120 + 3 * CUTS
LOAD_SECONDS, PLANTED_SECONDS, PLANTED_CUTS = 5, 1.5, 12
# So many servers at once; how many of the cuts are followed by another while the server starts, and how many take the
# store away, so that the backup is restored.
SERVERS, TWICE, STORE_LOST = 4, 0.25, 0.25
LONGEST_SENTENCE = 200


class Cut:
    """One power cut, and what it has left."""

    def __init__(self, number: int, stretch: str, moment: float, image: Image, seed: int) -> None:
        self.number, self.stretch, self.moment, self.seed = number, stretch, moment, seed
        self.image: Image | None = image
        self.is_twice = random.random() < TWICE
        self.losses: list[str] = []
        self.promises = 0

    def write(self, path: str) -> None:
        """Makes what it has left, once: that may be as large as the store, and waits for nobody any more."""
        if self.image is None:
            raise RuntimeError(f"cut {self.number} is written already")
        self.image.write(path)
        self.image = None


class Examination:
    """Starts servers on what cuts have left."""

    def __init__(self, bench: Bench, carriers: Carriers, life: StoreLife) -> None:
        self.bench, self.carriers, self.life = bench, carriers, life

    def examine(self, cut: Cut) -> Cut:
        folder = os.path.join(self.bench.folder, f"{self.life.name}-cut{cut.number}")
        os.mkdir(folder)
        disk = os.path.join(folder, "disk")
        cut.write(disk)
        try:
            if cut.is_twice:
                disk = self.cut_again(cut, folder, disk)
            self.judge(cut, folder, disk)
        except Exception as error:  # A server that does not start is a finding, like any other.
            words = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}".replace(folder, "")
            cut.losses.append(words[:LONGEST_SENTENCE])
        if not cut.losses:
            shutil.rmtree(folder)
        return cut

    def start(self, folder: str, disk: str, settings: Mapping[str, str] | None = None) -> Gatehouse:
        return self.bench.start(
            self.carriers, os.path.join(folder, "server"), database=os.path.join(disk, "data", "gatehouse.db"),
            settings={**SETTINGS, **(settings or {})})

    def cut_again(self, cut: Cut, folder: str, disk: str) -> str:
        """Starts a server and makes the disk of a moment of that start; where it is."""
        journal = DiskJournal(disk, os.path.join(folder, "journals"))
        begun_with = Disk(journal.folder)
        self.start(folder, disk, journal.environment()).kill()
        records = journal.records()
        for record in records[:random.randint(0, len(records))]:
            begun_with.apply(record)
        again = os.path.join(folder, "disk-again")
        begun_with.after_cut(random.Random(cut.seed + 1)).write(again)
        return again

    def judge(self, cut: Cut, folder: str, disk: str) -> None:
        backup = os.path.join(disk, "backup.db")
        cut.losses += losses_of_backup(self.life, backup, cut.moment)
        lost = os.path.join(folder, "disk-lost")
        if os.path.exists(backup) and random.random() < STORE_LOST:
            shutil.copytree(disk, lost)
        server = self.start(folder, disk)
        try:
            found, cut.promises = losses(
                self.life, self.carriers, server, cut.moment, f"{self.life.name}-newcomer{cut.number}")
        finally:
            server.kill()
        cut.losses += found + flaws(server.database)
        if os.path.exists(lost):
            cut.losses += losses_of_ledger(self.life, self.bench, os.path.join(folder, "server"), lost, cut.moment)


def cuts_of(life: StoreLife, disk: Disk, moments: Sequence[tuple[str, int]]) -> Iterator[Cut]:
    """A cut at each moment of a life, one after the other; in the end all of it is done to `disk`."""
    done = 0
    for number, (stretch, records) in enumerate(moments):
        for record in life.records[done:records]:
            disk.apply(record)
        done, seed = records, random.getrandbits(32)
        yield Cut(number, stretch, life.time_after(records), disk.after_cut(random.Random(seed)), seed)
    for record in life.records[done:]:
        disk.apply(record)


def examine_all(bench: Bench, carriers: Carriers, life: StoreLife, moments: Sequence[tuple[str, int]]) -> list[Cut]:
    """Cuts at these moments, and what they have left."""
    examination = Examination(bench, carriers, life)
    room, disk = threading.Semaphore(2 * SERVERS), life.begun_with
    found: list[Future[Cut]] = []
    with concurrent.futures.ThreadPoolExecutor(SERVERS) as pool:
        for cut in cuts_of(life, disk, moments):
            room.acquire()
            future = pool.submit(examination.examine, cut)
            future.add_done_callback(lambda _: room.release())
            found.append(future)
    others = [thing for thing in disk.mapped if not disk.is_named(thing, "-shm")]
    bench.state(*is_written_down(disk.differences(), len(others)))
    return [future.result() for future in found]


def is_written_down(different: Sequence[str], others: int) -> list[Claim]:
    """What must be true of the journal: nothing is known of a disk where something was changed in a way that is not
    written down."""
    return [Claim(not different, f"the journal makes the folder as it is ({different} differ)"),
            Claim(not others, f"nothing is written through memory but what ends in -shm ({others} others)")]


def run(bench: Bench) -> None:
    try:
        DiskJournal.compile(bench)
    except NoCompiler as error:
        bench.skip(str(error))
        return
    with bench.carriers() as carriers:
        with life_of(bench, carriers, "store", PLANT) as life:
            life.live(LOAD_SECONDS)
        bench.state(are_right(life.wrong))
        cuts = examine_all(bench, carriers, life, life.moments(CUTS))
        report(bench, life, cuts)
        with life_of(bench, carriers, "planted", "-wal") as planted:
            planted.live_shortly(PLANTED_SECONDS)
        cuts = examine_all(bench, carriers, planted, planted.moments(PLANTED_CUTS, only_load=True))
        found = sum(bool(cut.losses) for cut in cuts)
        bench.figure("planted_found", f"{found}/{PLANTED_CUTS}")
        bench.state(is_found(found))


def are_right(wrong: Sequence[str]) -> Claim:
    return Claim(not wrong, f"every answer is the one that it should be ({tally(wrong)})")


def is_found(cuts: int) -> Claim:
    """What must be true of how many cuts lose something where a sync is forgotten."""
    return Claim(cuts > 0, "a sync that is forgotten is found")


@contextlib.contextmanager
def life_of(bench: Bench, carriers: Carriers, name: str, forgets: str) -> Iterator[StoreLife]:
    """A store that is to live, and no server of it afterwards."""
    journal = DiskJournal(os.path.join(bench.folder, name), os.path.join(bench.folder, f"{name}-journals"))
    life = StoreLife(bench, carriers, journal, forgets)
    try:
        yield life
    finally:
        if life.server and life.server.is_running:
            life.server.kill()


def report(bench: Bench, life: StoreLife, cuts: Sequence[Cut]) -> None:
    """Figures and claims of what cuts have left."""
    stretches = collections.Counter(cut.stretch for cut in cuts)
    bench.note("cuts: " + "  ".join(f"{name} {count}" for name, count in sorted(stretches.items())))
    for cut in [cut for cut in cuts if cut.losses][:10]:
        again = " and once more" if cut.is_twice else ""
        bench.note(f"cut {cut.number} in {cut.stretch}{again}, of {cut.promises} promises: {tally(cut.losses)}")
    lost = sum(bool(cut.losses) for cut in cuts)
    bench.figure("acknowledged", life.count)
    bench.figure("records", len(life.records))
    bench.figure("cuts", len(cuts))
    bench.figure("twice", sum(cut.is_twice for cut in cuts))
    bench.figure("promises", sum(cut.promises for cut in cuts))
    bench.figure("with_losses", lost)
    bench.state(loses_nothing(lost, len(cuts)))


def loses_nothing(lost: int, cuts: int) -> Claim:
    return Claim(lost == 0, f"no power cut loses what was acknowledged or damages the store ({lost} of {cuts} do)")


def self_test() -> None:
    shows(is_written_down([], 0),
          ("['a'] differ", is_written_down(["a"], 0)), ("1 others", is_written_down([], 1)))
    shows([are_right([])], ("401×1", [are_right(["401"])]))
    shows([is_found(1)], ("is forgotten", [is_found(0)]))
    shows([loses_nothing(0, 20)], ("1 of 20", [loses_nothing(1, 20)]))
