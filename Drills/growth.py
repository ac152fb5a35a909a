"""A user takes no more room after a year of daily refreshes than after the sign-in, and a refresh writes little."""

import os
import sqlite3
import statistics
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench import KIB, Bench, crowd
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import Answer, Client

# A year is 365 refreshes. What the store has of a session depends on how often it was refreshed, not on how long ago:
# no row comes with time alone.
USERS, REFRESHES = 500, 365
# On so many connections, side by side.
APPS = 8
# Of these one is awaited before the next, so that none shares its commit.
ALONE = 25
# What a year may add.
MOST_GROWTH = 1.05
LARGEST_REFRESH, LARGEST_SIGN_IN = 16 * KIB, 96 * KIB
LONGEST = 600


@dataclass(frozen=True)
class Year:
    """The store before a year of refreshes and after it: its bytes, and the rows of tables that grow with users."""

    before: int
    after: int
    rows_before: Mapping[str, int]
    rows_after: Mapping[str, int]

    def claims(self) -> list[Claim]:
        return [
            Claim(self.after <= MOST_GROWTH * self.before,
                  f"{REFRESHES} refreshes add at most {MOST_GROWTH - 1:.0%} "
                  f"({self.before} bytes before, {self.after} after)"),
            Claim(self.rows_after == self.rows_before,
                  f"and no row ({self.rows_before} before, {self.rows_after} after)")]


def everybody_signs_in(answers: Sequence[Answer]) -> Claim:
    return Claim(all(answer.status == 200 for answer in answers), "everybody signs in")


def are_accepted(refused: int) -> Claim:
    return Claim(refused == 0, f"every refresh is accepted ({refused} sessions ended early)")


def succeeds_alone(name: str, alone: Answer) -> Claim:
    return Claim(alone.status == 200, f"a lone {name} succeeds ({alone})")


def writes_little(name: str, usual: float, largest: int) -> Claim:
    return Claim(usual <= largest, f"a lone {name} writes at most {largest} bytes of log ({int(usual)})")


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        with bench.server(carriers) as server:
            database = server.database
        empty = bytes_in_use(database)
        with bench.server(carriers) as server:
            answers = crowd(USERS, lambda number: server.sign_in(f"steady{number}"))
            if not bench.state(everybody_signs_in(answers)):
                return
        signed_in = bytes_in_use(database) - empty
        rows = rows_of(database)
        with bench.server(carriers) as server:
            began = time.monotonic()
            tokens = [answer.json["refresh_token"] for answer in answers]
            refused = sum(crowd(APPS, lambda app: live_a_year(server.port, tokens[app::APPS]), threads=APPS))
            bench.note(f"{USERS * REFRESHES} refreshes in {time.monotonic() - began:.0f} s")
            bench.state(are_accepted(refused))
        after = bytes_in_use(database) - empty
        bench.figure("users", USERS)
        bench.figure("bytes_each", signed_in // USERS)
        bench.figure("after_a_year", after // USERS)
        bench.state(*Year(signed_in, after, rows, rows_of(database)).claims())
        with bench.server(carriers) as server:
            write_alone(bench, server)


def live_a_year(port: int, tokens: Sequence[str]) -> int:
    """Day by day, everybody once; how many were refused."""
    refused = 0
    with Client(port) as client:
        for _ in range(REFRESHES):
            renewed = []
            for token in tokens:
                form = {"grant_type": "refresh_token", "refresh_token": token}
                answer = client.call("POST", "/auth/token", form=form)
                if answer.status == 200:
                    renewed.append(answer.json["refresh_token"])
                else:
                    refused += 1
            tokens = renewed
    return refused


def write_alone(bench: Bench, server: Gatehouse) -> None:
    """What goes into the log for one refresh, and for one sign-in."""
    log = Log(server.database + "-wal")
    session = server.sign_in("alone")

    def refresh() -> Answer:
        nonlocal session
        session = server.call("POST", "/auth/token", form={
            "grant_type": "refresh_token", "refresh_token": session.json["refresh_token"]})
        return session

    bodies = iter([server.carriers.authorize(f"alone{number}") for number in range(ALONE)])

    def sign_in() -> Answer:
        return server.call("POST", "/auth/signin", body=next(bodies))

    for name, work, largest in [
        ("refresh", refresh, LARGEST_REFRESH),
        ("sign_in", sign_in, LARGEST_SIGN_IN),
    ]:
        written = []
        for _ in range(ALONE):
            before = log.position()
            if not bench.state(succeeds_alone(name, work())):
                return
            written.append(log.bytes_since(before))
        # One now and then comes together with what the server does by itself, or starts the log over.
        usual = statistics.median(size for size in written if size is not None)
        bench.figure(f"log_of_{name}", int(usual))
        bench.state(writes_little(name, usual, largest))


class Log:
    """A write-ahead log (sqlite.org/fileformat2.html §4): a header, and frames that bear its two salts."""

    HEADER, FRAME_HEADER = 32, 24

    def __init__(self, path: str) -> None:
        self.path = path

    def position(self) -> tuple[bytes, int] | None:
        """The salts, and where the last frame under them ends; None when there is no log yet."""
        try:
            with open(self.path, "rb") as file:
                header = file.read(self.HEADER)
                if len(header) < self.HEADER:
                    return None
                page, salts = struct.unpack(">I", header[8:12])[0], header[16:24]
                end = self.HEADER
                while True:
                    file.seek(end)
                    frame = file.read(self.FRAME_HEADER)
                    if len(frame) < self.FRAME_HEADER or frame[8:16] != salts:
                        return salts, end
                    end += self.FRAME_HEADER + page
        except FileNotFoundError:
            return None

    def bytes_since(self, before: tuple[bytes, int] | None) -> int | None:
        """None when the log was started over meanwhile."""
        now = self.position()
        return now[1] - before[1] if before and now and now[0] == before[0] else None


def bytes_in_use(database: str) -> int:
    """Of a store that nobody has open, which is one file then."""
    if os.path.exists(database + "-wal"):
        raise RuntimeError("the server has left its log")
    with opened(database) as connection:
        used, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0])
                            for name in ("page_count", "freelist_count", "page_size"))
    return (used - free) * size


def rows_of(database: str) -> dict[str, int]:
    """How many rows each table has that grows with users."""
    with opened(database) as connection:
        tables = [row[0] for row in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
        counts = {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}
    return {table: count for table, count in counts.items() if count >= USERS}


def opened(database: str) -> sqlite3.Connection:
    # Nothing is to lie beside it afterwards.
    return sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)


def self_test() -> None:
    good = Year(100_000, 105_000, {"sessions": 500}, {"sessions": 500})
    shows(good.claims(), ("add at most", replace(good, after=105_001).claims()),
          ("no row", replace(good, rows_after={"sessions": 501}).claims()))
    shows([everybody_signs_in([answer(200)])], ("everybody", [everybody_signs_in([answer(200), answer(503)])]))
    shows([are_accepted(0)], ("accepted", [are_accepted(1)]))
    shows([succeeds_alone("refresh", answer(200))], ("a lone refresh", [succeeds_alone("refresh", answer(401))]))
    shows([writes_little("refresh", LARGEST_REFRESH, LARGEST_REFRESH)],
          ("at most", [writes_little("refresh", LARGEST_REFRESH + 1, LARGEST_REFRESH)]))
