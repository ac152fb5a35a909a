"""An earlier version and its store are replaced by this one under load, and back: a file by sockets that stay open,
instances on PostgreSQL in turn."""

import functools
import glob
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

import rolling
from bench import Bench, crowd, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from older_store import BROUGHT_ALONG
from postgres import NotInstalled, postgres, storage
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Client, JSONObject
from unit import Activation

# The executable of the earlier version.
EARLIER = os.environ.get("DRILL_EARLIER", "")
LONGEST = rolling.LONGEST + 300
USERS = 500
LOAD = 8
# Requests before the earlier version is replaced, and after.
ENOUGH = 2000


def run(bench: Bench) -> None:
    if not os.access(EARLIER, os.X_OK):
        bench.skip("DRILL_EARLIER names no executable of an earlier version")
        return
    with bench.carriers() as carriers:
        replace_file(bench, carriers)
        if not shutil.which("haproxy"):
            bench.skip("haproxy is not installed")
            return
        try:
            with postgres(bench) as database:
                settings = storage(bench, database)
                rolling.replace_in_turn(
                    bench, carriers, settings, EARLIER, functools.partial(migrate, bench, settings))
        except NotInstalled as error:
            bench.skip(str(error))


# MARK: A file


def replace_file(bench: Bench, carriers: Carriers) -> None:
    activation = Activation(bench.folder)
    folder = os.path.join(bench.folder, "upgraded")
    earlier, later = (activation.program(program) for program in (EARLIER, f"{bench.binaries}/gatehouse"))
    load = Load(activation.port)
    server: Gatehouse | None = None

    def start(program: str) -> Gatehouse:
        return bench.start(carriers, "upgraded", executable=program, kept=[activation.number])

    try:
        server = start(earlier)
        # One from before there were sockets of service managers listens by itself: those who wait then come once it
        # has gone.
        takes_sockets = server.port == activation.port
        sessions = sign_in(bench, server)
        if takes_sockets:
            load.begin()
            load.await_more(ENOUGH)
        bench.state(stops(server.stop()))
        if not takes_sockets:
            load.begin()
            bench.note("the earlier version takes no sockets from a service manager")
        server = start(later)
        load.await_more(ENOUGH)
        said = BROUGHT_ALONG.search(server.log_text())
        if said:
            bench.figure("schema", f"{said[1]}→{said[3]}")
            bench.figure("brought_along_ms", said[2])
        sessions = go_on(bench, server, sessions, "after the upgrade")
        copies = glob.glob(f"{folder}/gatehouse.db-schema-*")
        bench.state(*is_copied(bool(said), copies, [judged(bench, folder, copy) for copy in copies]))
        if copies:
            if not takes_sockets:
                load.end()
            bench.state(stops(server.stop()))
            bench.state(*goes_back(restored(folder, copies[0])))
            server = start(earlier)
            if takes_sockets:
                load.await_more(ENOUGH)
            again = crowd(USERS, lambda number: server.sign_in(f"loyal{number}", "plain"))
            bench.state(are_known(again, "after the way back"))
        load.end()
        bench.state(stops(server.stop()))
    finally:
        load.end()
        if server and server.is_running:
            server.kill()
        activation.close()
    bench.figure("requests", len(load.waits))
    bench.figure("longest_wait_ms", round(max(load.waits) * 1000))
    bench.state(refuses_nobody(load.failed))


