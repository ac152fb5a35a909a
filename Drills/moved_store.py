"""A store moves to another PostgreSQL: nobody is refused there, and who follows the audit trail goes on. The last way
is that of blue and green: instances go on all the while, and meet the other server at the address of the first."""

import os
import shutil
import tempfile
import time
import urllib.parse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from bench import Bench, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from postgres import NotInstalled, Place, Postgres, storage
from testbed.carriers import Carriers
from testbed.client import Answer, Client, JSONObject

LONGEST = 300
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_LOG_LEVEL": "notice"}
# More than the numbers that an instance takes at once, so that those behind them are asked for, too.
NEWCOMERS = 80
# More than what is passed over where sequences may lag, so that only the rows can tell how far they went.
GIVEN = 3_000_000
SWITCHED_WITHIN = 5
END_CONNECTIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"""


def run(bench: Bench) -> None:
    try:
        with bench.carriers() as carriers:
            Move(bench, carriers, "dumped", dumped).make()
            Move(bench, carriers, "replicated", replicated).make()
            BlueAndGreen(bench, carriers).make()
    except NotInstalled as error:
        bench.skip(str(error))


class Move:
    def __init__(self, bench: Bench, carriers: Carriers, name: str, way: "Callable[[Move], None]") -> None:
        self.bench, self.carriers, self.way, self.name = bench, carriers, way, name
        self.folder = os.path.join(bench.folder, self.name)
        # The highest number that anybody has been given, and how many have come behind the first follower's look.
        self.highest, self.newcomers = 0, 0
        os.makedirs(self.folder)
        self.old, self.new = (
            Postgres(bench, f"{name}-{which}", {"wal_level": "logical"}) for which in ("old", "new"))

    def make(self) -> None:
        try:
            for database in (self.old, self.new):
                database.make()
                database.start()
                database.await_ready()
            self.run()
        finally:
            for database in (self.old, self.new):
                database.remove()

    def live_before(self, server: Gatehouse) -> tuple[Answer, str | None, list[JSONObject]]:
        known = self.sign_in(server, "known")
        self.many(server, "early")
        events, cursor = self.follow(server)
        self.bench.state(is_whole(self.name, len(events)))
        # What comes after the move has begun is moved, too, where the way takes it.
        if self.way is not dumped and self.begin_replication(server):
            self.newcomers += 1
        return known, cursor, events

    def live_after(self, server: Gatehouse, known: Answer, cursor: str | None, before: list[JSONObject]) -> None:
        again = self.sign_in(server, "known")
        me = server.call("GET", "/users/me", bearer=known.json["token"])
        self.bench.state(*goes_on(self.name, again, me))
        highest = self.highest
        self.bench.state(are_higher(self.name, highest, self.many(server, "new")))
        later, _ = self.follow(server, cursor)
        every, _ = self.follow(server)
        self.bench.state(*follows(self.name, before, later, every, NEWCOMERS + self.newcomers))

    def run(self) -> None:
        with self.server(self.old, "before") as server:
            known, cursor, before = self.live_before(server)
        self.way(self)
        with self.server(self.new, "after") as server:
            self.live_after(server, known, cursor, before)

    def settings(self, database: Place) -> dict[str, str]:
        return {**SETTINGS, **storage(self.bench, database),
                "GATEHOUSE_STORAGE_LEDGER": f"file:{self.folder}/ledger"}

    def server(self, database: Postgres, name: str) -> AbstractContextManager[Gatehouse]:
        return self.bench.server(self.carriers, f"{self.name}-{name}", settings=self.settings(database))

    def sign_in(self, server: Gatehouse, subscriber: str) -> Answer:
        return server.sign_in(f"{self.name}-{subscriber}")

    def many(self, server: Gatehouse, kind: str) -> list[int]:
        """The numbers of newcomers."""
        answers = [self.sign_in(server, f"{kind}{number}") for number in range(NEWCOMERS)]
        self.bench.state(are_let_in(self.name, kind, answers))
        numbers = [self.number(server, answer) for answer in answers if answer.status == 200]
        self.highest = max(self.highest, *numbers)
        return numbers

    @staticmethod
    def number(server: Gatehouse, answer: Answer) -> int:
        return int(server.call("GET", "/users/me", bearer=answer.json["token"]).json["user_id"])

    def follow(self, server: Gatehouse, cursor: str | None = None) -> tuple[list[JSONObject], str | None]:
        """The events behind a cursor, and where the next begins."""
        events: list[JSONObject] = []
        while True:
            query = {"order": "asc", "limit": "50", **({"cursor": cursor} if cursor else {})}
            with Client(server.admin_port) as client:
                page = client.call("GET", "/admin/audit?" + urllib.parse.urlencode(query)).json
            # An operator's looks are events too, and come between any two pages.
            events += [event for event in page["events"] if event["event"] != "audit_viewed"]
            following: str | None = page.get("next_cursor")
            if not following or not page["events"] or page["events"][-1]["event"] == "audit_viewed":
                return events, following or cursor
            cursor = following

    def begin_replication(self, server: Gatehouse) -> bool:
        file = f"{self.old.folder}/schema.dump"
        self.copy(file, "--schema-only")
        self.old.ask("CREATE PUBLICATION moved FOR ALL TABLES")
        self.new.ask(f"CREATE SUBSCRIPTION moved CONNECTION 'host={self.old.folder} user=gatehouse dbname=postgres' "
                     "PUBLICATION moved")
        self.bench.state(has_begun(self.name, eventually(self.is_in_step, 30)))
        late = self.sign_in(server, "late")
        self.highest = max(self.highest, self.number(server, late))
        return late.status == 200

    def copy(self, file: str, *options: str) -> None:
        place = ["--username=gatehouse", f"--host={self.old.folder}"]
        self.old.tool("pg_dump", *place, "--format=custom", *options, f"--file={file}", "postgres")
        os.chmod(file, 0o644)
        self.new.tool("pg_restore", f"--host={self.new.folder}", "--username=gatehouse", "--dbname=postgres", file)

    def is_in_step(self) -> bool:
        copied = self.new.ask("SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'") == "0"
        counts = ("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM users), "
                  "(SELECT value FROM meta WHERE name = 'beat')")
        return copied and self.old.ask(counts) == self.new.ask(counts)


@dataclass
class Address:
    """Where instances look for the server that is theirs."""

    folder: str


class BlueAndGreen(Move):
    """The instance is not stopped: its address leads to the other server from one moment on."""

    def __init__(self, bench: Bench, carriers: Carriers) -> None:
        super().__init__(bench, carriers, "blue_and_green", replicated)
        self.address = os.path.join(tempfile.mkdtemp(prefix="gatehouse-address-", dir="/tmp"), "database")

    def run(self) -> None:
        os.symlink(self.old.folder, self.address)
        with self.bench.server(self.carriers, self.name, settings=self.settings(Address(self.address))) as server:
            self.old.ask(f"SELECT setval('user_ids', {GIVEN})")
            known, cursor, before = self.live_before(server)
            self.change_hands()
            began = time.monotonic()
            answers: list[Answer] = []

            def is_back() -> bool:
                answers.append(self.sign_in(server, f"meanwhile{len(answers)}"))
                return answers[-1].status == 200

            eventually(is_back, 30)
            self.bench.state(goes_over(self.name, time.monotonic() - began, answers))
            self.newcomers += 1
            self.live_after(server, known, cursor, before)
        shutil.rmtree(os.path.dirname(self.address))

    def change_hands(self) -> None:
        """As managed services do it: the first takes no more writes, the second has everything, and the address
        changes hands."""
        self.old.ask("ALTER SYSTEM SET default_transaction_read_only = on")
        self.old.ask("SELECT pg_reload_conf()")
        self.old.ask(END_CONNECTIONS)
        self.way(self)
        os.symlink(self.new.folder, f"{self.address}.next")
        os.rename(f"{self.address}.next", self.address)
        self.old.ask(END_CONNECTIONS)


def dumped(move: Move) -> None:
    """By pg_dump, once nobody uses it: it takes sequences along, into a server whose transactions have other
    numbers."""
    move.copy(f"{move.old.folder}/moved.dump")


def replicated(move: Move) -> None:
    """By logical replication, which takes rows along and no sequences, as from blue to green."""
    move.bench.state(has_come_over(move.name, eventually(move.is_in_step, 30)))
    move.new.ask("DROP SUBSCRIPTION moved")


def is_whole(name: str, events: int) -> Claim:
    return Claim(events == NEWCOMERS + 1, f"{name}: the trail is whole before ({events} events)")


def has_begun(name: str, is_in_step: bool) -> Claim:
    return Claim(is_in_step, f"{name}: what was there has come over")


def has_come_over(name: str, is_in_step: bool) -> Claim:
    return Claim(is_in_step, f"{name}: everything has come over")


def goes_over(name: str, gone: float, answers: Sequence[Answer]) -> Claim:
    """What must be true of sign-ins until one succeeded, or none was tried any more, which took `gone` seconds."""
    return Claim(answers[-1].status == 200 and gone <= SWITCHED_WITHIN,
                 f"{name}: sign-ins go on after {gone:.1f} s ({tally(map(str, answers))})")


def are_let_in(name: str, kind: str, answers: Sequence[Answer]) -> Claim:
    return Claim(all(answer.status == 200 for answer in answers),
                 f"{name}: nobody is refused ({kind}: {tally(map(str, answers))})")


def goes_on(name: str, again: Answer, me: Answer) -> list[Claim]:
    """What must be true of another sign-in of somebody, and of a session from before."""
    return [Claim(again.status == 200 and not again.json["new_user"], f"{name}: who was known is ({again})"),
            Claim(me.status == 200, f"{name}: sessions go on ({me})")]


def are_higher(name: str, highest: int, numbers: Sequence[int]) -> Claim:
    return Claim(min(numbers) > highest, f"{name}: numbers go on ({highest}, then {min(numbers)})")


def follows(name: str, before: Sequence[JSONObject], later: Sequence[JSONObject], every: Sequence[JSONObject],
            newcomers: int) -> list[Claim]:
    """What must be true of the events that a follower has had before and after the move, and of all that there are."""
    return [
        Claim([event["event"] for event in later].count("user_created") == newcomers,
              f"{name}: a follower's cursor goes on ({len(later)} events)"),
        Claim([event["id"] for event in every] == [event["id"] for event in [*before, *later]],
              f"{name}: the trail is whole after ({len(every)} events)")]


def self_test() -> None:
    shows([is_whole("a", NEWCOMERS + 1)], ("whole before", [is_whole("a", NEWCOMERS)]))
    shows([has_begun("a", True)], ("what was there", [has_begun("a", False)]))
    shows([has_come_over("a", True)], ("everything", [has_come_over("a", False)]))
    good, refused = answer(200, new_user=False), answer(503)
    shows([goes_over("a", SWITCHED_WITHIN, [refused, good])],
          ("sign-ins go on", [goes_over("a", SWITCHED_WITHIN + 0.1, [refused, good])]),
          ("sign-ins go on", [goes_over("a", SWITCHED_WITHIN, [good, refused])]))
    shows([are_let_in("a", "new", [good])], ("is refused", [are_let_in("a", "new", [good, refused])]))
    shows(goes_on("a", good, good),
          ("was known", goes_on("a", answer(200, new_user=True), good)), ("was known", goes_on("a", refused, good)),
          ("sessions go on", goes_on("a", good, answer(401))))
    shows([are_higher("a", 7, [9, 8])], ("numbers go on", [are_higher("a", 7, [8, 7])]))
    first: JSONObject = {"id": 1, "event": "signed_in"}
    second: JSONObject = {"id": 2, "event": "user_created"}
    shows(follows("a", [first], [second], [first, second], 1),
          ("cursor goes on", follows("a", [first], [second], [first, second], 2)),
          ("whole after", follows("a", [first], [second], [second], 1)),
          ("whole after", follows("a", [first], [second], [second, first], 1)))
