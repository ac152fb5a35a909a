"""A provider has another name than it had: by an alias everybody finds their account, and it is told what that costs."""

import contextlib
import json
import os
import sqlite3
import subprocess
import time

from bench import crowd, tally
from older_store import name_of, subject_of
from postgres import NotInstalled, postgres, storage

USERS = int(os.environ.get("DRILL_MOVED_USERS", "100000"))
# How many sign in where figures are compared.
SAMPLE = min(2_000, USERS)
FORMER = "https://former.example"
LONGEST = 7200
LONGEST_REFUSAL = 60


def run(bench):
    with bench.carriers() as carriers:
        Moved(bench, carriers, "file", {}).run()
        try:
            with postgres(bench) as database:
                Moved(bench, carriers, "postgres", storage(bench, database), database).run()
        except NotInstalled as error:
            bench.skip(str(error))


class Moved:
    """A store whose users are those of an issuer that is called otherwise by now."""

    def __init__(self, bench, carriers, name, store, database=None):
        self.bench, self.carriers, self.name, self.database = bench, carriers, name, database
        # The section of the carriers would trust the provider's host, too, and an alias concerns one section only.
        self.store = {**store, "GATEHOUSE_PROVIDERS": "plain"}
        self.issuer = carriers.urls["plain"]
        self.alias = {"GATEHOUSE_PROVIDER_PLAIN_ISSUER_ALIASES": f"{FORMER}={self.issuer}"}

    def server(self, settings):
        return self.bench.server(self.carriers, self.name, settings={**self.store, **settings})

    def command(self, *words, settings):
        return subprocess.run(
            [f"{self.bench.binaries}/gatehouse", *words, "--config", f"{self.bench.folder}/{self.name}/gatehouse.yaml"],
            env={**os.environ, **self.store, **settings},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def run(self):
        with self.server({}):
            pass
        self.fill({})
        with self.server({}) as server:
            first = self.measure(server, "first", 0, SAMPLE)
            before = self.measure(server, "before", 0, SAMPLE)
        # As if all of that had been at the provider while it was called otherwise.
        self.tell(f"UPDATE identities SET issuer = '{FORMER}'")
        self.tell("DELETE FROM meta WHERE name = 'providers'")
        self.refuse()
        with self.server(self.alias) as server:
            began = time.monotonic()
            moved = self.measure(server, "moved", 0, SAMPLE) + self.measure(server, "others", SAMPLE, USERS)
            self.bench.figure(f"{self.name}_all_s", f"{time.monotonic() - began:.0f}")
            again = self.measure(server, "again", 0, SAMPLE)
            newcomers = self.measure(server, "newcomers", USERS, USERS + SAMPLE, is_new=True)
        self.bench.claim(first == before == moved[:SAMPLE] == again, "everybody finds the account that they had")
        self.bench.claim(len(set(moved)) == USERS, f"and it is their own ({len(set(moved))})")
        self.bench.claim(not set(moved) & set(newcomers), "and no newcomer's")
        doubles = self.command("users", "doubles", "--json", settings=self.alias)
        self.bench.claim(doubles.returncode == 0 and not doubles.stdout, f"nobody has two ({doubles.stdout[:300]})")
        # Nobody is stored under the former name any more, so the alias may go.
        with self.server({}) as server:
            self.bench.claim(server.sign_in(name_of(0), "plain").json.get("new_user") is False,
                             "without the alias they are still found")

    def fill(self, settings):
        users = os.path.join(self.bench.folder, f"{self.name}.jsonl")
        with open(users, "w", encoding="utf-8") as file:
            for number in range(USERS):
                name = name_of(number)
                identity = {"provider": "plain", "issuer": self.issuer, "subject": subject_of(name)}
                file.write(json.dumps({"identities": [identity], "profile": {
                    "name": f"Somebody {number}", "email": f"{name}@example.com"}}) + "\n")
        done = self.command("store", "import", users, "--json", settings=settings)
        os.remove(users)
        created = json.loads(done.stdout).get("created") if done.returncode == 0 else None
        if created != USERS:
            raise RuntimeError(f"{created} users are imported: {done.stderr[-1000:]}")
        self.bench.note(f"{self.name}: {USERS} users are imported")

    def tell(self, statement):
        if self.database:
            self.database.ask(statement)
        else:
            with contextlib.closing(sqlite3.connect(f"{self.bench.folder}/{self.name}/gatehouse.db")) as file:
                # The log is the server's to copy back.
                file.execute("PRAGMA wal_autocheckpoint = 0")
                file.execute(statement)
                file.commit()

    def refuse(self):
        """Without the alias all of them would get a second account."""
        server = self.bench.start(self.carriers, self.name, settings=self.store, awaits=False)
        try:
            status = server.child.wait(LONGEST_REFUSAL)
            said = server.log_text()
            self.bench.claim(status != 0 and f"{USERS} users" in said and FORMER in said,
                             f"without an alias it does not start, and says for how many ({status}, {said[-300:]})")
        finally:
            if server.is_running:
                server.kill()

    def measure(self, server, kind, start, end, is_new=False):
        """Has some sign in, and tells what that costs the server and takes each; their users."""
        cpu, began = server.cpu(), time.monotonic()
        waits = []

        def sign_in(number):
            body = self.carriers.authorize(name_of(start + number), "plain")
            asked = time.monotonic()
            answer = server.call("POST", "/auth/signin", body=body)
            waits.append(time.monotonic() - asked)
            # Not the whole answer, for there are many.
            return answer.status, answer.json.get("new_user"), answer.json.get("user", {}).get("user_id")

        answers = crowd(end - start, sign_in, threads=8)
        if not answers:
            return []
        cpu, took = server.cpu() - cpu, time.monotonic() - began
        self.bench.claim(all((status, new) == (200, is_new) for status, new, _ in answers),
                         f"{kind}: each is who they are ({tally((status, new) for status, new, _ in answers)})")
        waits.sort()
        self.bench.figure(f"{self.name}_{kind}_ms", f"{waits[len(waits) // 2] * 1e3:.1f}")
        self.bench.figure(f"{self.name}_{kind}_cpu_us", f"{cpu / len(answers) * 1e6:.0f}")
        self.bench.note(f"{self.name}: {len(answers)} sign-ins, {kind}, in {took:.0f} s")
        return [user for _, _, user in answers]
