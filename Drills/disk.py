"""The disk that a journal makes, at any moment: as those who look find it, and as a power cut may leave it."""

import os
from collections.abc import Callable, Iterable
from random import Random

from disk_journal import (
    ALLOCATED,
    CREATED,
    CUT,
    FOLDER_MADE,
    LINKED,
    MAPPED,
    REMOVED,
    RENAMED,
    SYNC_BEGINS,
    SYNCED,
    WRITTEN,
    Record,
)
from synced import ALL, NOTHING, PART, File, Folder

# A mode, and what a file or folder holds; None of what is mapped and is not made up.
Taken = tuple[int, bytes | bytearray | dict[str, "Taken"] | None]


class Disk:
    """What lies below a folder, as the records of a journal make it. It begins with what is there."""

    def __init__(self, folder: str) -> None:
        self.place = folder
        self.inodes: dict[int, File | Folder] = {}
        self.root = self.read_folder(folder)
        # Files that were written to without our seeing it, for they were mapped into memory.
        self.mapped: set[File | Folder] = set()

    def read(self, path: str) -> File | Folder:
        return self.read_folder(path) if os.path.isdir(path) else self.read_file(path)

    def read_folder(self, path: str) -> Folder:
        status = os.stat(path)
        folder = Folder(status.st_mode & 0o7777)
        folder.names = {name: self.read(os.path.join(path, name)) for name in os.listdir(path)}
        folder.found = dict(folder.names)
        self.inodes[status.st_ino] = folder
        return folder

    def read_file(self, path: str) -> File:
        status = os.stat(path)
        with open(path, "rb") as opened:
            file = File(status.st_mode & 0o7777, opened.read())
        self.inodes[status.st_ino] = file
        return file

    def locate(self, path: bytes) -> tuple[Folder, str]:
        """The folder in which a name lies, and the name."""
        folder, parts = self.root, os.path.relpath(os.fsdecode(path), self.place).split(os.sep)
        for part in parts[:-1]:
            inner = folder.found[part]
            if not isinstance(inner, Folder):
                raise ValueError(f"{part} is no folder")
            folder = inner
        return folder, parts[-1]

    def apply(self, record: Record) -> None:
        """Does what a record tells."""
        kind = record.kind
        if kind in (CREATED, FOLDER_MADE):
            folder, name = self.locate(record.content)
            # Two processes that make one file at once both say so.
            if name not in folder.found or folder.found[name] is not self.inodes.get(record.inode):
                self.inodes[record.inode] = File(record.number) if kind == CREATED else Folder()
                folder.change({name: self.inodes[record.inode]})
        elif kind in (RENAMED, LINKED):
            first, second = record.content.split(b"\0")
            (folder, name), (other, new) = self.locate(first), self.locate(second)
            if folder is not other:
                raise ValueError("names that go from one folder to another are not told of here")
            # What has the name already stays what it is.
            folder.change({new: folder.found[name], **({name: None} if kind == RENAMED else {})})
        elif kind == REMOVED:
            folder, name = self.locate(record.content)
            folder.change({name: None})
        else:
            self.apply_to(self.inodes[record.inode], record)

    def apply_to(self, thing: File | Folder, record: Record) -> None:
        kind, who = record.kind, (record.process, record.number)
        if kind == SYNC_BEGINS:
            thing.begin_sync(who)
        elif kind == SYNCED:
            thing.end_sync(who)
        elif kind == MAPPED:
            self.mapped.add(thing)
        elif isinstance(thing, Folder):
            raise ValueError(f"a record of kind {kind} of a folder")
        elif kind == WRITTEN:
            thing.write(record.number, record.content)
        elif kind == CUT:
            thing.cut(record.number)
        elif kind == ALLOCATED:
            thing.cut(max(thing.length, record.number))
        else:
            raise ValueError(f"a record of kind {kind}")

    def is_named(self, thing: File | Folder, end: str) -> bool:
        """Whether the name of a file ends so, or it has none any more."""
        names = [name for folder in self.inodes.values() if isinstance(folder, Folder)
                 for name, found in folder.found.items() if found is thing]
        return all(name.endswith(end) for name in names)

    def after_cut(self, random: Random) -> "Image":
        """What is found after a power cut now, as an `Image`: of all that is not synced for sure nothing, all, a part
        of each, or of each file and folder one of these."""
        rule = random.choice([NOTHING, ALL, PART, None])
        return Image(self.root, lambda: rule or random.choice([NOTHING, ALL, PART]), random, self.mapped)

    def differences(self) -> list[str]:
        """The names of which the journal and the folder itself tell different things; of what is mapped, only the name
        counts."""
        names = Image(self.root, lambda: ALL, None, self.mapped).root[1]
        return sorted(differences(self.place, names)) if isinstance(names, dict) else []


class Image:
    """Files and folders as they are at one moment: pairs of a mode and bytes, or of a mode and names."""

    def __init__(self, root: Folder, rule: Callable[[], str], random: Random | None,
                 mapped: set[File | Folder]) -> None:
        self.rule, self.random, self.mapped = rule, random, mapped
        self.root = self.take(root)

    def take(self, thing: File | Folder) -> Taken:
        if isinstance(thing, Folder):
            names = thing.after_cut(self.rule(), self.random or Random())
            return thing.mode, {name: self.take(inner) for name, inner in names.items()}
        if thing in self.mapped:
            # What of a mapping has come to the disk, nobody knows.
            return thing.mode, self.random.randbytes(thing.length) if self.random else None
        return thing.mode, thing.after_cut(self.rule(), self.random or Random())

    def write(self, path: str) -> None:
        """Makes the folder, which must not be there."""
        write(path, self.root)


def write(path: str, taken: Taken) -> None:
    mode, content = taken
    if isinstance(content, dict):
        os.mkdir(path, mode)
        for name, inner in content.items():
            write(os.path.join(path, name), inner)
    elif content is not None:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)


def differences(path: str, names: dict[str, Taken]) -> Iterable[str]:
    for name in names.keys() | set(os.listdir(path)):
        inner = os.path.join(path, name)
        if name not in names or not os.path.exists(inner):
            yield inner
            continue
        content = names[name][1]
        if isinstance(content, dict):
            yield from differences(inner, content)
        elif content is not None:
            with open(inner, "rb") as file:
                if file.read() != content:
                    yield inner
