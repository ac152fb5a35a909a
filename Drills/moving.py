"""A store with very many users, and its way into another engine and back."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench import MIB, Bench
from claims import Claim, shows
from gatehouse import Gatehouse
from ready_made import ReadyMade, subject

USERS = int(os.environ.get("DRILL_COST_USERS", "1000000"))


@dataclass(frozen=True)
class Filled:
    """A file with very many users, and an access token of one who signed in."""

    database: str
    session: str


def code(text: str) -> dict[str, str]:
    """What an app posts with a code that the provider takes as any other."""
    return {"client_id": "ready-made", "code": text, "redirect_uri": "https://app.example/cb",
            "code_verifier": "v" * 43}


@contextlib.contextmanager
def server(bench: Bench, carrier: ReadyMade, settings: Mapping[str, str]) -> Iterator[list[Gatehouse]]:
    """A list of one server, with a folder of its own."""
    with bench.server(carrier, f"million{len(os.listdir(bench.folder))}", settings=settings) as one:
        yield [one]


def fill(bench: Bench, carrier: ReadyMade, settings: Mapping[str, str]) -> Filled:
    """A file with so many users, one of whom has a session."""
    database = f"{bench.folder}/million.db"
    one = bench.start(carrier, "million", settings={**settings, "GATEHOUSE_STORAGE_URL": f"file:{database}"})
    session = one.call("POST", "/auth/signin", body=code("before")).json.get("token", "")
    one.stop()
    lines = os.path.join(bench.folder, "users.jsonl")
    with open(lines, "w", encoding="ascii") as output:
        for number in range(USERS):
            output.write(json.dumps({"identities": [
                {"provider": "ready", "issuer": carrier.issuer, "subject": subject(number)}]}) + "\n")
    seconds, _ = command(bench, settings, "store", "import", lines, "--json", url=f"file:{database}")
    os.remove(lines)
    bench.figure("import_s", seconds)
    return Filled(database, session)


def copy(bench: Bench, carrier: ReadyMade, file: Filled, settings: Mapping[str, str], source: str, target: str,
         name: str) -> None:
    """Copies a store and tells how long it took, and how much memory; a session from before is good afterwards."""
    seconds, peak = command(
        bench, settings, "store", "copy", "--from", source, "--to", target, url=settings["GATEHOUSE_STORAGE_URL"])
    with server(bench, carrier, {**settings, "GATEHOUSE_STORAGE_URL": target}) as (one,):
        bench.state(is_good(one.user(file.session).status))
    bench.figure(f"copy_{name}_s", seconds)
    bench.figure(f"copy_{name}_MiB", peak / MIB)


def is_good(status: int) -> Claim:
    return Claim(status == 200, "a session from before is good afterwards")


def command(bench: Bench, settings: Mapping[str, str], *words: str, url: str) -> tuple[float, int]:
    """Runs a command of the operator's, and returns how many seconds it took and how many bytes at most."""
    began = time.monotonic()
    with open(os.path.join(bench.folder, "commands.log"), "ab") as log:
        child = subprocess.Popen(
            [f"{bench.binaries}/gatehouse", *words, "--config", f"{bench.folder}/million/gatehouse.yaml"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={**os.environ, **settings, "GATEHOUSE_STORAGE_URL": url})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    bench.state(succeeds(words, child.returncode))
    return time.monotonic() - began, usage.ru_maxrss * 1024


def succeeds(words: Sequence[str], status: int) -> Claim:
    return Claim(status == 0, f"gatehouse {' '.join(words[:2])} succeeds")


def self_test() -> None:
    shows([is_good(200)], ("is good afterwards", [is_good(401)]))
    shows([succeeds(["store", "copy"], 0)], ("gatehouse store copy", [succeeds(["store", "copy"], 1)]))
