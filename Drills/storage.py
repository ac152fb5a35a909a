"""A store that is full, cut off, read-only, locked or damaged costs 503 for a time, and nothing acknowledged."""

import os
import resource
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence

from acknowledged import Acknowledged
from apps import is_refused
from bench import MIB, Bench, crowd, tally
from claims import Claim, answer, shows
from damage import PAGE_OF, damaged, flaws
from gatehouse import Gatehouse
from mounts import Unavailable, mount, unmount
from testbed.carriers import Carriers
from testbed.client import LOST, Answer

TMPFS_BYTES = 6 * MIB
# More sign-ins than any store of that size takes.
MANY = 4_000


def run(bench: Bench) -> None:
    faults: list[tuple[str, Callable[[Bench, Carriers], None]]] = [
        ("full", full), ("full for tools", full_for_tools), ("file-size limit", cut_off), ("read-only", read_only),
        ("locked", locked), ("corrupt", corrupt)]
    with bench.carriers() as carriers:
        for name, fault in faults:
            try:
                fault(bench, carriers)
                bench.note(f"{name}: done")
            except Unavailable as error:
                bench.skip(f"{name}: {error}")
            except LOST as error:
                bench.state(answers_at_all(name, error))
        corrupt_start(bench, carriers)


def answers_at_all(name: str, error: Exception | None) -> Claim:
    return Claim(error is None, f"{name}: the server answers ({error})")


def are_refused(name: str, answers: Sequence[Answer]) -> Claim:
    return Claim(all(map(is_refused, answers)),
                 f"{name}: sign-ins are answered with 503, storage_unavailable ({tally(answers)})")


def sign_in_until_refused(bench: Bench, server: Gatehouse, known: Acknowledged, name: str) -> None:
    """Fills the store up."""
    subscriber = name.replace(" ", "-")
    for number in range(MANY):
        answer = known.sign_in(f"{subscriber}{number}")
        if answer.status != 200:
            break
    bench.state(is_told(name, answer))
    for number in range(5):
        bench.state(is_let_in_or_told(name, known.sign_in(f"{subscriber}-again{number}")))
    bench.state(lives(name, server.is_running))


def is_told(name: str, answer: Answer) -> Claim:
    return Claim(is_refused(answer), f"{name}: a sign-in is answered with 503, storage_unavailable ({answer})")


def is_let_in_or_told(name: str, again: Answer) -> Claim:
    return Claim(again.status == 200 or is_refused(again), f"{name}: and nothing else follows ({again})")


def lives(name: str, is_running: bool) -> Claim:
    return Claim(is_running, f"{name}: the server lives")


def check_unharmed(bench: Bench, server: Gatehouse, known: Acknowledged, name: str) -> None:
    """What needs no store, and what only reads, goes on."""
    bench.state(is_ready(name, server.call("GET", "/healthz")))
    bench.state(has_keys(name, server.call("GET", "/.well-known/jwks.json")))
    known.check(bench, f"{name}: meanwhile")


def is_ready(name: str, health: Answer) -> Claim:
    return Claim(health.status == 200, f"{name}: the server is ready for the rest")


def has_keys(name: str, keys: Answer) -> Claim:
    return Claim(keys.status == 200, f"{name}: its keys are to be had")


def check_recovered(bench: Bench, known: Acknowledged, name: str, seconds: float = 5) -> None:
    """The same process signs in again, and everything acknowledged is there."""
    began = time.monotonic()
    subscriber = name.replace(" ", "-") + "-after"
    answer = known.sign_in(subscriber)
    while answer.status != 200 and time.monotonic() - began < seconds:
        answer = known.sign_in(subscriber)
    bench.state(recovers(name, answer))
    bench.figure(f"{name.replace(' ', '-')}_ms", (time.monotonic() - began) * 1000)
    bench.figure("acknowledged", int(bench.figures.get("acknowledged", 0)) + len(known.sessions))
    known.check(bench, f"{name}: afterwards")


def recovers(name: str, answer: Answer) -> Claim:
    return Claim(answer.status == 200, f"{name}: sign-ins succeed without a restart ({answer})")


def full(bench: Bench, carriers: Carriers) -> None:
    folder = os.path.join(bench.folder, "tmpfs")
    os.makedirs(folder)
    mount("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", folder)
    try:
        with bench.server(carriers, "full", database=f"{folder}/gatehouse.db") as server:
            known = Acknowledged(server)
            crowd(20, lambda number: known.sign_in(f"full-before{number}"))
            filler = f"{folder}/filler"
            fill(filler)
            sign_in_until_refused(bench, server, known, "full")
            check_unharmed(bench, server, known, "full")
            os.remove(filler)
            check_recovered(bench, known, "full")
    finally:
        unmount(folder)


