"""What strangers have had a store keep is gone after its lifetime, and the room that it took is given back."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from bench import MIB, Bench, eventually
from claims import Claim, shows
from gatehouse import Gatehouse
from postgres import Postgres

# Rows that a stranger can have kept, each until a time of its own, which the drill moves into the past.
TABLES = ["pending_sign_ins", "app_codes", "used_challenges", "seen_tokens", "budgets", "failed_sign_ins"]
# What Documentation/Operating.md says stays free of a file: an eighth of it, or this.
KEPT_FREE = 4 * MIB
# What honest users have added meanwhile, and the log of a file.
HONEST = 1.5 * MIB


class Store(Protocol):
    def expire(self) -> None:
        """Moves the end of what strangers can have kept into the past."""

    def expired(self) -> int:
        """How many rows are left of that."""

    def events(self, kind: str) -> int:
        """How many rows of the audit trail are of a kind."""

    def vacuum(self) -> None:
        """Has the engine give back what it does not use."""

    def size(self) -> int:
        """Bytes on the disk."""

    def pages(self) -> int:
        """Bytes in use."""


class FileStore:
    """A store in a file, while no server runs."""

    def __init__(self, path: str) -> None:
        self.path = path

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self.path, timeout=30)) as connection:
            yield connection

    def number(self, query: str, *values: str) -> int:
        with self.connection() as connection:
            return int(connection.execute(query, values).fetchone()[0])

    def expire(self) -> None:
        with self.connection() as connection:
            for table in TABLES:
                connection.execute(f"UPDATE {table} SET expires = 1")
            connection.commit()

    def expired(self) -> int:
        return self.number(EXPIRED)

    def size(self) -> int:
        return os.path.getsize(self.path)

    def events(self, kind: str) -> int:
        return self.number("SELECT count(*) FROM audit WHERE event = ?", kind)

    def vacuum(self) -> None:
        """The server gives pages back by itself."""

    def pages(self) -> int:
        """Bytes of the database's pages. The file is cut to them when its log is next copied back."""
        return self.number("PRAGMA page_count") * self.number("PRAGMA page_size")


EXPIRED = "SELECT " + " + ".join(f"(SELECT count(*) FROM {table} WHERE expires = 1)" for table in TABLES)


class SharedStore:
    """A store in PostgreSQL."""

    def __init__(self, database: Postgres) -> None:
        self.database = database

    def expire(self) -> None:
        for table in TABLES:
            self.database.ask(f"UPDATE {table} SET expires = 1")

    def expired(self) -> int:
        return int(self.database.ask(EXPIRED))

    def events(self, kind: str) -> int:
        return int(self.database.ask(f"SELECT count(*) FROM audit WHERE event = '{kind}'"))

    def vacuum(self) -> None:
        """What autovacuum does, which the drill does not wait for."""
        for table in TABLES:
            self.database.ask(f"VACUUM {table}")

    def size(self) -> int:
        return self.pages()

    def pages(self) -> int:
        """Bytes of all tables with their indexes."""
        return int(self.database.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"))


def lifetimes(bench: Bench, name: str, store: Store, start: Callable[[], AbstractContextManager[Gatehouse]],
              before: int) -> None:
    """After a flood, with no server running.

    `start` gives a running server as a context; `before` is how large the store was before the flood. It removes what
    has expired a day ago once it knows for two minutes that its clock is steady. What it does once a minute it does at
    its start, so that it is started once more to give back the room.
    """
    full = store.pages()
    store.expire()
    with start():
        gone = eventually(lambda: store.expired() == 0, 240)
    bench.state(is_removed(name, gone))
    store.vacuum()
    bound = largest(before, full)
    with start():
        eventually(lambda: store.pages() <= bound, 20)
    left = store.size()
    bench.figure(f"{name}_full_MiB", full / MIB)
    bench.figure(f"{name}_left_MiB", left / MIB)
    bench.state(is_given_back(name, before, full, left))


def largest(before: int, full: int) -> float:
    """What may be left of a store that was as large as `before` and then `full`."""
    return before + max(KEPT_FREE, full // 8) + HONEST


def is_removed(name: str, gone: bool) -> Claim:
    return Claim(gone, f"{name}: what has expired is removed")


def is_given_back(name: str, before: int, full: int, left: int) -> Claim:
    bound = largest(before, full)
    return Claim(left <= bound and left < full,
                 f"{name}: of {full / MIB:.1f} MiB {left / MIB:.1f} are left, and {bound / MIB:.1f} may be")


def self_test() -> None:
    shows([is_removed("file", True)], ("is removed", [is_removed("file", False)]))
    before, full = MIB, 80 * MIB
    most = before + 10 * MIB + MIB * 3 // 2
    shows([is_given_back("file", before, full, most), is_given_back("file", before, 8 * MIB, 13 * MIB // 2)],
          ("of 80.0 MiB", [is_given_back("file", before, full, most + 1)]),
          ("of 6.0 MiB 6.0 are left", [is_given_back("file", before, 6 * MIB, 6 * MIB)]))
