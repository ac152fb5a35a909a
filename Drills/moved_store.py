"""A store moves to another PostgreSQL: nobody is refused there, and who follows the audit trail goes on. The last way is that of
blue and green: instances go on all the while, and meet the other server at the address of the first."""

import os
import shutil
import tempfile
import time
import types
import urllib.parse

from bench import eventually, tally
from postgres import NotInstalled, Postgres, storage
from testbed.client import Client

LONGEST = 300
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_LOG_LEVEL": "notice"}
# More than the numbers that an instance takes at once, so that those behind them are asked for, too.
NEWCOMERS = 80
END_CONNECTIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"""


def run(bench):
    try:
        with bench.carriers() as carriers:
            for way in (dumped, replicated):
                Move(bench, carriers, way).make()
            BlueAndGreen(bench, carriers).make()
    except NotInstalled as error:
        bench.skip(str(error))


class Move:
    def __init__(self, bench, carriers, way):
        self.bench, self.carriers, self.way, self.name = bench, carriers, way, way.__name__
        self.folder = os.path.join(bench.folder, self.name)
        # The highest number that anybody has been given, and how many have come behind the first follower's look.
        self.highest, self.newcomers = 0, 0
        os.makedirs(self.folder)

    def make(self):
        self.old, self.new = (Postgres(self.bench, f"{self.name}-{which}", {"wal_level": "logical"}) for which in ("old", "new"))
        try:
            for database in (self.old, self.new):
                database.make()
                database.start()
                database.await_ready()
            self.run()
        finally:
            for database in (self.old, self.new):
                database.remove()

    def live_before(self, server):
        known = self.sign_in(server, "known")
        self.many(server, "early")
        events, cursor = self.follow(server)
        self.claim(len(events) == NEWCOMERS + 1, f"the trail is whole before ({len(events)} events)")
        # What comes after the move has begun is moved, too, where the way takes it.
        if self.way is not dumped and self.begin_replication(server):
            self.newcomers += 1
        return known, cursor, events

    def live_after(self, server, known, cursor, before):
        again = self.sign_in(server, "known")
        self.claim(again.status == 200 and not again.json["new_user"], f"who was known is ({again})")
        me = server.call("GET", "/users/me", bearer=known.json["token"])
        self.claim(me.status == 200, f"sessions go on ({me})")
        highest = self.highest
        numbers = self.many(server, "new")
        self.claim(min(numbers) > highest, f"numbers go on ({highest}, then {min(numbers)})")
        later, _ = self.follow(server, cursor)
        count = NEWCOMERS + self.newcomers
        self.claim([event["event"] for event in later].count("user_created") == count,
                   f"a follower's cursor goes on ({len(later)} events)")
        every, _ = self.follow(server)
        self.claim([event["id"] for event in every] == [event["id"] for event in before + later],
                   f"the trail is whole after ({len(every)} events)")

    def run(self):
        with self.server(self.old, "before") as server:
            known, cursor, before = self.live_before(server)
        self.way(self)
        with self.server(self.new, "after") as server:
            self.live_after(server, known, cursor, before)

    def claim(self, holds, sentence):
        return self.bench.claim(holds, f"{self.name}: {sentence}")

    def server(self, database, name):
        settings = {**SETTINGS, **storage(self.bench, database), "GATEHOUSE_STORAGE_LEDGER": f"file:{self.folder}/ledger"}
        return self.bench.server(self.carriers, f"{self.name}-{name}", settings=settings)

    def sign_in(self, server, subscriber):
        return server.sign_in(f"{self.name}-{subscriber}")

    def many(self, server, kind):
        answers = [self.sign_in(server, f"{kind}{number}") for number in range(NEWCOMERS)]
        self.claim(all(answer.status == 200 for answer in answers), f"nobody is refused ({kind}: {tally(map(str, answers))})")
        numbers = [self.number(server, answer) for answer in answers if answer.status == 200]
        self.highest = max(self.highest, *numbers)
        return numbers

    @staticmethod
    def number(server, answer):
        return int(server.call("GET", "/users/me", bearer=answer.json["token"]).json["user_id"])

    def follow(self, server, cursor=None):
        """The events behind a cursor, and where the next begins."""
        events = []
        while True:
            query = {"order": "asc", "limit": "50", **({"cursor": cursor} if cursor else {})}
            with Client(server.admin_port) as client:
                page = client.call("GET", "/admin/audit?" + urllib.parse.urlencode(query)).json
            # An operator's looks are events too, and come between any two pages.
            events += [event for event in page["events"] if event["event"] != "audit_viewed"]
            if not page.get("next_cursor") or not page["events"] or page["events"][-1]["event"] == "audit_viewed":
                return events, page.get("next_cursor") or cursor
            cursor = page["next_cursor"]

    def begin_replication(self, server):
        file = f"{self.old.folder}/schema.dump"
        self.copy(file, "--schema-only")
        self.old.ask("CREATE PUBLICATION moved FOR ALL TABLES")
        self.new.ask(f"CREATE SUBSCRIPTION moved CONNECTION 'host={self.old.folder} user=gatehouse dbname=postgres' PUBLICATION moved")
        self.claim(eventually(self.is_in_step, 30), "what was there has come over")
        late = self.sign_in(server, "late")
        self.highest = max(self.highest, self.number(server, late))
        return late.status == 200

    def copy(self, file, *options):
        place = ["--username=gatehouse", f"--host={self.old.folder}"]
        self.old.tool("pg_dump", *place, "--format=custom", *options, f"--file={file}", "postgres")
        os.chmod(file, 0o644)
        self.new.tool("pg_restore", f"--host={self.new.folder}", "--username=gatehouse", "--dbname=postgres", file)

    def is_in_step(self):
        copied = self.new.ask("SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'") == "0"
        counts = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM users), (SELECT value FROM meta WHERE name = 'beat')"
        return copied and self.old.ask(counts) == self.new.ask(counts)


class BlueAndGreen(Move):
    """The instance is not stopped: its address leads to the other server from one moment on."""

    # More than what is passed over where sequences may lag, so that only the rows can tell how far they went.
    GIVEN = 3_000_000
    SWITCHED_WITHIN = 5

    def __init__(self, bench, carriers):
        super().__init__(bench, carriers, blue_and_green)
        self.address = os.path.join(tempfile.mkdtemp(prefix="gatehouse-address-", dir="/tmp"), "database")

    def run(self):
        os.symlink(self.old.folder, self.address)
        database = types.SimpleNamespace(folder=self.address)
        settings = {**SETTINGS, **storage(self.bench, database), "GATEHOUSE_STORAGE_LEDGER": f"file:{self.folder}/ledger"}
        with self.bench.server(self.carriers, self.name, settings=settings) as server:
            self.old.ask(f"SELECT setval('user_ids', {self.GIVEN})")
            known, cursor, before = self.live_before(server)
            self.way(self)
            began = time.monotonic()
            answers = []
            eventually(lambda: answers.append(self.sign_in(server, f"meanwhile{len(answers)}")) or answers[-1].status == 200, 30)
            gone = time.monotonic() - began
            self.claim(answers[-1].status == 200 and gone <= self.SWITCHED_WITHIN,
                       f"sign-ins go on after {gone:.1f} s ({tally(map(str, answers))})")
            self.newcomers += 1
            self.live_after(server, known, cursor, before)
        shutil.rmtree(os.path.dirname(self.address))


def dumped(move):
    """By pg_dump, once nobody uses it: it takes sequences along, into a server whose transactions have other numbers."""
    move.copy(f"{move.old.folder}/moved.dump")


def replicated(move):
    """By logical replication, which takes rows along and no sequences, as from blue to green."""
    move.claim(eventually(move.is_in_step, 30), "everything has come over")
    move.new.ask("DROP SUBSCRIPTION moved")


def blue_and_green(move):
    """As managed services do it: the first takes no more writes, the second has everything, and the address changes hands."""
    move.old.ask("ALTER SYSTEM SET default_transaction_read_only = on")
    move.old.ask("SELECT pg_reload_conf()")
    move.old.ask(END_CONNECTIONS)
    replicated(move)
    os.symlink(move.new.folder, f"{move.address}.next")
    os.rename(f"{move.address}.next", move.address)
    move.old.ask(END_CONNECTIONS)
