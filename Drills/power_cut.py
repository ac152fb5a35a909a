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

from bench import tally
from damage import flaws
from disk import Disk
from disk_journal import DiskJournal, NoCompiler
from kept import losses, losses_of_backup, losses_of_ledger
from store_life import SETTINGS, StoreLife

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

    def __init__(self, number, stretch, moment, image, seed):
        self.number, self.stretch, self.moment, self.image, self.seed = number, stretch, moment, image, seed
        self.is_twice = random.random() < TWICE
        self.losses, self.promises = [], 0


class Examination:
    """Starts servers on what cuts have left."""

    def __init__(self, bench, carriers, life):
        self.bench, self.carriers, self.life = bench, carriers, life

    def examine(self, cut):
        folder = os.path.join(self.bench.folder, f"{self.life.name}-cut{cut.number}")
        os.mkdir(folder)
        disk = os.path.join(folder, "disk")
        cut.image.write(disk)
        # It may be as large as the store, and waits for nobody any more.
        cut.image = None
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

    def start(self, folder, disk, settings=()):
        return self.bench.start(
            self.carriers, os.path.join(folder, "server"), database=os.path.join(disk, "data", "gatehouse.db"),
            settings={**SETTINGS, **dict(settings)})

    def cut_again(self, cut, folder, disk):
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

    def judge(self, cut, folder, disk):
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


def cuts_of(life, disk, moments):
    """A cut at each moment of a life, one after the other; in the end all of it is done to `disk`."""
    done = 0
    for number, (stretch, records) in enumerate(moments):
        for record in life.records[done:records]:
            disk.apply(record)
        done, seed = records, random.getrandbits(32)
        yield Cut(number, stretch, life.time_after(records), disk.after_cut(random.Random(seed)), seed)
    for record in life.records[done:]:
        disk.apply(record)


def examine_all(bench, carriers, life, moments):
    """Cuts at these moments, and what they have left."""
    examination = Examination(bench, carriers, life)
    room, found, disk = threading.Semaphore(2 * SERVERS), [], life.begun_with
    with concurrent.futures.ThreadPoolExecutor(SERVERS) as pool:
        for cut in cuts_of(life, disk, moments):
            room.acquire()
            future = pool.submit(examination.examine, cut)
            future.add_done_callback(lambda _: room.release())
            found.append(future)
    # Nothing is known of a disk where something was changed in a way that is not written down.
    different = disk.differences()
    bench.claim(not different, f"the journal makes the folder as it is ({different} differ)")
    others = [thing for thing in disk.mapped if not disk.is_named(thing, "-shm")]
    bench.claim(not others, f"nothing is written through memory but what ends in -shm ({len(others)} others)")
    return [future.result() for future in found]


def run(bench):
    try:
        DiskJournal.compile(bench)
    except NoCompiler as error:
        bench.skip(str(error))
        return
    with bench.carriers() as carriers:
        with life_of(bench, carriers, "store", PLANT) as life:
            life.live(LOAD_SECONDS)
        bench.claim(not life.wrong, f"every answer is the one that it should be ({tally(life.wrong)})")
        cuts = examine_all(bench, carriers, life, life.moments(CUTS))
        report(bench, life, cuts)
        with life_of(bench, carriers, "planted", "-wal") as planted:
            planted.live_shortly(PLANTED_SECONDS)
        cuts = examine_all(bench, carriers, planted, planted.moments(PLANTED_CUTS, only_load=True))
        found = sum(bool(cut.losses) for cut in cuts)
        bench.figure("planted_found", f"{found}/{PLANTED_CUTS}")
        bench.claim(found > 0, "a sync that is forgotten is found")


@contextlib.contextmanager
def life_of(bench, carriers, name, forgets):
    """A store that is to live, and no server of it afterwards."""
    journal = DiskJournal(os.path.join(bench.folder, name), os.path.join(bench.folder, f"{name}-journals"))
    life = StoreLife(bench, carriers, journal, forgets)
    try:
        yield life
    finally:
        if life.server and life.server.is_running:
            life.server.kill()


def report(bench, life, cuts):
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
    bench.claim(
        lost == 0, f"no power cut loses what was acknowledged or damages the store ({lost} of {len(cuts)} do)")
