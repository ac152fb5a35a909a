"""A database is put back in time, promoted without all of the log, or goes on twice: nobody is served from what lacks
something."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable

from bench import Bench, eventually
from gatehouse import Gatehouse
from postgres import NotInstalled, Postgres, storage
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Client
from worst_day_claims import Day
from worst_day_claims import self_test as self_test

LONGEST = 600
INSTANCES = ("one", "two", "three")
# The guard counts each second; connections may come back that much later.
REFUSED_WITHIN, BACK_WITHIN = 1.0, 15
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_INSTANCES": "3",
            "GATEHOUSE_LOG_LEVEL": "notice", "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400"}
NEWCOMERS = 40


def run(bench: Bench) -> None:
    events: dict[str, Callable[[WorstDay], None]] = {"promoted": promoted, "put_back": put_back}
    try:
        with bench.carriers() as carriers:
            for name, event in events.items():
                for has_ledger in (True, False):
                    WorstDay(bench, carriers, name, has_ledger).live(event)
            # Without what both can see, neither knows of the other.
            WorstDay(bench, carriers, "twice", has_ledger=True).live(twice)
    except NotInstalled as error:
        bench.skip(str(error))


class WorstDay:
    def __init__(self, bench: Bench, carriers: Carriers, event: str, has_ledger: bool) -> None:
        self.bench, self.carriers, self.has_ledger = bench, carriers, has_ledger
        self.name = f"{event}-{'ledger' if has_ledger else 'memory'}"
        self.must = Day(self.name)
        self.folder = os.path.join(bench.folder, self.name)
        os.makedirs(self.folder, exist_ok=True)
        self.servers: list[Postgres] = []
        self.fleet: dict[str, Gatehouse] = {}

    def live(self, event: "Callable[[WorstDay], None]") -> None:
        with contextlib.ExitStack() as stack:
            self.primary = self.database("primary")
            self.primary.make()
            self.primary.start()
            self.primary.await_ready()
            # For who comes behind it: as of before anything is stored, or all the time.
            self.standby = self.database("standby")
            stack.callback(self.end)
            self.settings = {**SETTINGS, **storage(self.bench, self.primary, self.standby)}
            if self.has_ledger:
                self.settings["GATEHOUSE_STORAGE_LEDGER"] = f"file:{self.folder}/ledger"
            self.fleet["one"] = self.start("one")
            self.standby.copy(self.primary)
            self.standby.start()
            attached = "SELECT count(*) FROM pg_stat_replication"
            if not self.bench.state(self.must.is_attached(
                    eventually(lambda: self.primary.ask(attached) == "1", 30))):
                return
            for name in INSTANCES[1:]:
                self.fleet[name] = self.start(name)
            self.before()
            self.bench.state(self.must.is_in_step(eventually(self.is_in_step, 30)))
            event(self)

    def database(self, name: str) -> Postgres:
        server = Postgres(self.bench, f"{self.name}-{name}")
        self.servers.append(server)
        return server

    def start(self, name: str, **settings: str) -> Gatehouse:
        return self.bench.start(self.carriers, f"{self.name}-{name}", settings={**self.settings, **settings})

    def end(self) -> None:
        for server in self.fleet.values():
            if server.is_running:
                server.kill()
        for database in self.servers:
            database.remove()

    def is_in_step(self) -> bool:
        try:
            return (self.standby.ask("SELECT pg_last_wal_replay_lsn()")
                    >= self.primary.ask("SELECT pg_current_wal_lsn()"))
        except RuntimeError:
            return False

    # What is promised

    def sign_in(self, subscriber: str, name: str = "one", issuer: str = "aurora") -> Answer:
        return self.fleet[name].sign_in(f"{self.name}-{subscriber}", issuer)

    def admin(self, method: str, path: str, body: object = None, name: str = "one") -> Answer:
        with Client(self.fleet[name].admin_port) as client:
            return client.call(method, path, body=body)

    def before(self) -> None:
        """What every server has."""
        self.erased, self.ended, self.locked, self.unlinked = (
            self.sign_in(name) for name in ("erased", "ended", "locked", "unlinked"))
        for answer in (self.erased, self.ended, self.locked, self.unlinked):
            self.bench.state(self.must.is_there(answer))

    def lose(self) -> None:
        """What the server that goes on does not have."""
        token = self.erased.json["token"]
        erased = self.fleet["one"].call("DELETE", "/users/me", bearer=token)
        self.bench.state(self.must.is_erased(erased))
        token = self.ended.json["token"]
        self.bench.state(self.must.has_ended(self.fleet["two"].call("DELETE", "/auth/token", bearer=token)))
        locked = self.admin("POST", f"/admin/users/{self.locked.json['user']['user_id']}/lock", {"reason": "stolen"})
        self.bench.state(self.must.is_locked(locked))
        self.tool("rotate", "keys", "rotate", "--now")
        self.keys = self.kids()
        self.newcomers("lost")

    def newcomers(self, kind: str) -> None:
        answers = [self.sign_in(f"{kind}{number}", INSTANCES[number % 3]) for number in range(NEWCOMERS)]
        self.bench.state(self.must.are_let_in(kind, answers))

    def kids(self) -> list[str]:
        """Of the keys that sign access tokens; those of receipts prove something for years, and stay."""
        rows = self.tool("keys", "keys", "list", "--json")
        return [key["kid"] for key in json.loads(rows)["signing_keys"]
                if key["purpose"] == "session" and not key["retired_at"]]

    def tool(self, what: str, *words: str) -> str:
        configuration = os.path.join(self.bench.folder, f"{self.name}-one", "gatehouse.yaml")
        done = subprocess.run(
            [f"{self.bench.binaries}/gatehouse", *words, "--config", configuration],
            env={**os.environ, **self.settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.bench.state(self.must.has_run(what, done.returncode, done.stderr))
        return done.stdout

    def numbers(self, server: Postgres) -> dict[str, str]:
        """Who has which number, by a server's own word."""
        rows = server.ask("SELECT id || ' ' || reference FROM users")
        return {number: reference for number, _, reference in (line.partition(" ") for line in rows.splitlines())}

    # What is seen

    def refuses(self, since: float) -> None:
        """States that instances serve nobody, and say why."""
        for name in INSTANCES:
            spent = self.carriers.requests("token")
            answer = self.sign_in(f"meanwhile-{name}", name)
            codes = self.carriers.requests("token") - spent
            told = self.comes_to_say_why(name, REFUSED_WITHIN + 2)
            self.bench.state(*self.must.refuses(name, answer, codes, told, self.readiness(self.fleet[name])))
        self.bench.note(f"{self.name}: refused {time.monotonic() - since:.1f} s after it was to be had")

    def readiness(self, server: Gatehouse) -> str:
        with Client(server.admin_port) as client:
            answer = client.call("GET", "/readyz")
        return f"{answer.status} {answer.body[:300]!r}"

    def comes_to_say_why(self, name: str, seconds: float) -> bool:
        return eventually(lambda: self.says_why(self.fleet[name]), seconds)

    def comes_back(self, name: str) -> bool:
        return eventually(lambda: self.is_ready(name), BACK_WITHIN)

    def says_why(self, server: Gatehouse) -> bool:
        with Client(server.admin_port) as client:
            answer = client.call("GET", "/readyz")
        return answer.status == 503 and "acknowledged" in str(answer.body)

    def recovers(self, acknowledged: dict[str, str]) -> None:
        """States that the store goes on after the command, and nothing that was ended lives."""
        words = ["store", "recovered"] + ([] if self.has_ledger else ["--without-ledger"])
        began = time.monotonic()
        self.bench.note(f"{self.name}: {self.tool('recovered', *words).strip()}")
        for name in INSTANCES:
            self.bench.state(self.must.is_ready(name, self.comes_back(name)))
        self.bench.figure(f"{self.name}_back_s", time.monotonic() - began)
        self.newcomers("later")
        self.bench.state(self.must.keeps_numbers(acknowledged, self.numbers(self.standby)))
        ended = self.fleet["two"].call("GET", "/users/me", bearer=self.ended.json["token"])
        self.bench.state(self.must.stays_out(ended))
        self.bench.state(self.must.has_other_keys(eventually(lambda: not set(self.kids()) & set(self.keys), 5)))
        if self.has_ledger:
            self.bench.state(self.must.is_new(self.sign_in("erased"), self.erased))
            self.bench.state(self.must.stays_locked(self.sign_in("locked")))

    def is_ready(self, name: str) -> bool:
        try:
            return self.readiness(self.fleet[name]).startswith("200")
        except LOST:
            return False


