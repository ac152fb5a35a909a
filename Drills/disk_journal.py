"""What processes do to the files below a folder, written down by disk_journal.c, which is loaded before them."""

import os
import shutil
import struct
import subprocess
from typing import NamedTuple

from bench import Bench
from testbed.process import Process

# The same as in disk_journal.c.
CREATED, WRITTEN, CUT, ALLOCATED, SYNC_BEGINS, SYNCED, MAPPED, RENAMED, LINKED, REMOVED, FOLDER_MADE = map(
    ord, "CWTABSMRLUD")
HEAD = struct.Struct("<QQqII")
# What is beside the journal of a process that is to end, and how many seconds it may take to the next record.
END, LONGEST_WAIT = ".end", 2


class Record(NamedTuple):
    # In nanoseconds of time.monotonic_ns().
    time: int
    process: str
    kind: int
    inode: int
    # What disk_journal.c says of each kind.
    number: int
    content: bytes


class NoCompiler(Exception):
    """What is to be loaded can't be built here."""


class DiskJournal:
    """The journals of all processes that change a folder."""

    compiled: str

    def __init__(self, folder: str, journals: str) -> None:
        """`folder` is what is watched, and `journals` where that is written down; both are made where missing."""
        for path in (folder, journals):
            os.makedirs(path, exist_ok=True)
        self.folder, self.journals = os.path.realpath(folder), journals

    @classmethod
    def compile(cls, bench: Bench) -> None:
        """Builds what is loaded before programs; to be called once before the first of them."""
        compiler = next(filter(None, map(shutil.which, ["cc", "clang", "gcc"])), None)
        if compiler is None:
            raise NoCompiler("there is no C compiler")
        cls.compiled = os.path.join(bench.folder, "disk_journal.so")
        subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-fPIC", "-shared", "-pthread", "-o", cls.compiled,
                        os.path.join(bench.root, "Drills", "disk_journal.c")], check=True)

    def environment(self, forgets: str = "") -> dict[str, str]:
        """What a program is started with; `forgets` is how the names of files end whose syncs are pretended."""
        return {"LD_PRELOAD": self.compiled, "DRILL_DISK_FOLDER": self.folder,
                "DRILL_DISK_JOURNAL": self.journals, "DRILL_DISK_FORGETS": forgets}

    def kill(self, server: Process) -> None:
        """Kills a process behind one of its records; one that changes nothing any more, at any moment."""
        with open(os.path.join(self.journals, f"{server.id}{END}"), "wb"):
            pass
        try:
            server.child.wait(LONGEST_WAIT)
        except subprocess.TimeoutExpired:
            server.kill()

    def records(self) -> list[Record]:
        """All records in the order of time. Within a process that is the order in which they were written."""
        found: list[Record] = []
        for name in os.listdir(self.journals):
            if not name.endswith(END):
                found += read(os.path.join(self.journals, name), name)
        return sorted(found, key=lambda record: record.time)


def read(path: str, process: str) -> list[Record]:
    """The records of one process. The last one is passed over where a kill has cut it off."""
    with open(path, "rb") as file:
        journal = file.read()
    found: list[Record] = []
    place = 0
    while place + HEAD.size <= len(journal):
        time, inode, number, kind, size = HEAD.unpack_from(journal, place)
        place += HEAD.size
        if place + size > len(journal):
            break
        found.append(Record(time, process, kind, inode, number, journal[place:place + size]))
        place += size
    return found