def full_for_tools(bench: Bench, carriers: Carriers) -> None:
    """What is done without a server needs room for another store, and without it leaves the one that is there."""
    folder, backup = os.path.join(bench.folder, "tmpfs-of-tools"), os.path.join(bench.folder, "backup.db")
    os.makedirs(folder)
    mount("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", folder)
    try:
        database = f"{folder}/gatehouse.db"
        with bench.server(carriers, "full-for-tools", database=database) as server:
            known = Acknowledged(server)
            crowd(20, lambda number: known.sign_in(f"tool{number}"))
            made = store_command(bench, "backup", backup)
            bench.state(is_backed_up(made.returncode, made.stderr))
        fill(f"{folder}/filler")
        before = contents(database)
        for words, says in [(["restore", backup], "nothing was restored: the disk is full"),
                            (["compact"], "nothing was compacted: ")]:
            done = store_command(bench, *words)
            bench.state(*changes_nothing(words[0], done.returncode, done.stderr, says, contents(database) == before))
        os.remove(f"{folder}/filler")
        for words in (["compact"], ["restore", backup, "--keep-sessions"]):
            done = store_command(bench, *words)
            bench.state(succeeds(words[0], done.returncode, done.stderr))
        with bench.server(carriers, "full-for-tools", database=database) as server:
            known.server = server
            known.check(bench, "full for tools: afterwards")
    finally:
        unmount(folder)


def is_backed_up(status: int, said: str) -> Claim:
    return Claim(status == 0, f"full: a backup elsewhere succeeds ({said})")


def changes_nothing(command: str, status: int, said: str, awaited: str, is_same: bool) -> list[Claim]:
    """What must be true of a command that has no room."""
    return [Claim(status == 1 and awaited in said, f"full: {command} says so ({said})"),
            Claim(is_same, f"full: {command} changes nothing")]


def succeeds(command: str, status: int, said: str) -> Claim:
    return Claim(status == 0, f"full: {command} succeeds when there is room ({said})")