class Load:
    """Requests without a pause, each on a connection of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.over = threading.Event()
        self.waits: list[float] = []
        self.failed: list[str] = []
        self.threads = [threading.Thread(target=self.ask) for _ in range(LOAD)]

    def begin(self) -> None:
        for thread in self.threads:
            thread.start()

    def ask(self) -> None:
        while not self.over.is_set():
            at = time.monotonic()
            try:
                with Client(self.port) as client:
                    answered = client.call("GET", "/healthz")
                self.waits.append(time.monotonic() - at)
                if answered.status != 200:
                    self.failed.append(str(answered))
            except LOST as error:
                self.failed.append(repr(error))

    def await_more(self, count: int) -> None:
        goal = len(self.waits) + count
        eventually(lambda: len(self.waits) >= goal, 60)

    def end(self) -> None:
        self.over.set()
        for thread in self.threads:
            if thread.is_alive():
                thread.join()


def sign_in(bench: Bench, server: Gatehouse) -> list[JSONObject]:
    answers = crowd(USERS, lambda number: server.sign_in(f"loyal{number}", "plain"))
    bench.state(are_signed_in(answers))
    return [answered.json for answered in answers]


def go_on(bench: Bench, server: Gatehouse, sessions: Sequence[JSONObject], when: str) -> list[JSONObject]:
    answers = crowd(len(sessions), lambda number: server.refresh(sessions[number]["refresh_token"]))
    bench.state(are_refreshed(answers, when))
    return [answered.json for answered in answers]


def judged(bench: Bench, folder: str, copy: str) -> str:
    """What `store check` says against a copy."""
    done = subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", "check", copy, "--config", f"{folder}/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stdout[-300:]} {done.stderr[-300:]}"


def restored(folder: str, copy: str) -> str:
    """What `store restore` of the earlier version says against its copy."""
    done = subprocess.run(
        [EARLIER, "store", "restore", copy, "--config", f"{folder}/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stdout[-300:]} {done.stderr[-300:]}"


# MARK: PostgreSQL


def migrate(bench: Bench, settings: Mapping[str, str]) -> None:
    """As the documentation has it: by the new version, beside instances of the earlier one."""
    configuration = os.path.join(bench.folder, "one", "gatehouse.yaml")
    began = time.monotonic()
    done = subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", "migrate", "--config", configuration],
        env={**os.environ, **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    bench.figure("migrated_s", f"{time.monotonic() - began:.1f}")
    bench.state(is_migrated(done.returncode, done.stderr))


# MARK: Claims


def stops(status: int) -> Claim:
    return Claim(status == 0, f"the server stops in good order ({status})")


def are_signed_in(answers: Sequence[Answer]) -> Claim:
    return Claim(all(answered.status == 200 for answered in answers),
                 f"everybody signs in at the earlier version ({tally(map(str, answers))})")


def are_refreshed(answers: Sequence[Answer], when: str) -> Claim:
    return Claim(all(answered.status == 200 for answered in answers),
                 f"every session goes on {when} ({tally(map(str, answers))})")


def are_known(answers: Sequence[Answer], when: str) -> Claim:
    return Claim(all(answered.status == 200 and answered.json["new_user"] is False for answered in answers),
                 f"everybody is known {when} ({tally(map(str, answers))})")


def is_copied(is_changed: bool, copies: Sequence[str], faults: Sequence[str]) -> list[Claim]:
    return [
        Claim(len(copies) == (1 if is_changed else 0), f"a store is copied once before it is changed ({len(copies)})"),
        Claim(not any(faults), f"the copy is a good backup ({faults})")]


def goes_back(fault: str) -> list[Claim]:
    return [Claim(not fault, f"the earlier version puts the copy back ({fault})")]


def is_migrated(status: int, said: str) -> Claim:
    return Claim(status == 0, f"store migrate succeeds beside instances of the earlier version ({said[-300:]})")


def refuses_nobody(failed: Sequence[str]) -> Claim:
    return Claim(not failed, f"no request fails on the way there and back ({tally(failed)})")


def self_test() -> None:
    shows([stops(0)], ("good order", [stops(-9)]))
    good, bad = [answer(200, new_user=False)], [answer(503, new_user=True)]
    shows([are_signed_in(good)], ("everybody signs in", [are_signed_in(bad)]))
    shows([are_refreshed(good, "now")], ("goes on now", [are_refreshed(bad, "now")]))
    shows([are_known(good, "now")], ("known now", [are_known([answer(200, new_user=True)], "now")]))
    shows(is_copied(True, ["copy"], [""]), ("copied once", is_copied(True, [], [])),
          ("copied once", is_copied(False, ["copy"], [""])), ("good backup", is_copied(True, ["copy"], ["damaged"])))
    shows(goes_back(""), ("puts the copy back", goes_back("newer")))
    shows([is_migrated(0, "")], ("migrate succeeds", [is_migrated(1, "no")]))
    shows([refuses_nobody([])], ("no request fails", [refuses_nobody(["reset"])]))
