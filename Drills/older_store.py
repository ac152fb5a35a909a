"""A store that an earlier version has made opens in seconds, and everybody in it goes on."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence

from bench import MIB, Bench, crowd, tally
from claims import Claim, answer, shows
from damage import flaws
from gatehouse import Gatehouse
from testbed import jose
from testbed.carriers import PLAIN_CLIENT, Carriers
from testbed.client import Answer, JSONObject

# The executable of the earlier version.
EARLIER = os.environ.get("DRILL_EARLIER", "")
USERS = int(os.environ.get("DRILL_EARLIER_USERS", "1000000"))
# How many of them sign in at the earlier version, and keep their refresh tokens.
SIGNED_IN = 3_000
OPENINGS = 3
# From the start of the process until it listens, in seconds.
LONGEST_START = 5
LONGEST = 900
BROUGHT_ALONG = re.compile(r" brought up to date from=(\d+) ms=(\d+) to=(\d+)")


def run(bench: Bench) -> None:
    if not EARLIER:
        bench.skip("DRILL_EARLIER names no executable of an earlier version")
        return
    if not os.access(EARLIER, os.X_OK):
        raise RuntimeError(f"DRILL_EARLIER names {EARLIER}, which can't be executed")
    with bench.carriers() as carriers:
        folder = os.path.join(bench.folder, "earlier")
        sessions, size = make_store(bench, carriers, folder)
        bench.figure("users", USERS)
        bench.figure("MiB", size // MIB)
        starts: list[float] = []
        took: list[int] = []
        for number in range(OPENINGS):
            name = f"copy{number}"
            copy_store(folder, os.path.join(bench.folder, name))
            began = time.monotonic()
            server = bench.start(carriers, name, awaits=False)
            try:
                server.await_listening(LONGEST_START * 10)
                starts.append(time.monotonic() - began)
                said = BROUGHT_ALONG.search(server.log_text())
                bench.state(says_so(bool(said)))
                if said:
                    took.append(int(said[2]))
                    bench.figure("schema", f"{said[1]}→{said[3]}")
                if number == OPENINGS - 1:
                    go_on(bench, server, sessions)
                bench.state(stops(server.stop()))
            finally:
                if server.is_running:
                    server.kill()
            if number < OPENINGS - 1:
                shutil.rmtree(os.path.join(bench.folder, name))
        bench.figure("listens_after_s", "/".join(f"{seconds:.2f}" for seconds in starts))
        bench.figure("brought_along_ms", "/".join(map(str, took)))
        bench.state(listens_soon(max(starts)))
        check(bench, f"{bench.folder}/copy{OPENINGS - 1}")


def says_so(holds: bool) -> Claim:
    return Claim(holds, "it says that it brought the store up to date, from which version")


def stops(status: int) -> Claim:
    return Claim(status == 0, "the server stops in good order")


def listens_soon(longest: float) -> Claim:
    return Claim(longest <= LONGEST_START, f"it listens within {LONGEST_START} s")


def make_store(bench: Bench, carriers: Carriers, folder: str) -> tuple[list[JSONObject], int]:
    """Has the earlier version make a store, import the users and sign some of them in.

    Returns what they got, and the size of the store.
    """
    server = bench.start(carriers, "earlier", executable=EARLIER)
    server.stop()
    users = os.path.join(bench.folder, "users.jsonl")
    write_users(users, carriers)
    began = time.monotonic()
    done = subprocess.run(
        [EARLIER, "store", "import", users, "--json", "--config", f"{folder}/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    os.remove(users)
    created = json.loads(done.stdout).get("created") if done.returncode == 0 else None
    if created != USERS:
        raise RuntimeError(f"the earlier version imports {created} users: {done.stderr[-1000:]}")
    bench.note(f"{USERS} users imported in {time.monotonic() - began:.0f} s")
    with bench.server(carriers, "earlier", executable=EARLIER) as server:
        # From all over the store.
        names = [name_of(number * USERS // SIGNED_IN) for number in range(min(SIGNED_IN, USERS))]
        answers = crowd(len(names), lambda number: server.sign_in(names[number], "plain"))
        bench.state(are_imported(answers))
    bench.note(f"{len(names)} of them signed in")
    return [answer.json for answer in answers], os.path.getsize(f"{folder}/gatehouse.db")


def are_known(answers: Sequence[Answer]) -> bool:
    return all(answer.status == 200 and answer.json["new_user"] is False for answer in answers)


def are_imported(answers: Sequence[Answer]) -> Claim:
    return Claim(are_known(answers),
                 f"users who were imported sign in at the earlier version ({tally(map(str, answers))})")


def write_users(path: str, carriers: Carriers) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for number in range(USERS):
            name = name_of(number)
            identity = {"provider": "plain", "issuer": carriers.urls["plain"], "subject": subject_of(name)}
            file.write(json.dumps({"identities": [identity], "profile": {
                "name": f"Somebody {number}", "email": f"{name}@example.com",
                "phone_number": f"+1555{number:07}"}}) + "\n")


def name_of(number: int) -> str:
    return f"loyal{number}"


def subject_of(name: str) -> str:
    """What the simulated plain provider calls a subscriber."""
    code = hmac.digest(b"pairwise plain", f"{PLAIN_CLIENT}\0{name}".encode(), hashlib.sha256)
    return "plain-" + jose.encoded(code[:16])


def copy_store(source: str, target: str) -> None:
    """Copies it, and has the system forget what it holds: a machine that was just started has to read it."""
    os.makedirs(target)
    for name in os.listdir(source):
        if name.startswith("gatehouse.db"):
            copy = os.path.join(target, name)
            shutil.copyfile(os.path.join(source, name), copy)
            os.chmod(copy, 0o600)
            with open(copy, "rb+") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def go_on(bench: Bench, server: Gatehouse, sessions: Sequence[JSONObject]) -> None:
    """Users who were signed in before go on, and so do those who sign in again."""
    first = crowd(len(sessions), lambda number: server.refresh(sessions[number]["refresh_token"]))
    second = crowd(len(first), lambda number: server.refresh(first[number].json.get("refresh_token", "")))
    found = crowd(len(second), lambda number: server.user(second[number].json.get("token", "")))
    again = crowd(100, lambda number: server.sign_in(name_of(number), "plain"))
    bench.state(*goes_on(sessions, first, second, found, again))
    bench.figure("refreshed", len(first) + len(second))


def goes_on(sessions: Sequence[JSONObject], first: Sequence[Answer], second: Sequence[Answer],
            found: Sequence[Answer], again: Sequence[Answer]) -> list[Claim]:
    """What must be true of sessions from before: of their refresh, of that of what they got, of who they are then, and
    of users who sign in again."""
    return [
        Claim(all(answer.status == 200 for answer in first),
              f"every refresh token from before is accepted ({tally(map(str, first))})"),
        Claim(all(answer.status == 200 for answer in second),
              f"and each one that it was replaced by in turn ({tally(map(str, second))})"),
        Claim(all(answer.status == 200 and answer.json["user_id"] == session["user"]["user_id"]
                  for answer, session in zip(found, sessions, strict=True)), "by who they were before"),
        Claim(are_known(again), f"who signs in again is known ({tally(map(str, again))})")]


def check(bench: Bench, folder: str) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", "check", "--config", f"{folder}/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    bench.figure("check_s", time.monotonic() - began)
    said = f"{done.stdout[-300:]} {done.stderr[-300:]}"
    bench.state(*is_sound(done.returncode, said, flaws(f"{folder}/gatehouse.db")))


def is_sound(status: int, said: str, found: Sequence[str]) -> list[Claim]:
    return [Claim(status == 0, f"store check passes ({said})"), Claim(not found, f"the file is sound ({found})")]


def self_test() -> None:
    shows([says_so(True)], ("brought the store", [says_so(False)]))
    shows([stops(0)], ("in good order", [stops(-9)]))
    shows([listens_soon(LONGEST_START)], ("listens within", [listens_soon(LONGEST_START + 0.01)]))
    known, refused = [answer(200, new_user=False)], answer(401)
    shows([are_imported(known)],
          ("at the earlier version", [are_imported([answer(200, new_user=True)])]),
          ("at the earlier version", [are_imported([answer(500, new_user=False)])]))
    before: list[JSONObject] = [{"user": {"user_id": 1}}, {"user": {"user_id": 2}}]
    good, me = [answer(200)] * 2, [answer(200, user_id=1), answer(200, user_id=2)]
    some = [answer(200), refused]
    shows(goes_on(before, good, good, me, known),
          ("from before is accepted", goes_on(before, some, good, me, known)),
          ("in turn", goes_on(before, good, some, me, known)),
          ("they were before", goes_on(before, good, good, [me[0], me[0]], known)),
          ("they were before", goes_on(before, good, good, [me[0], answer(401, user_id=2)], known)),
          ("signs in again", goes_on(before, good, good, me, [answer(200, new_user=True)])))
    shows(is_sound(0, "", []), ("check passes", is_sound(1, "", [])), ("['a']", is_sound(0, "", ["a"])))
