"""Whether a server that runs on what a power cut has left keeps what was promised before."""

import os
import random
from collections.abc import Iterable

from bench import Bench
from crash import read
from damage import flaws
from gatehouse import Gatehouse
from promises import Promise
from store_life import StoreLife, run_tool
from testbed.carriers import Carriers
from testbed.client import LOST, Client
from testbed.jose import claims

# Of the newest promises, and of all, so many are tried by asking the server; the store is asked for the rest.
TRIED = 6


class Rows:
    """What the store has of everybody."""

    def __init__(self, database: str) -> None:
        self.sessions = {id: (user, generation) for id, user, generation in read(
            database, "SELECT id, user_id, generation FROM sessions")}
        self.users = {row[0] for row in read(database, "SELECT id FROM users")}
        self.linked = {row[0] for row in read(database, "SELECT user_id FROM identities WHERE provider = 'plain'")}

    def keep(self, promise: Promise) -> bool:
        kind = promise.kind
        if kind == "session":
            user, generation = self.sessions.get(promise.id, (None, 0))
            return bool(user == promise.user and generation >= promise.generation)
        if kind == "ended":
            return promise.id not in self.sessions
        if kind == "erased":
            return promise.user not in self.users
        return kind != "linked" or promise.user in self.linked


def answers_as_promised(client: Client, promise: Promise) -> bool:
    if promise.kind == "session":
        answer = client.call("GET", "/users/me", bearer=promise.token)
        return answer.status == 200 and bool(answer.json.get("user_id") == promise.user)
    if promise.kind == "ended":
        return client.call("GET", "/users/me", bearer=promise.token).status == 401
    if promise.kind == "renewal":
        form = {"grant_type": "refresh_token", "refresh_token": promise.token}
        answer = client.call("POST", "/auth/token", form=form)
        return answer.status == 200 and bool(claims(answer.json["refresh_token"])["gen"] == promise.generation + 1)
    return True


def some(promises: Iterable[Promise]) -> list[Promise]:
    """The newest of each kind, and others at random."""
    found: list[Promise] = []
    for kind in ("session", "ended", "renewal"):
        own = sorted((promise for promise in promises if promise.kind == kind), key=lambda promise: promise.since)
        found += own[-TRIED:] + random.sample(own[:-TRIED], min(TRIED, len(own[:-TRIED])))
    # A refresh makes other tokens of the session old, so these come last.
    return found


def promised(life: StoreLife, server: Gatehouse, moment: float) -> tuple[list[Promise], list[str]]:
    """What must be so on a disk of a moment; and what is wrong already where a restore was under way or done."""
    begun, done = life.span("restore")
    if moment <= begun:
        return [promise for promise in life.promises if promise.holds(moment)], []
    events = read(server.database, "SELECT count(*) FROM audit WHERE event = 'store_restored'")[0][0]
    if events == 0:
        # It has not taken place, and all is as it was before.
        former = [promise for promise in life.promises if promise.holds(begun)]
        return former, ["a restore that was done is undone"] if done < moment else []
    kept = [promise for promise in life.promises if promise.since < moment and promise.until > moment]
    return kept + life.restored, []


def losses(life: StoreLife, carriers: Carriers, server: Gatehouse, moment: float,
           newcomer: str) -> tuple[list[str], int]:
    """Sentences of what was acknowledged before a moment and is not so, and how many promises there were. Sessions may
    end by it."""
    promises, found = promised(life, server, moment)
    rows = Rows(server.database)
    found += [f"{promise.kind}, by the store" for promise in promises if not rows.keep(promise)]
    with server.client() as client:
        for promise in some(promises):
            try:
                if not answers_as_promised(client, promise):
                    found.append(f"{promise.kind}, by the server")
            except LOST as error:
                found.append(f"{promise.kind}: no answer ({type(error).__name__})")
        answer = client.call("POST", "/auth/signin", body=carriers.authorize(newcomer))
    if answer.status != 200:
        found.append(f"a newcomer is refused: {answer}")
    elif answer.json["user"]["user_id"] in {promise.user for promise in promises}:
        found.append("a number is given twice")
    return found, len(promises)


def losses_of_ledger(life: StoreLife, bench: Bench, folder: str, disk: str, moment: float) -> list[str]:
    """The same where the store is lost with the cut, and the backup takes its place: users who were erased stay so, by
    the ledger that lies beside it. Nothing is left of the store."""
    data = os.path.join(disk, "data")
    for name in os.listdir(data):
        if name in ("gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"):
            os.remove(os.path.join(data, name))
    store = {"GATEHOUSE_STORAGE_URL": f"file:{data}/gatehouse.db"}
    done = run_tool(bench, folder, ["restore", os.path.join(disk, "backup.db")], store)
    if done.returncode != 0:
        return [f"no restore: {done.stderr.strip()}"]
    rows = Rows(os.path.join(data, "gatehouse.db"))
    return [f"{promise.kind}, by the ledger" for promise in life.promises
            if promise.kind == "erased" and promise.holds(moment) and not rows.keep(promise)]


def losses_of_backup(life: StoreLife, backup: str, moment: float) -> list[str]:
    """The same of a backup: there is none, or a whole one, and a whole one once it was acknowledged."""
    begun, done = life.span("backup")
    if not os.path.exists(backup):
        return ["a backup that was made is gone"] if done < moment else []
    found = [f"the backup: {flaw}" for flaw in flaws(backup)]
    rows = Rows(backup)
    return found + [f"{promise.kind}, by the backup" for promise in life.promises
                    if life.is_in_backup(promise) and promise.kind in ("session", "linked") and not rows.keep(promise)]
