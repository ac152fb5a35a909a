"""Runs the drills that are named, one after the other, and prints a line of figures for each. See scripts/drill.

With --self-test it runs none of them, and shows that each of their claims fails of what is not as it should be.
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from typing import Protocol

# What all tools share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

import alerts
import bodies
import browsers
import cost
import crash
import descriptors
import failover
import floods
import forgotten
import freeze
import growth
import gzip_bombs
import history
import hosts
import hot_row
import https
import idle
import incidents
import instances
import keyservice
import lost_answers
import morning
import moved_provider
import moved_store
import native
import older_store
import outbound_proxy
import overload
import package
import pooler
import postgres_crash
import power_cut
import races
import random_kids
import rolling
import signup
import slow_carrier
import slow_readers
import soak
import standby
import stops
import storage
import traces
import unit
import unread_log
import upgrade
import vault
import worst_day
from bench import Bench, went_on
from claims import unshown


class Drill(Protocol):
    __doc__: str | None

    def run(self, bench: Bench) -> None: ...

    def self_test(self) -> None: ...


DRILLS: dict[str, Drill] = {
    "idle": idle, "slow-readers": slow_readers, "bodies": bodies, "random-kids": random_kids,
    "gzip-bombs": gzip_bombs, "descriptors": descriptors, "unread-log": unread_log, "forgotten": forgotten,
    "slow-carrier": slow_carrier, "browsers": browsers, "stops": stops, "storage": storage, "freeze": freeze,
    "growth": growth, "floods": floods, "older-store": older_store, "moved-provider": moved_provider,
    "moved-store": moved_store, "morning": morning, "failover": failover, "crash": crash,
    "power-cut": power_cut, "vault": vault, "keyservice": keyservice, "native": native, "signup": signup,
    "instances": instances, "rolling": rolling, "postgres-crash": postgres_crash, "standby": standby,
    "races": races, "outbound-proxy": outbound_proxy, "lost-answers": lost_answers, "pooler": pooler,
    "history": history, "hot-row": hot_row, "overload": overload, "worst-day": worst_day, "alerts": alerts,
    "traces": traces, "hosts": hosts, "https": https, "unit": unit, "package": package, "upgrade": upgrade,
    "incidents": incidents, "cost": cost, "soak": soak}
ROOT = pathlib.Path(__file__).resolve().parents[1]
# A drill that names no time of its own takes less than half of this; one that takes longer hangs, which is a finding
# too.
LONGEST = 180


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--root", default=str(ROOT))
    parser.add_argument("--binaries")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--keep")
    parser.add_argument("drills", nargs="*")
    options = parser.parse_args()
    if not options.self_test and not options.binaries:
        parser.error("--binaries is missing")
    return options


def out_of_time(*_: object) -> None:
    raise TimeoutError("the drill takes too long")


def run(name: str, options: argparse.Namespace, parent: str) -> tuple[bool, str]:
    """Runs one drill; whether it has passed, and its line of the table."""
    folder = os.path.join(parent, name)
    os.makedirs(folder)
    drill = DRILLS[name]
    what = " ".join((drill.__doc__ or "").partition("\n\n")[0].split())
    print(f"\n{name}: {what}", flush=True)
    bench = Bench(options.binaries, folder, options.root, options.seconds)
    signal.alarm(getattr(drill, "LONGEST", LONGEST) + (2 * options.seconds if name == "soak" else 0))
    try:
        drill.run(bench)
    except Exception as error:  # Whatever it is, the other drills still run.
        traceback.print_exc()
        bench.state(went_on(error))
    finally:
        signal.alarm(0)
    took = time.monotonic() - bench.started
    result = "FAILED" if bench.broken else "skipped in part" if bench.skipped else "passed"
    figures = "  ".join(f"{key}={value}" for key, value in bench.figures.items())
    return not bench.broken, f"{name:<14} {result:<16} {took:5.0f} s  {figures}"


def self_test() -> int:
    faults = [f"{name} has no self-test" for name, drill in DRILLS.items() if not hasattr(drill, "self_test")]
    # What drills share has claims, too.
    paths = sorted((ROOT / "Drills").glob("*.py"))
    for path in paths:
        module = sys.modules.get(path.stem)
        if module and hasattr(module, "self_test"):
            try:
                module.self_test()
            except AssertionError as error:
                faults.append(f"{path.name}: {error}")
    for path in paths:
        faults += unshown(path.name, path.read_text(encoding="utf-8"))
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    print(f"every claim of {len(DRILLS)} drills is shown failing.")
    return 0


def main() -> int:
    options = parse()
    if options.self_test:
        return self_test()
    # Thousands of connections are held here too.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = options.keep or tempfile.mkdtemp(prefix="gatehouse-drill-")
    os.makedirs(folder, exist_ok=True)
    try:
        results = [run(name, options, folder) for name in options.drills or DRILLS]
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n" + "\n".join(line for _, line in results))
    return 0 if all(holds for holds, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
