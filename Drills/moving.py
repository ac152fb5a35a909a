"""A store with very many users, and its way into another engine and back."""

import contextlib
import json
import os
import subprocess
import time

from bench import MIB
from ready_made import subject

USERS = int(os.environ.get("DRILL_COST_USERS", "1000000"))


def code(text):
    """What an app posts with a code that the provider takes as any other."""
    return {"client_id": "ready-made", "code": text, "redirect_uri": "https://app.example/cb", "code_verifier": "v" * 43}


@contextlib.contextmanager
def server(bench, carrier, settings):
    """A list of one server, with a folder of its own."""
    with bench.server(carrier, f"million{len(os.listdir(bench.folder))}", settings=settings) as one:
        yield [one]


def fill(bench, carrier, settings):
    """A server that has stopped, with so many users in its file, one of whom has a session."""
    file = bench.start(carrier, "million", settings={**settings, "GATEHOUSE_STORAGE_URL": f"file:{bench.folder}/million.db"})
    file.database = f"{bench.folder}/million.db"
    file.session = file.call("POST", "/auth/signin", body=code("before")).json.get("token")
    file.stop()
    lines = os.path.join(bench.folder, "users.jsonl")
    with open(lines, "w", encoding="ascii") as output:
        for number in range(USERS):
            output.write(json.dumps({"identities": [
                {"provider": "ready", "issuer": carrier.issuer, "subject": subject(number)}]}) + "\n")
    seconds, _ = command(bench, settings, "store", "import", lines, "--json", url=f"file:{file.database}")
    os.remove(lines)
    bench.figure("import_s", seconds)
    return file


def copy(bench, carrier, file, settings, source, target, name):
    """Copies a store and tells how long it took, and how much memory; a session from before is good afterwards."""
    seconds, peak = command(
        bench, settings, "store", "copy", "--from", source, "--to", target, url=settings["GATEHOUSE_STORAGE_URL"])
    with server(bench, carrier, {**settings, "GATEHOUSE_STORAGE_URL": target}) as (one,):
        bench.claim(one.user(file.session).status == 200, "a session from before is good afterwards")
    bench.figure(f"copy_{name}_s", seconds)
    bench.figure(f"copy_{name}_MiB", peak / MIB)


def command(bench, settings, *words, url):
    """Runs a command of the operator's, and returns how many seconds it took and how many bytes at most."""
    began = time.monotonic()
    with open(os.path.join(bench.folder, "commands.log"), "ab") as log:
        child = subprocess.Popen(
            [f"{bench.binaries}/gatehouse", *words, "--config", f"{bench.folder}/million/gatehouse.yaml"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **settings, "GATEHOUSE_STORAGE_URL": url})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    bench.claim(child.returncode == 0, f"gatehouse {' '.join(words[:2])} succeeds")
    return time.monotonic() - began, usage.ru_maxrss * 1024
