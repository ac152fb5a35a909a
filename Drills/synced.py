"""What a power cut leaves of files and folders: what was synced for sure, and of the rest nothing, all, or any part.

A file has its bytes as they were when its last completed sync (fsync or fdatasync) began, and a folder its names
likewise. What was done since is there or is not, at random:

- Of the bytes, each sector of 512 by itself is as it was at any moment since the sync, whatever came first; so is the
  length, old or new, and what was never written is zero. That is more than ext4 and XFS do to anybody.
- Of the names, those that were made, changed and taken away first: the journal of ext4 keeps their order. But a name
  comes with a sync of its folder only, and a folder with a sync of the one in which it lies, though with the sync of a
  new file ext4 has its name on the disk as well, and that of a new folder around it.
- A file that was mapped into memory for writing holds anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Generic, TypeVar

SECTOR = 512
NOTHING, ALL, PART = "nothing", "all", "part"


# A process, and a number that tells one sync of it from others.
Who = tuple[str, int]
# A place and bytes, or a length and None.
Bytes = tuple[int, bytes | None]
# What names lead to, or None where they are taken away.
Names = Mapping[str, "File | Folder | None"]
Change = TypeVar("Change", Bytes, Names)


class Synced(Generic[Change]):
    """Something with changes, the first of which are on the disk for sure."""

    def __init__(self, mode: int) -> None:
        self.mode = mode
        # What has been done since the last sync, and how much was before.
        self.changes: list[Change] = []
        self.settled = 0
        # How much had been done when a sync began that is under way, by who does it.
        self.begun: dict[Who, int] = {}

    def settle(self, change: Change) -> None:
        raise NotImplementedError

    def begin_sync(self, who: Who) -> None:
        self.begun[who] = self.settled + len(self.changes)

    def end_sync(self, who: Who) -> None:
        done = max(0, self.begun.pop(who) - self.settled)
        for change in self.changes[:done]:
            self.settle(change)
        del self.changes[:done]
        self.settled += done


class File(Synced[Bytes]):
    def __init__(self, mode: int, content: bytes = b"") -> None:
        super().__init__(mode)
        self.content = bytearray(content)
        self.length = len(content)

    def write(self, place: int, content: bytes) -> None:
        self.changes.append((place, content))
        self.length = max(self.length, place + len(content))

    def cut(self, length: int) -> None:
        self.changes.append((length, None))
        self.length = length

    def settle(self, change: Bytes) -> None:
        apply(self.content, change)

    def after_cut(self, kind: str, random: Random) -> bytearray:
        """The bytes that are found, as something that is not changed any more."""
        content = bytearray(self.content)
        if kind == NOTHING or not self.changes:
            return content
        if kind == PART:
            return self.part(content, random)
        for change in self.changes:
            apply(content, change)
        return content

    def part(self, content: bytearray, random: Random) -> bytearray:
        likelihood = random.random()
        sectors: dict[int, list[bytes]] = {}
        lengths = [len(content)]
        for change in self.changes:
            before = len(content)
            place, written = change
            if written is None:
                first, end = min(place, before), max(place, before)
            else:
                first, end = place, place + len(written)
            for sector in range(first // SECTOR, -(-end // SECTOR)):
                sectors.setdefault(sector, [sector_of(content, sector)])
            apply(content, change)
            for sector in range(first // SECTOR, -(-end // SECTOR)):
                sectors[sector].append(sector_of(content, sector))
            lengths.append(len(content))
        length = random.choice([lengths[0], lengths[-1], random.choice(lengths)])
        content = bytearray(content.ljust(max(lengths), b"\0"))
        for sector, versions in sectors.items():
            version = versions[-1] if random.random() < likelihood else random.choice(versions)
            content[sector * SECTOR:(sector + 1) * SECTOR] = version
        del content[length:]
        return content


def apply(content: bytearray, change: Bytes) -> None:
    place, written = change
    length = place if written is None else place + len(written)
    if len(content) < length:
        content.extend(bytes(length - len(content)))
    if written is None:
        del content[length:]
    else:
        content[place:length] = written


def sector_of(content: bytearray, sector: int) -> bytes:
    """A sector, in which zeros follow the end of the file."""
    return bytes(content[sector * SECTOR:(sector + 1) * SECTOR]).ljust(SECTOR, b"\0")


class Folder(Synced[Names]):
    def __init__(self, mode: int = 0o700) -> None:
        super().__init__(mode)
        # What is on the disk for sure, and what those who look find.
        self.names: dict[str, File | Folder] = {}
        self.found: dict[str, File | Folder] = {}

    def change(self, names: Names) -> None:
        self.changes.append(names)
        rename(self.found, names)

    def settle(self, change: Names) -> None:
        rename(self.names, change)

    def after_cut(self, kind: str, random: Random) -> dict[str, File | Folder]:
        names, count = dict(self.names), len(self.changes)
        if kind != ALL:
            count = 0 if kind == NOTHING else random.randint(0, count)
        for change in self.changes[:count]:
            rename(names, change)
        return names


def rename(names: dict[str, File | Folder], change: Names) -> None:
    for name, thing in change.items():
        if thing is None:
            names.pop(name, None)
        else:
            names[name] = thing
