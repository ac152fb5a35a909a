"""What is on a disk after a power cut: what was synced for sure, and of the rest nothing, all, or any part.

A file has its bytes as they were when its last completed sync (fsync or fdatasync) began, and a folder its names likewise.
What was done since is there or is not, at random:

- Of the bytes, each sector of 512 by itself is as it was at any moment since the sync, whatever came first; so is the
  length, old or new, and what was never written is zero. That is more than ext4 and XFS do to anybody.
- Of the names, those that were made, changed and taken away first: the journals of ext4, XFS and btrfs keep their order.
  But a name comes with a sync of its folder only, though ext4 brings that of a new file with the sync of the file.
- A folder that is made needs the sync of the one in which it lies, too.
"""

import os

from disk_journal import (ALLOCATED, CREATED, CUT, FOLDER_MADE, LINKED, MAPPED, REMOVED, RENAMED, SYNC_BEGINS, SYNCED, WRITTEN)

SECTOR = 512
NOTHING, ALL, PART = "nothing", "all", "part"


class Synced:
    """Something with changes, the first of which are on the disk for sure."""

    def __init__(self, mode):
        self.mode = mode
        # What has been done since the last sync, and how much was before.
        self.changes, self.settled = [], 0
        # How much had been done when a sync began that is under way, by who does it.
        self.begun = {}

    def begin_sync(self, who):
        self.begun[who] = self.settled + len(self.changes)

    def end_sync(self, who):
        done = max(0, self.begun.pop(who) - self.settled)
        for change in self.changes[:done]:
            self.settle(change)
        del self.changes[:done]
        self.settled += done


class File(Synced):
    """A change is a place and bytes, or a length and None."""

    def __init__(self, mode, content=b""):
        super().__init__(mode)
        self.content = bytearray(content)
        self.length = len(content)

    def write(self, place, content):
        self.changes.append((place, content))
        self.length = max(self.length, place + len(content))

    def cut(self, length):
        self.changes.append((length, None))
        self.length = length

    def settle(self, change):
        apply(self.content, change)

    def after_cut(self, kind, random):
        """The bytes that are found, as something that is not changed any more."""
        content = bytearray(self.content)
        if kind == NOTHING or not self.changes:
            return content
        if kind == PART:
            return self.part(content, random)
        for change in self.changes:
            apply(content, change)
        return content

    def part(self, content, random):
        likelihood = random.random()
        sectors, lengths = {}, [len(content)]
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


def apply(content, change):
    place, written = change
    length = place if written is None else place + len(written)
    if len(content) < length:
        content.extend(bytes(length - len(content)))
    if written is None:
        del content[length:]
    else:
        content[place:length] = written


def sector_of(content, sector):
    """A sector, in which zeros follow the end of the file."""
    return bytes(content[sector * SECTOR:(sector + 1) * SECTOR]).ljust(SECTOR, b"\0")


class Folder(Synced):
    """A change is what names lead to, or None where they are taken away."""

    def __init__(self, mode=0o700):
        super().__init__(mode)
        # What is on the disk for sure, and what whoever looks finds.
        self.names, self.found = {}, {}

    def change(self, names):
        self.changes.append(names)
        rename(self.found, names)

    def settle(self, change):
        rename(self.names, change)

    def after_cut(self, kind, random):
        names, count = dict(self.names), len(self.changes)
        if kind != ALL:
            count = 0 if kind == NOTHING else random.randint(0, count)
        for change in self.changes[:count]:
            rename(names, change)
        return names


def rename(names, change):
    for name, thing in change.items():
        if thing is None:
            names.pop(name, None)
        else:
            names[name] = thing


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
        """What is found after a power cut now, as an `Image`: of all that is not synced for sure nothing, all, a part of
        each, or of each file and folder one of these."""
        rule = random.choice([NOTHING, ALL, PART, None])
        return Image(self.root, lambda: rule or random.choice([NOTHING, ALL, PART]), random, self.mapped)

    def differences(self):
        """The names of which the journal and the folder itself tell different things; of what is mapped only the name."""
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
