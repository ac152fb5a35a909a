"""What strangers have had a store keep is gone after its lifetime, and the room that it took is given back."""

import contextlib
import os
import sqlite3

from bench import MIB, eventually

# Rows that a stranger can have kept, each until a time of its own, which the drill moves into the past.
TABLES = ["pending_sign_ins", "app_codes", "used_challenges", "seen_tokens", "budgets", "failed_sign_ins"]
# What Documentation/Operating.md says stays free of a file: an eighth of it, or this.
KEPT_FREE = 4 * MIB
# What honest users have added meanwhile, and the log of a file.
HONEST = 1.5 * MIB


class FileStore:
    """A store in a file, while no server runs."""

    def __init__(self, path):
        self.path = path

    @contextlib.contextmanager
    def connection(self):
        with contextlib.closing(sqlite3.connect(self.path, timeout=30)) as connection:
            yield connection

    def expire(self):
        with self.connection() as connection:
            for table in TABLES:
                connection.execute(f"UPDATE {table} SET expires = 1")
            connection.commit()

    def expired(self):
        with self.connection() as connection:
            return sum(connection.execute(f"SELECT count(*) FROM {table} WHERE expires = 1").fetchone()[0] for table in TABLES)

    def size(self):
        return os.path.getsize(self.path)

    def events(self, kind):
        with self.connection() as connection:
            return connection.execute("SELECT count(*) FROM audit WHERE event = ?", (kind,)).fetchone()[0]

    def vacuum(self):
        """The server gives pages back by itself."""

    def pages(self):
        """Bytes of the database's pages. The file is cut to them when its log is next copied back."""
        with self.connection() as connection:
            return connection.execute("PRAGMA page_count").fetchone()[0] * connection.execute("PRAGMA page_size").fetchone()[0]


class SharedStore:
    """A store in PostgreSQL."""

    def __init__(self, database):
        self.database = database

    def expire(self):
        for table in TABLES:
            self.database.ask(f"UPDATE {table} SET expires = 1")

    def expired(self):
        counts = " + ".join(f"(SELECT count(*) FROM {table} WHERE expires = 1)" for table in TABLES)
        return int(self.database.ask(f"SELECT {counts}"))

    def events(self, kind):
        return int(self.database.ask(f"SELECT count(*) FROM audit WHERE event = '{kind}'"))

    def vacuum(self):
        """What autovacuum does, which the drill does not wait for."""
        for table in TABLES:
            self.database.ask(f"VACUUM {table}")

    def size(self):
        return self.pages()

    def pages(self):
        """Bytes of all tables with their indexes."""
        return int(self.database.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"))


def lifetimes(bench, name, store, start, before):
    """After a flood, with no server running.

    `start` gives a running server as a context; `before` is how large the store was before the flood. It removes what has
    expired a day ago once it knows for two minutes that its clock is steady. What it does once a minute it does at its start, so
    that it is started once more to give back the room.
    """
    full = store.pages()
    store.expire()
    with start():
        gone = eventually(lambda: store.expired() == 0, 240)
    bench.claim(gone, f"{name}: what has expired is removed")
    store.vacuum()
    bound = before + max(KEPT_FREE, full // 8) + HONEST
    with start():
        eventually(lambda: store.pages() <= bound, 20)
    left = store.size()
    bench.figure(f"{name}_full_MiB", full / MIB)
    bench.figure(f"{name}_left_MiB", left / MIB)
    bench.claim(left <= bound and left < full,
                f"{name}: of {full / MIB:.1f} MiB {left / MIB:.1f} are left, and {bound / MIB:.1f} may be")
