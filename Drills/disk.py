"""The disk that a journal makes, at any moment: as whoever looks finds it, and as a power cut may leave it."""

import os

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
)
from synced import ALL, NOTHING, PART, File, Folder


class Disk:
    """What lies below a folder, as the records of a journal make it. It begins with what is there."""

    def __init__(self, folder):
        self.place = folder
        self.inodes = {}
        self.root = self.read(folder)
        # Files that were written to without our seeing it, for they were mapped into memory.
        self.mapped = set()

    def read(self, path):
        status = os.stat(path)
        if os.path.isdir(path):
            thing = Folder(status.st_mode & 0o7777)
            thing.names = {name: self.read(os.path.join(path, name)) for name in os.listdir(path)}
            thing.found = dict(thing.names)
        else:
            with open(path, "rb") as file:
                thing = File(status.st_mode & 0o7777, file.read())
        self.inodes[status.st_ino] = thing
        return thing

    def locate(self, path):
        """The folder in which a name lies, and the name."""
        folder, parts = self.root, os.path.relpath(os.fsdecode(path), self.place).split(os.sep)
        for part in parts[:-1]:
            folder = folder.found[part]
        return folder, parts[-1]

    def apply(self, record):
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

    def apply_to(self, thing, record):
        kind, who = record.kind, (record.process, record.number)
        if kind == WRITTEN:
            thing.write(record.number, record.content)
        elif kind == CUT:
            thing.cut(record.number)
        elif kind == ALLOCATED:
            thing.cut(max(thing.length, record.number))
        elif kind == SYNC_BEGINS:
            thing.begin_sync(who)
        elif kind == SYNCED:
            thing.end_sync(who)
        elif kind == MAPPED:
            self.mapped.add(thing)
        else:
            raise ValueError(f"a record of kind {kind}")

    def is_named(self, thing, end):
        """Whether the name of a file ends so, or it has none any more."""
        names = [name for folder in self.inodes.values() if isinstance(folder, Folder)
                 for name, found in folder.found.items() if found is thing]
        return all(name.endswith(end) for name in names)

    def after_cut(self, random):
        """What is found after a power cut now, as an `Image`: of all that is not synced for sure nothing, all, a part
        of each, or of each file and folder one of these."""
        rule = random.choice([NOTHING, ALL, PART, None])
        return Image(self.root, lambda: rule or random.choice([NOTHING, ALL, PART]), random, self.mapped)

    def differences(self):
        """The names of which the journal and the folder itself tell different things; of what is mapped, only the name
        counts."""
        return sorted(differences(self.place, Image(self.root, lambda: ALL, None, self.mapped).root[1]))


class Image:
    """Files and folders as they are at one moment: pairs of a mode and bytes, or of a mode and names."""

    def __init__(self, root, rule, random, mapped):
        self.rule, self.random, self.mapped = rule, random, mapped
        self.root = self.take(root)

    def take(self, thing):
        if thing in self.mapped:
            # What of a mapping has come to the disk, nobody knows.
            return thing.mode, self.random and self.random.randbytes(thing.length)
        taken = thing.after_cut(self.rule(), self.random)
        if isinstance(thing, Folder):
            taken = {name: self.take(inner) for name, inner in taken.items()}
        return thing.mode, taken

    def write(self, path):
        """Makes the folder, which must not be there."""
        write(path, *self.root)


def write(path, mode, content):
    if isinstance(content, dict):
        os.mkdir(path, mode)
        for name, (inner_mode, inner) in content.items():
            write(os.path.join(path, name), inner_mode, inner)
    else:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)


def differences(path, names):
    for name in names.keys() | set(os.listdir(path)):
        inner = os.path.join(path, name)
        if name not in names or not os.path.exists(inner):
            yield inner
        elif isinstance(names[name][1], dict):
            yield from differences(inner, names[name][1])
        elif names[name][1] is not None:
            with open(inner, "rb") as file:
                if file.read() != names[name][1]:
                    yield inner