def store_command(bench: Bench, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", *words, "--config", f"{bench.folder}/full-for-tools/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def contents(database: str) -> dict[str, bytes]:
    """What a store is made of, without what SQLite makes anew, and a log with nothing in it."""
    found = {}
    for suffix in ("", "-wal", "-ledger", "-draft", "-restored", "-compacted"):
        if os.path.exists(database + suffix):
            with open(database + suffix, "rb") as file:
                found[suffix] = file.read()
    return {suffix: data for suffix, data in found.items() if data or suffix != "-wal"}


def fill(path: str) -> None:
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def cut_off(bench: Bench, carriers: Carriers) -> None:
    """No file may grow further: what a quota does, too."""
    with bench.server(carriers, "cut-off") as server:
        known = Acknowledged(server)
        crowd(20, lambda number: known.sign_in(f"cut{number}"))
        # The log can't grow either, which is the server's own affair.
        server.limit(resource.RLIMIT_FSIZE, os.path.getsize(server.log))
        sign_in_until_refused(bench, server, known, "file-size limit")
        check_unharmed(bench, server, known, "file-size limit")
        server.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
        check_recovered(bench, known, "file-size limit")


def read_only(bench: Bench, carriers: Carriers) -> None:
    """A file system with files open for writing can't be made read-only from outside. So its folder is covered by a
    read-only view of itself, and a write that fails has the server open its files anew, and find the view."""
    real, view = os.path.join(bench.folder, "real"), os.path.join(bench.folder, "view")
    os.makedirs(real)
    os.makedirs(view)
    mount("--bind", real, view)
    try:
        with bench.server(carriers, "read-only", database=f"{view}/gatehouse.db") as server:
            known = Acknowledged(server)
            crowd(20, lambda number: known.sign_in(f"only{number}"))
            mount("--bind", real, view)
            try:
                mount("-o", "remount,bind,ro", view)
                server.limit(resource.RLIMIT_FSIZE, os.path.getsize(server.log))
                known.sign_in("only-failing")
                server.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
                answers = [known.sign_in(f"only-reading{number}") for number in range(5)]
                bench.state(are_refused("read-only", answers))
                check_unharmed(bench, server, known, "read-only")
            finally:
                unmount(view)
            check_recovered(bench, known, "read-only")
    finally:
        unmount(view)


def locked(bench: Bench, carriers: Carriers) -> None:
    with bench.server(carriers, "locked") as server:
        known = Acknowledged(server)
        crowd(20, lambda number: known.sign_in(f"locked{number}"))
        other = sqlite3.connect(server.database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        answers = crowd(10, lambda number: known.sign_in(f"locked-out{number}"))
        bench.state(are_refused("locked", answers))
        check_unharmed(bench, server, known, "locked")
        other.execute("ROLLBACK")
        other.close()
        check_recovered(bench, known, "locked")


def corrupt(bench: Bench, carriers: Carriers) -> None:
    with bench.server(carriers, "corrupt") as server:
        known = Acknowledged(server)
        crowd(50, lambda number: known.sign_in(f"corrupt{number}"))
        with damaged(server.database, PAGE_OF["sessions"]):
            answers = [known.sign_in(f"corrupt-in{number}") for number in range(5)]
            bench.state(are_refused("corrupt", answers))
            bench.state(can_not_be_found(server.user(known.any_token())))
            bench.state(is_ready("corrupt", server.call("GET", "/healthz")))
        check_recovered(bench, known, "corrupt")
        database = server.database
    bench.state(is_sound(flaws(database)))


def can_not_be_found(user: Answer) -> Claim:
    return Claim(is_refused(user), "corrupt: and so are users who can't be found")


def is_sound(found: Sequence[str]) -> Claim:
    return Claim(not found, f"corrupt: the file is sound afterwards ({found})")


def corrupt_start(bench: Bench, carriers: Carriers) -> None:
    """A store that is damaged when the server starts is refused in words."""
    with bench.server(carriers, "corrupt-start") as server:
        known = Acknowledged(server)
        crowd(20, lambda number: known.sign_in(f"start{number}"))
        database = server.database
    keys = PAGE_OF["signing_keys"](database)
    pages: dict[str, Callable[[str], int]] = {"header": lambda _: 0, "key table": lambda _: keys}
    for name, page in pages.items():
        with damaged(database, page, checkpoint=False):
            refused = bench.start(carriers, "corrupt-start", awaits=False)
            status = refused.child.wait(20)
            bench.state(*names_file(name, database, status, refused.log_text().strip().splitlines()))
    with bench.server(carriers, "corrupt-start") as server:
        known.server = server
        known.check(bench, "corrupt start: with its bytes back")


def names_file(name: str, database: str, status: int, said: Sequence[str]) -> list[Claim]:
    """What must be true of a server that is started on a damaged file."""
    return [Claim(status == 1, f"corrupt start, {name}: refused with status 1, not {status}"),
            Claim(bool(said) and said[-1].startswith("gatehouse: the ") and database in said[-1],
                  f"corrupt start, {name}: in words that name the file ({said[-1:]})")]


def self_test() -> None:
    good, other = answer(200), answer(500)
    refused = answer(503, "storage_unavailable", {"Retry-After": "1"})
    shows([answers_at_all("full", None)], ("answers", [answers_at_all("full", ConnectionResetError())]))
    shows([are_refused("full", [refused])], ("sign-ins are", [are_refused("full", [refused, good])]))
    shows([is_told("full", refused)], ("a sign-in is", [is_told("full", other)]),
          ("a sign-in is", [is_told("full", answer(503, "storage_unavailable"))]),
          ("a sign-in is", [is_told("full", answer(503, headers={"Retry-After": "1"}))]))
    shows([is_let_in_or_told("full", good), is_let_in_or_told("full", refused)],
          ("nothing else", [is_let_in_or_told("full", other)]))
    shows([lives("full", True)], ("lives", [lives("full", False)]))
    shows([is_ready("full", good)], ("is ready", [is_ready("full", refused)]))
    shows([has_keys("full", good)], ("its keys", [has_keys("full", refused)]))
    shows([recovers("full", good)], ("without a restart", [recovers("full", refused)]))
    shows([is_backed_up(0, "")], ("a backup elsewhere", [is_backed_up(1, "")]))
    shows(changes_nothing("compact", 1, "the disk is full", "full", True),
          ("compact says so", changes_nothing("compact", 0, "the disk is full", "full", True)),
          ("compact says so", changes_nothing("compact", 1, "", "full", True)),
          ("changes nothing", changes_nothing("compact", 1, "the disk is full", "full", False)))
    shows([succeeds("compact", 0, "")], ("when there is room", [succeeds("compact", 1, "")]))
    shows([can_not_be_found(refused)], ("can't be found", [can_not_be_found(answer(401))]))
    shows([is_sound([])], ("is sound", [is_sound(["a"])]))
    said = ["gatehouse: the file a.db is damaged"]
    shows(names_file("header", "a.db", 1, said),
          ("not 0", names_file("header", "a.db", 0, said)),
          ("name the file", names_file("header", "b.db", 1, said)),
          ("name the file", names_file("header", "a.db", 1, [])),
          ("name the file", names_file("header", "a.db", 1, ["Fatal error: a.db"])))
