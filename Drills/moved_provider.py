"""A provider has another name than it had: by an alias everybody finds their account, and it is told what that
costs."""

import contextlib
import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from bench import Bench, crowd, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from older_store import name_of, subject_of
from postgres import NotInstalled, Postgres, postgres, storage
from testbed.carriers import Carriers

USERS = int(os.environ.get("DRILL_MOVED_USERS", "100000"))
# How many sign in where figures are compared.
SAMPLE = min(2_000, USERS)
FORMER = "https://former.example"
LONGEST = 7200
LONGEST_REFUSAL = 60


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        Moved(bench, carriers, "file", {}).run()
        try:
            with postgres(bench) as database:
                Moved(bench, carriers, "postgres", storage(bench, database), database).run()
        except NotInstalled as error:
            bench.skip(str(error))


class Moved:
    """A store whose users are those of an issuer that is called otherwise by now."""

    def __init__(self, bench: Bench, carriers: Carriers, name: str, store: Mapping[str, str],
                 database: Postgres | None = None) -> None:
        self.bench, self.carriers, self.name, self.database = bench, carriers, name, database
        # The section of the carriers would trust the provider's host, too, and an alias concerns one section only.
        self.store = {**store, "GATEHOUSE_PROVIDERS": "plain"}
        self.issuer = carriers.urls["plain"]
        self.alias = {"GATEHOUSE_PROVIDER_PLAIN_ISSUER_ALIASES": f"{FORMER}={self.issuer}"}

    def server(self, settings: Mapping[str, str]) -> AbstractContextManager[Gatehouse]:
        return self.bench.server(self.carriers, self.name, settings={**self.store, **settings})

    def command(self, *words: str, settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [f"{self.bench.binaries}/gatehouse", *words, "--config", f"{self.bench.folder}/{self.name}/gatehouse.yaml"],
            env={**os.environ, **self.store, **settings},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def run(self) -> None:
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
        self.bench.state(*find_theirs([first, before, again], moved, newcomers))
        doubles = self.command("users", "doubles", "--json", settings=self.alias)
        self.bench.state(have_one(doubles.returncode, doubles.stdout))
        # Nobody is stored under the former name any more, so the alias may go.
        with self.server({}) as server:
            self.bench.state(is_found(server.sign_in(name_of(0), "plain").json.get("new_user")))

    def fill(self, settings: Mapping[str, str]) -> None:
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

    def tell(self, statement: str) -> None:
        if self.database:
            self.database.ask(statement)
        else:
            with contextlib.closing(sqlite3.connect(f"{self.bench.folder}/{self.name}/gatehouse.db")) as file:
                # The log is the server's to copy back.
                file.execute("PRAGMA wal_autocheckpoint = 0")
                file.execute(statement)
                file.commit()

    def refuse(self) -> None:
        """Without the alias all of them would get a second account."""
        server = self.bench.start(self.carriers, self.name, settings=self.store, awaits=False)
        try:
            status = server.child.wait(LONGEST_REFUSAL)
            self.bench.state(does_not_start(status, server.log_text()))
        finally:
            if server.is_running:
                server.kill()

    def measure(self, server: Gatehouse, kind: str, start: int, end: int, is_new: bool = False) -> list[object]:
        """Has some sign in, and tells what that costs the server and takes each; their users."""
        cpu, began = server.cpu(), time.monotonic()
        waits: list[float] = []

        def sign_in(number: int) -> tuple[int, object, object]:
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
        self.bench.state(are_known(kind, [(status, new) for status, new, _ in answers], is_new))
        waits.sort()
        self.bench.figure(f"{self.name}_{kind}_ms", f"{waits[len(waits) // 2] * 1e3:.1f}")
        self.bench.figure(f"{self.name}_{kind}_cpu_us", f"{cpu / len(answers) * 1e6:.0f}")
        self.bench.note(f"{self.name}: {len(answers)} sign-ins, {kind}, in {took:.0f} s")
        return [user for _, _, user in answers]


def find_theirs(samples: Sequence[Sequence[object]], moved: Sequence[object],
                newcomers: Sequence[object]) -> list[Claim]:
    """What must be true of whom those were taken for who signed in with and without the alias: some at other times, all
    when it had just come, and newcomers."""
    return [
        Claim(all(sample == moved[:SAMPLE] for sample in samples), "everybody finds the account that they had"),
        Claim(len(set(moved)) == USERS, f"and it is their own ({len(set(moved))})"),
        Claim(not set(moved) & set(newcomers), "and no newcomer's")]


def have_one(status: int, printed: str) -> Claim:
    return Claim(status == 0 and not printed, f"nobody has two ({printed[:300]})")


def is_found(new_user: object) -> Claim:
    return Claim(new_user is False, "without the alias they are still found")


def does_not_start(status: int, said: str) -> Claim:
    return Claim(status != 0 and f"{USERS} users" in said and FORMER in said,
                 f"without an alias it does not start, and says for how many ({status}, {said[-300:]})")


def are_known(kind: str, answers: Sequence[tuple[int, object]], is_new: bool) -> Claim:
    """What must be true of statuses, and of who was told to be new."""
    return Claim(all(answer == (200, is_new) for answer in answers),
                 f"{kind}: each is who they are ({tally(answers)})")


def self_test() -> None:
    moved = list(range(USERS))
    sample, other = moved[:SAMPLE], [*moved[1:SAMPLE], 0]
    shows(find_theirs([sample], moved, [USERS]),
          ("that they had", find_theirs([sample, other], moved, [USERS])),
          ("their own", find_theirs([sample], [*moved[:-1], 0], [USERS])),
          ("no newcomer's", find_theirs([sample], moved, [0])))
    shows([have_one(0, "")], ("has two", [have_one(0, "1 2")]), ("has two", [have_one(1, "")]))
    shows([is_found(False)], ("still found", [is_found(True)]), ("still found", [is_found(None)]))
    said = f"the store has {USERS} users of {FORMER}"
    shows([does_not_start(1, said)],
          ("does not start", [does_not_start(0, said)]), ("does not start", [does_not_start(1, "")]),
          ("does not start", [does_not_start(1, f"{USERS} users")]), ("does not start", [does_not_start(1, FORMER)]))
    shows([are_known("first", [(200, False)], False)],
          ("who they are", [are_known("first", [(200, False), (200, True)], False)]),
          ("who they are", [are_known("first", [(401, None)], False)]))
