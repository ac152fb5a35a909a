"""Killed at random instants under load, the server loses nothing that it acknowledged, and brings back nobody it
erased."""

import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from acknowledged import Acknowledged, Session
from bench import Bench, eventually
from claims import Claim, answer, shows
from damage import flaws
from testbed.client import LOST, Answer

# Many more by hand: DRILL_CRASH_ROUNDS=1000 scripts/drill crash
ROUNDS = int(os.environ.get("DRILL_CRASH_ROUNDS", "12"))
LONGEST = 120 + 10 * ROUNDS
APPS = 6
# Codes are got beforehand, so that what is killed is busy with sign-ins and not waiting for codes. In many rounds there
# are fewer in each: the store is examined whole each time.
CODES_PER_APP, LONGEST_ROUND = (25, 0.4) if ROUNDS <= 100 else (8, 0.15)
# How many of those who have signed in leave again.
LEAVING = 0.2
# After so many rounds the newest backup is restored, every other time with a kill in the middle.
RESTORE_EVERY = 2
LONGEST_RESTORE = 0.08
# A thousand rounds take longer than an access token is good for by itself.
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400"}
# How long the last steps take, in which the restored store takes the place of the former one.
LONGEST_REPLACEMENT = 0.02


def use(known: "Known", bodies: Iterable[dict[str, str]], stopped: threading.Event) -> None:
    """An app that signs in, renews what it has and leaves, until the server goes away."""
    for body in bodies:
        if stopped.is_set():
            return
        try:
            session = known.sign_in_as(body)
            if session is None:
                continue
            choice = random.random()
            if choice < LEAVING:
                known.erase(session)
            elif choice < LEAVING + 0.3:
                known.refresh(session)
        except LOST:
            return