def promoted(day: WorstDay) -> None:
    """The standby is behind when the primary dies."""
    day.standby.cut_off()
    day.lose()
    acknowledged = day.numbers(day.primary)
    day.primary.kill()
    day.standby.promote()
    day.refuses(time.monotonic())
    day.recovers(acknowledged)


def put_back(day: WorstDay) -> None:
    """An operator puts the database back to a point in time: a new timeline from an older place of the log."""
    day.standby.cut_off()
    day.lose()
    acknowledged = day.numbers(day.primary)
    day.primary.shut_down()
    day.standby.shut_down()
    # What the standby has is what a backup and the archived log up to then would come to.
    os.remove(os.path.join(day.standby.data, "standby.signal"))
    recovery = "restore_command = 'false'\nrecovery_target_action = 'promote'\n"
    for name, content in (("recovery.signal", ""), ("postgresql.auto.conf", recovery)):
        path = os.path.join(day.standby.data, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
        if day.standby.owner:
            shutil.chown(path, "postgres", "postgres")
    day.standby.start()
    day.standby.await_ready()
    day.refuses(time.monotonic())
    day.recovers(acknowledged)


def twice(day: WorstDay) -> None:
    """The standby is promoted while the primary lives, and each has instances of its own."""
    day.fleet["three"].kill()
    day.standby.promote()
    promoted_at = time.monotonic()
    alone = storage(day.bench, day.standby)
    day.settings = {**day.settings, "GATEHOUSE_STORAGE_URL": alone["GATEHOUSE_STORAGE_URL"]}
    day.fleet["three"] = day.start("three", GATEHOUSE_STORAGE_CREATE="false")
    # The ledger tells each of the other. Those that may reach both go over to the second where that lacks nothing.
    is_ready = eventually(lambda: day.is_ready("three"), 10)
    day.bench.state(day.must.has_standing(is_ready, not is_ready and day.says_why(day.fleet["three"])))
    stale = [name for name in ("one", "two") if not day.comes_to_say_why(name, 5)]
    serving = [name for name in INSTANCES if day.is_ready(name)]

    def count(server: Postgres) -> str:
        return server.ask("SELECT count(*) FROM sessions")

    before = {server: count(server) for server in (day.primary, day.standby)}
    answers = [day.sign_in(f"served-{name}", name).status for name in INSTANCES]
    used = [server for server in before if count(server) != before[server]]
    day.bench.state(day.must.is_one(len(used), answers))
    day.bench.note(f"{day.name}: {serving} serve {time.monotonic() - promoted_at:.1f} s after the second was promoted; "
                   f"{stale} never refused")
    # Where the first has acknowledged something since, nobody is served until somebody decides.
    day.primary.kill()
    if not used:
        day.tool("recovered", "store", "recovered")
    for name in INSTANCES:
        day.bench.state(day.must.is_ready(name, day.comes_back(name)))
    answers = [day.sign_in(f"decided-{name}", name).status for name in INSTANCES]
    day.bench.state(day.must.all_serve(answers))
