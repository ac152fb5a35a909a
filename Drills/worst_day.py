"""A database is put back in time, promoted without all of the log, or goes on twice: nobody is served from what lacks something."""

import contextlib
import json
import os
import shutil
import subprocess
import time

from bench import eventually, tally
from postgres import NotInstalled, Postgres, storage
from testbed.client import LOST, Client

LONGEST = 600
INSTANCES = ("one", "two", "three")
# The guard counts each second; connections may come back that much later.
REFUSED_WITHIN, BACK_WITHIN = 1.0, 15
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_INSTANCES": "3", "GATEHOUSE_LOG_LEVEL": "notice",
            "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400"}
NEWCOMERS = 40


def run(bench):
    try:
        with bench.carriers() as carriers:
            for event in (promoted, put_back):
                for has_ledger in (True, False):
                    WorstDay(bench, carriers, event, has_ledger).live()
            # Without what both can see, neither knows of the other.
            WorstDay(bench, carriers, twice, has_ledger=True).live()
    except NotInstalled as error:
        bench.skip(str(error))


class WorstDay:
    def __init__(self, bench, carriers, event, has_ledger):
        self.bench, self.carriers, self.event, self.has_ledger = bench, carriers, event, has_ledger
        self.name = f"{event.__name__}-{'ledger' if has_ledger else 'memory'}"
        self.folder = os.path.join(bench.folder, self.name)
        os.makedirs(self.folder, exist_ok=True)
        self.servers, self.fleet = [], {}
        # What was acknowledged: the number of each user by reference.
        self.users = {}

    def live(self):
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
            if not self.claim(eventually(lambda: self.primary.ask(attached) == "1", 30), "the standby is attached"):
                return
            for name in INSTANCES[1:]:
                self.fleet[name] = self.start(name)
            self.before()
            self.claim(eventually(self.is_in_step, 30), "the standby has everything so far")
            self.event(self)

    def database(self, name):
        server = Postgres(self.bench, f"{self.name}-{name}")
        self.servers.append(server)
        return server

    def start(self, name, **settings):
        return self.bench.start(self.carriers, f"{self.name}-{name}", settings={**self.settings, **settings})

    def end(self):
        for server in self.fleet.values():
            if server.is_running:
                server.kill()
        for server in self.servers:
            server.remove()

    def claim(self, holds, sentence):
        return self.bench.claim(holds, f"{self.name}: {sentence}")

    def is_in_step(self):
        try:
            return self.standby.ask("SELECT pg_last_wal_replay_lsn()") >= self.primary.ask("SELECT pg_current_wal_lsn()")
        except RuntimeError:
            return False

    # What is promised

    def sign_in(self, subscriber, name="one", issuer="aurora"):
        return self.fleet[name].sign_in(f"{self.name}-{subscriber}", issuer)

    def admin(self, method, path, body=None, name="one"):
        with Client(self.fleet[name].admin_port) as client:
            return client.call(method, path, body=body)

    def before(self):
        """What every server has."""
        self.erased, self.ended, self.locked, self.unlinked = (
            self.sign_in(name) for name in ("erased", "ended", "locked", "unlinked"))
        for answer in (self.erased, self.ended, self.locked, self.unlinked):
            self.claim(answer.status == 200, f"who is there before signs in ({answer})")

    def lose(self):
        """What the server that goes on does not have."""
        token = self.erased.json["token"]
        erased = self.fleet["one"].call("DELETE", "/users/me", bearer=token)
        self.claim(erased.status == 200, f"a user is erased ({erased})")
        token = self.ended.json["token"]
        self.claim(self.fleet["two"].call("DELETE", "/auth/token", bearer=token).status in (200, 204), "a session ends")
        locked = self.admin("POST", f"/admin/users/{self.locked.json['user']['user_id']}/lock", {"reason": "stolen"})
        self.claim(locked.status in (200, 204), f"a user is locked ({locked})")
        self.tool("rotate", "keys", "rotate", "--now")
        self.keys = self.kids()
        self.newcomers("lost")

    def newcomers(self, kind):
        answers = [self.sign_in(f"{kind}{number}", INSTANCES[number % 3]) for number in range(NEWCOMERS)]
        self.claim(all(answer.status == 200 for answer in answers), f"{kind}: all sign in ({tally(map(str, answers))})")
        return [answer.json for answer in answers if answer.status == 200]

    def kids(self):
        """Of the keys that sign access tokens; those of receipts prove something for years, and stay."""
        rows = self.tool("keys", "keys", "list", "--json")
        return [key["kid"] for key in json.loads(rows)["signing_keys"] if key["purpose"] == "session" and not key["retired_at"]]

    def tool(self, what, *words):
        done = subprocess.run(
            [f"{self.bench.binaries}/gatehouse", *words, "--config", os.path.join(self.bench.folder, f"{self.name}-one", "gatehouse.yaml")],
            env={**os.environ, **self.settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.claim(done.returncode == 0, f"{what}: the tool succeeds ({done.stderr.strip()[-300:]})")
        return done.stdout

    def numbers(self, server):
        """Who has which number, by a server's own word."""
        rows = server.ask("SELECT id || ' ' || reference FROM users")
        return dict(line.split(" ") for line in rows.splitlines())

    # What is seen

    def refuses(self, since, names=INSTANCES, within=REFUSED_WITHIN):
        """States that instances serve nobody, and say why."""
        for name in names:
            server = self.fleet[name]
            spent = self.carriers.requests("token")
            answer = self.sign_in(f"meanwhile-{name}", name)
            self.claim(answer.status == 503, f"{name} refuses ({answer})")
            self.claim(self.carriers.requests("token") == spent, f"{name} sends no code")
            told = eventually(lambda server=server: self.says_why(server), within + 2)
            self.claim(told, f"{name} is not ready, and says why ({self.readiness(server)})")
        self.bench.note(f"{self.name}: refused {time.monotonic() - since:.1f} s after it was to be had")

    def readiness(self, server):
        with Client(server.admin_port) as client:
            answer = client.call("GET", "/readyz")
        return f"{answer.status} {answer.body[:300]}"

    def says_why(self, server):
        with Client(server.admin_port) as client:
            answer = client.call("GET", "/readyz")
        return answer.status == 503 and "acknowledged" in str(answer.body)

    def recovers(self, acknowledged):
        """States that the store goes on after the command, and nothing that was ended lives."""
        words = ["store", "recovered"] + ([] if self.has_ledger else ["--without-ledger"])
        began = time.monotonic()
        self.bench.note(f"{self.name}: {self.tool('recovered', *words).strip()}")
        for name in INSTANCES:
            self.claim(eventually(lambda name=name: self.is_ready(name), BACK_WITHIN), f"{name} is ready again")
        self.bench.figure(f"{self.name}_back_s", time.monotonic() - began)
        self.newcomers("later")
        held = self.numbers(self.standby)
        double = [number for number, reference in acknowledged.items() if held.get(number, reference) != reference]
        self.claim(not double, f"no number is anybody else's ({len(double)} of {len(acknowledged)} are)")
        ended = self.fleet["two"].call("GET", "/users/me", bearer=self.ended.json["token"])
        self.claim(ended.status == 401, f"who was signed out is ({ended})")
        self.claim(eventually(lambda: not set(self.kids()) & set(self.keys), 5), "no key of before signs")
        if self.has_ledger:
            again = self.sign_in("erased")
            self.claim(again.status == 200 and again.json["user"]["user_id"] != self.erased.json["user"]["user_id"], f"who was erased is new ({again})")
            locked = self.sign_in("locked")
            self.claim(locked.status == 423, f"who was locked is ({locked})")

    def is_ready(self, name):
        try:
            return self.readiness(self.fleet[name]).startswith("200")
        except LOST:
            return False


def promoted(day):
    """The standby is behind when the primary dies."""
    day.standby.cut_off()
    day.lose()
    acknowledged = day.numbers(day.primary)
    day.primary.kill()
    day.standby.promote()
    day.refuses(time.monotonic())
    day.recovers(acknowledged)


def put_back(day):
    """An operator puts the database back to a point in time: a new timeline from an older place of the log."""
    day.standby.cut_off()
    day.lose()
    acknowledged = day.numbers(day.primary)
    day.primary.shut_down()
    day.standby.shut_down()
    # What the standby has is what a backup and the archived log up to then would come to.
    os.remove(os.path.join(day.standby.data, "standby.signal"))
    for name, content in (("recovery.signal", ""), ("postgresql.auto.conf", "restore_command = 'false'\nrecovery_target_action = 'promote'\n")):
        path = os.path.join(day.standby.data, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
        if day.standby.owner:
            shutil.chown(path, "postgres", "postgres")
    day.standby.start()
    day.standby.await_ready()
    day.refuses(time.monotonic())
    day.recovers(acknowledged)


def twice(day):
    """The standby is promoted while the primary lives, and each has instances of its own."""
    day.fleet["three"].kill()
    day.standby.promote()
    promoted_at = time.monotonic()
    alone = storage(day.bench, day.standby)
    day.settings = {**day.settings, "GATEHOUSE_STORAGE_URL": alone["GATEHOUSE_STORAGE_URL"]}
    day.fleet["three"] = day.start("three", GATEHOUSE_STORAGE_CREATE="false")
    # The ledger tells each of the other. Those that may reach both go over to the second where that lacks nothing.
    day.claim(eventually(lambda: day.is_ready("three"), 10) or day.says_why(day.fleet["three"]), "the third has a standing")
    stale = [name for name in ("one", "two") if not eventually(lambda name=name: day.says_why(day.fleet[name]), 5)]
    serving = [name for name in INSTANCES if day.is_ready(name)]
    def count(server):
        return server.ask("SELECT count(*) FROM sessions")

    before = {server: count(server) for server in (day.primary, day.standby)}
    answers = [day.sign_in(f"served-{name}", name).status for name in INSTANCES]
    used = [server for server in before if count(server) != before[server]]
    day.claim(len(used) <= 1, f"one server at most has those who sign in ({len(used)} have some, {answers})")
    day.bench.note(f"{day.name}: {serving} serve {time.monotonic() - promoted_at:.1f} s after the second was promoted; {stale} "
                   "never refused")
    # Where the first has acknowledged something since, nobody is served until somebody decides.
    day.primary.kill()
    if not used:
        day.tool("recovered", "store", "recovered")
    for name in INSTANCES:
        day.claim(eventually(lambda name=name: day.is_ready(name), BACK_WITHIN), f"{name} is ready again")
    answers = [day.sign_in(f"decided-{name}", name).status for name in INSTANCES]
    day.claim(answers == [200] * len(INSTANCES), f"all serve from the second ({answers})")