class Operator:
    """Makes backups beside the server, and restores them without one."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.executable = f"{bench.binaries}/gatehouse"
        self.configuration = os.path.join(bench.folder, "server", "gatehouse.yaml")
        self.number = 0
        # The newest backup: its file, and how many sessions had been acknowledged before it began.
        self.backup: tuple[str, int] | None = None
        self.restores = self.killed = self.finished = 0

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.executable, *words, "--config", self.configuration], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def make_backup(self, known: "Known") -> None:
        self.number += 1
        file = os.path.join(self.bench.folder, f"backup{self.number}.db")
        before = known.count()
        # The server may be killed meanwhile, which is nothing to the backup.
        process = self.start("store", "backup", file)
        errors = process.communicate()[1]
        if self.bench.state(backed_up(process.returncode, errors)):
            if self.backup:
                os.remove(self.backup[0])
            self.backup = (file, before)

    def restore(self, known: "Known", backup: tuple[str, int], kills: bool) -> None:
        """Restores a backup, perhaps killed in the middle."""
        file, count = backup
        before = newest_restore(known.server.database)
        process = self.start("store", "restore", file, "--keep-sessions")
        if kills:
            await_moment(process, known.server.database)
            process.send_signal(signal.SIGKILL)
        errors = process.communicate()[1]
        self.restores += 1
        if process.returncode == 0:
            self.finished += 1
            known.forget_after(count)
        elif self.bench.state(restored(process.returncode, kills, errors)):
            self.killed += 1
            known.either(count, before)

    def forget_former_stores(self, database: str) -> None:
        folder, name = os.path.split(database)
        for entry in os.listdir(folder):
            if entry.startswith(f"{name}-former-"):
                os.remove(os.path.join(folder, entry))


def await_moment(process: subprocess.Popen[str], database: str) -> None:
    """Any moment of a restore, or one in its last steps."""
    if random.random() < 0.5:
        time.sleep(random.uniform(0, LONGEST_RESTORE))
        return
    while process.poll() is None and not os.path.exists(f"{database}-restored"):
        pass
    time.sleep(random.choice([0, random.uniform(0, LONGEST_REPLACEMENT)]))


class Known(Acknowledged):
    """What must be there, and what must not, after kills and restores."""

    def __init__(self) -> None:
        super().__init__()
        self.erased: set[int] = set()
        # Everybody who ever signed in: no number is given twice.
        self.users: set[int] = set()
        self.twice = 0
        # After a restore that was killed: how many sessions there are if it has taken place, and the event before it.
        self.undecided: tuple[int, int | None] | None = None
        # How many restores have taken place though they were killed.
        self.taken = 0

    def count(self) -> int:
        with self.lock:
            return len(self.sessions)

    def sign_in_as(self, body: dict[str, str]) -> Session | None:
        answer = self.server.call("POST", "/auth/signin", body=body)
        if answer.status != 200:
            return None
        session = Session.opened(answer)
        with self.lock:
            self.twice += session.user in self.users
            self.users.add(session.user)
            self.sessions.append(session)
        return session

    def erase(self, session: Session) -> None:
        """Erases the user of a session. Without an answer nobody knows whether they are there."""
        session.ending = True
        answer = self.server.call("DELETE", "/users/me", bearer=session.token)
        if answer.status in (200, 204):
            with self.lock:
                self.erased.add(session.user)

    def forget_after(self, count: int) -> None:
        del self.sessions[count:]
        for session in self.sessions:
            # A generation that the restored store has not come to is refused.
            session.refresh = None

    def either(self, count: int, before: int | None) -> None:
        self.undecided = (count, before)

    def staying(self, sessions: Iterable[Session]) -> list[Session]:
        return [session for session in sessions if not session.ending]

    def decide(self) -> None:
        """After a restore that was killed there is the former store or the restored one, each with all its sessions."""
        if self.undecided is None:
            return
        count, before = self.undecided
        # What was acknowledged while the backup was made may be in it or not.
        if newest_restore(self.server.database) != before:
            self.forget_after(count)
            self.taken += 1
        self.undecided = None

    def check_all(self, bench: Bench, when: str, newest: int | None = None) -> None:
        self.decide()
        everything, self.sessions = self.sessions, self.staying(self.sessions)
        self.check(bench, when, newest)
        self.sessions = everything
        bench.state(*have_stayed_away(when, self.erased & users_in(self.server.database), self.twice))


def backed_up(status: int, errors: str) -> Claim:
    return Claim(status == 0, f"a backup is made beside a server that is killed ({errors})")


def restored(status: int, kills: bool, errors: str) -> Claim:
    return Claim(status == 0 or kills, f"a restore succeeds ({errors})")


def have_stayed_away(when: str, back: set[int], twice: int) -> list[Claim]:
    """`back` are those who were erased and are there, `twice` how often a number was that of somebody else before."""
    return [
        Claim(not back, f"{when}, nobody who was erased is back ({len(back)})"),
        Claim(twice == 0, f"{when}, no number was given twice ({twice})")]


def is_sound(found: Sequence[str], file: str = "the file") -> Claim:
    return Claim(not found, f"{file} is sound ({found})")


def renew(refreshed: Iterable[Answer | None]) -> Claim:
    return Claim(all(answer is not None and answer.status == 200 for answer in refreshed),
                 "and the refresh tokens work")


def somebody_is_signed_in(number: int, is_signed_in: bool) -> Claim:
    return Claim(is_signed_in, f"round {number}: somebody is signed in")


def users_in(database: str) -> set[int]:
    return {row[0] for row in read(database, "SELECT id FROM users")}


def newest_restore(database: str) -> int | None:
    """The number of the event, which grows with each restore that has taken place."""
    number: int | None = read(database, "SELECT max(id) FROM audit WHERE event = 'store_restored'")[0][0]
    return number


# Any, because what stands in a row is said by the query.
def read(database: str, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, isolation_level=None)
    try:
        # It must not copy the log back: that is the server's.
        connection.execute("PRAGMA wal_autocheckpoint=0")
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        known, operator = Known(), Operator(bench)
        lost = 0
        for number in range(ROUNDS):
            if number and number % RESTORE_EVERY == 0 and operator.backup:
                operator.restore(known, operator.backup, kills=number // RESTORE_EVERY % 2 == 0)
            server = known.server = bench.start(carriers, settings=SETTINGS)
            try:
                # What was acknowledged in the round before, first.
                known.check_all(bench, f"round {number}", newest=APPS * CODES_PER_APP)
                operator.forget_former_stores(server.database)
                lost += kill_under_load(bench, known, operator, number)
            finally:
                if server.is_running:
                    server.kill()
        bench.state(is_sound(flaws(server.database), "the file of a killed server"))
        bench.figure("rounds", ROUNDS)
        bench.figure("cut_off", lost)
        bench.figure("acknowledged", len(known.users))
        bench.figure("erased", len(known.erased))
        bench.figure("backups", operator.number)
        bench.figure("restored", operator.finished)
        bench.figure("restores_killed", operator.killed)
        bench.figure("of_these_done", known.taken)
        with bench.server(carriers, settings=SETTINGS) as server:
            known.server = server
            known.check_all(bench, "at the end")
            renewable = [session for session in known.staying(known.sessions) if session.refresh is not None]
            bench.state(renew([known.refresh(session) for session in renewable[-100:]]))
        bench.state(is_sound(flaws(server.database)))


def kill_under_load(bench: Bench, known: Known, operator: Operator, number: int) -> int:
    """Kills the server in the middle; how many apps were cut off."""
    bodies = [[known.server.carriers.authorize(f"r{number}a{app}n{code}") for code in range(CODES_PER_APP)]
              for app in range(APPS)]
    stopped = threading.Event()
    before = len(known.sessions)
    apps = [threading.Thread(target=use, args=(known, own, stopped)) for own in bodies]
    for app in apps:
        app.start()
    bench.state(somebody_is_signed_in(number, eventually(lambda: len(known.sessions) > before)))
    backup = threading.Thread(target=operator.make_backup, args=(known,))
    backup.start()
    time.sleep(random.uniform(0, LONGEST_ROUND))
    working = sum(app.is_alive() for app in apps)
    known.server.kill()
    stopped.set()
    for app in [*apps, backup]:
        app.join()
    return working


def self_test() -> None:
    shows([backed_up(0, "")], ("a backup", [backed_up(1, "disk full")]))
    shows([restored(0, False, ""), restored(-9, True, "")], ("a restore", [restored(1, False, "no such file")]))
    shows(have_stayed_away("at the end", set(), 0), ("is back (1)", have_stayed_away("at the end", {7}, 0)),
          ("given twice (1)", have_stayed_away("at the end", set(), 1)))
    shows([is_sound([])], ("is sound", [is_sound(["a row of sessions refers to nothing"])]))
    shows([renew([answer(200), answer(200)])], ("tokens work", [renew([answer(200), answer(401)])]),
          ("tokens work", [renew([None])]))
    shows([somebody_is_signed_in(3, True)], ("round 3", [somebody_is_signed_in(3, False)]))
