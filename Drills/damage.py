"""Damages a database file, and looks for damage."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from functools import partial

# What no page of a b-tree begins with.
GARBAGE = b"\xff"


def page_size(database: str) -> int:
    with open(database, "rb") as file:
        return int.from_bytes(file.read(18)[16:], "big")


def root_page(table: str, database: str) -> int:
    """The number of the page at the root of a table, from 0."""
    connection = sqlite3.connect(database)
    try:
        return int(connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]) - 1
    finally:
        connection.close()


PAGE_OF: dict[str, Callable[[str], int]] = {
    table: partial(root_page, table) for table in ("sessions", "signing_keys")}


@contextlib.contextmanager
def damaged(database: str, page: Callable[[str], int], checkpoint: bool = True) -> Iterator[None]:
    """Overwrites a page, found by a function of the path, and puts it back at the end.

    With `checkpoint`, what is in the write-ahead log goes into the file first, so that the page is the one in use.
    """
    if checkpoint:
        connection = sqlite3.connect(database)
        is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        connection.close()
        if is_busy:
            raise RuntimeError("the write-ahead log can't be emptied")
    size = page_size(database)
    offset = page(database) * size
    # Not before the connections above are closed: closing a file here drops the locks that they hold.
    with open(database, "r+b", buffering=0) as file:
        file.seek(offset)
        original = file.read(size)
        file.seek(offset)
        file.write(GARBAGE * size)
    try:
        yield
    finally:
        with open(database, "r+b", buffering=0) as file:
            file.seek(offset)
            file.write(original)


def flaws(database: str) -> list[str]:
    """What SQLite finds wrong in a copy of the file and its log."""
    with tempfile.TemporaryDirectory() as folder:
        copy = f"{folder}/copy.db"
        for suffix in ("", "-wal"):
            if os.path.exists(database + suffix):
                shutil.copyfile(database + suffix, copy + suffix)
        connection = sqlite3.connect(copy)
        try:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            found += [f"a row of {row[0]} refers to nothing" for row in connection.execute("PRAGMA foreign_key_check")]
            return found
        finally:
            connection.close()
