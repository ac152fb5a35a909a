"""A store that is full, cut off, read-only, locked or damaged costs 503 for a time, and nothing acknowledged."""

import os
import resource
import sqlite3
import subprocess
import time

from acknowledged import Acknowledged
from bench import MIB, crowd, tally
from damage import PAGE_OF, damaged, flaws, page_size
from mounts import Unavailable, mount, unmount
from testbed.client import LOST

TMPFS_BYTES = 6 * MIB
# More sign-ins than any store of that size takes.
MANY = 4_000


def run(bench):
    with bench.carriers() as carriers:
        for name, fault in [
            ("full", full), ("full for tools", full_for_tools), ("file-size limit", cut_off), ("read-only", read_only), ("locked", locked),
            ("corrupt", corrupt),
        ]:
            try:
                fault(bench, carriers)
                bench.note(f"{name}: done")
            except Unavailable as error:
                bench.skip(f"{name}: {error}")
            except LOST as error:
                bench.claim(False, f"{name}: the server answers ({error})")
        corrupt_start(bench, carriers)


def is_refused(answer):
    return answer.status == 503 and answer.error == "storage_unavailable" and "retry-after" in answer.headers


def sign_in_until_refused(bench, server, known, name):
    """Fills the store up."""
    subscriber = name.replace(" ", "-")
    for number in range(MANY):
        answer = known.sign_in(f"{subscriber}{number}")
        if answer.status != 200:
            break
    bench.claim(is_refused(answer), f"{name}: a sign-in is answered with 503, storage_unavailable ({answer})")
    for number in range(5):
        again = known.sign_in(f"{subscriber}-again{number}")
        bench.claim(again.status == 200 or is_refused(again), f"{name}: and nothing else follows ({again})")
    bench.claim(server.is_running, f"{name}: the server lives")


def check_unharmed(bench, server, known, name):
    """What needs no store, and what only reads, goes on."""
    bench.claim(server.call("GET", "/healthz").status == 200, f"{name}: the server is ready for the rest")
    bench.claim(server.call("GET", "/.well-known/jwks.json").status == 200, f"{name}: its keys are to be had")
    known.check(bench, f"{name}: meanwhile")


def check_recovered(bench, known, name, seconds=5):
    """The same process signs in again, and everything acknowledged is there."""
    began = time.monotonic()
    subscriber = name.replace(" ", "-") + "-after"
    answer = known.sign_in(subscriber)
    while answer.status != 200 and time.monotonic() - began < seconds:
        answer = known.sign_in(subscriber)
    bench.claim(answer.status == 200, f"{name}: sign-ins succeed without a restart ({answer})")
    bench.figure(f"{name.replace(' ', '-')}_ms", (time.monotonic() - began) * 1000)
    bench.figure("acknowledged", int(bench.figures.get("acknowledged", 0)) + len(known.sessions))
    known.check(bench, f"{name}: afterwards")


def full(bench, carriers):
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


def full_for_tools(bench, carriers):
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
            bench.claim(made.returncode == 0, f"full: a backup elsewhere succeeds ({made.stderr})")
        fill(f"{folder}/filler")
        before = contents(database)
        for words, says in [(("restore", backup), "nothing was restored: the disk is full"),
                            (("compact",), "nothing was compacted: ")]:
            done = store_command(bench, *words)
            bench.claim(done.returncode == 1 and says in done.stderr, f"full: {words[0]} says so ({done.stderr})")
            bench.claim(contents(database) == before, f"full: {words[0]} changes nothing")
        os.remove(f"{folder}/filler")
        for words in [("compact",), ("restore", backup, "--keep-sessions")]:
            done = store_command(bench, *words)
            bench.claim(done.returncode == 0, f"full: {words[0]} succeeds when there is room ({done.stderr})")
        with bench.server(carriers, "full-for-tools", database=database) as server:
            known.server = server
            known.check(bench, "full for tools: afterwards")
    finally:
        unmount(folder)


def store_command(bench, *words):
    return subprocess.run(
        [f"{bench.binaries}/gatehouse", "store", *words, "--config", f"{bench.folder}/full-for-tools/gatehouse.yaml"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def contents(database):
    """What a store is made of, without what SQLite makes anew, and a log with nothing in it."""
    found = {}
    for suffix in ("", "-wal", "-ledger", "-draft", "-restored", "-compacted"):
        if os.path.exists(database + suffix):
            with open(database + suffix, "rb") as file:
                found[suffix] = file.read()
    return {suffix: data for suffix, data in found.items() if data or suffix != "-wal"}


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def cut_off(bench, carriers):
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


def read_only(bench, carriers):
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
                bench.claim(all(map(is_refused, answers)),
                            f"read-only: sign-ins are answered with 503, storage_unavailable ({tally(answers)})")
                check_unharmed(bench, server, known, "read-only")
            finally:
                unmount(view)
            check_recovered(bench, known, "read-only")
    finally:
        unmount(view)


def locked(bench, carriers):
    with bench.server(carriers, "locked") as server:
        known = Acknowledged(server)
        crowd(20, lambda number: known.sign_in(f"locked{number}"))
        other = sqlite3.connect(server.database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        answers = crowd(10, lambda number: known.sign_in(f"locked-out{number}"))
        bench.claim(all(map(is_refused, answers)),
                    f"locked: sign-ins are answered with 503, storage_unavailable ({tally(answers)})")
        check_unharmed(bench, server, known, "locked")
        other.execute("ROLLBACK")
        other.close()
        check_recovered(bench, known, "locked")


def corrupt(bench, carriers):
    with bench.server(carriers, "corrupt") as server:
        known = Acknowledged(server)
        crowd(50, lambda number: known.sign_in(f"corrupt{number}"))
        with damaged(server.database, PAGE_OF["sessions"]):
            answers = [known.sign_in(f"corrupt-in{number}") for number in range(5)]
            bench.claim(all(map(is_refused, answers)),
                    f"corrupt: sign-ins are answered with 503, storage_unavailable ({tally(answers)})")
            bench.claim(is_refused(server.user(known.any_token())), "corrupt: and so are users who can't be found")
            bench.claim(server.call("GET", "/healthz").status == 200, "corrupt: the server is ready for the rest")
        check_recovered(bench, known, "corrupt")
        database = server.database
    found = flaws(database)
    bench.claim(found == [], f"corrupt: the file is sound afterwards ({found})")


def corrupt_start(bench, carriers):
    """A store that is damaged when the server starts is refused in words."""
    with bench.server(carriers, "corrupt-start") as server:
        known = Acknowledged(server)
        crowd(20, lambda number: known.sign_in(f"start{number}"))
        database = server.database
    for name, offset in [("header", 0), ("key table", page_size(database) * PAGE_OF["signing_keys"](database))]:
        with damaged(database, lambda _, offset=offset: offset // page_size(database), checkpoint=False):
            refused = bench.start(carriers, "corrupt-start", awaits=False)
            status = refused.child.wait(20)
            words = refused.log_text().strip().splitlines()
            bench.claim(status == 1, f"corrupt start, {name}: refused with status 1, not {status}")
            bench.claim(bool(words) and words[-1].startswith("gatehouse: the ") and database in words[-1],
                        f"corrupt start, {name}: in words that name the file ({words[-1:]})")
    with bench.server(carriers, "corrupt-start") as server:
        known.server = server
        known.check(bench, "corrupt start: with its bytes back")
