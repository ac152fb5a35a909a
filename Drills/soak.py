"""Much of everything at once leaves memory and descriptors where they were, and no secret in the log."""

import os
import random
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import MIB, Bench, crowd, eventually, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.client import LOST
from traffic import Traffic

APPS = 6
CALM_SECONDS = 6
FAULTY_SECONDS = 3
FAULTS = [
    "status_500", "status_503", "status_429", "html", "redirect", "oversized_body", "gzip_bomb", "deep_nesting",
    "not_http", "reset", "close_before_answer", "truncated_body", "drip_body", "hang", "duplicate_members"]
# What is cached is asked for seldom, whatever is wrong with it.
ENDPOINTS = ["discovery", "keys", "token", "token", "token", "userinfo", "userinfo", "userinfo"]
LARGEST_GROWTH = 8 * MIB
# A used code is remembered for twenty to twenty-five minutes, by eight bytes in a set that is half empty.
USED_CODE_BYTES, USED_CODE_SECONDS = 24, 1500


def run(bench: Bench) -> None:
    settings = {"GATEHOUSE_LOG_LEVEL": "trace", "GATEHOUSE_PROVIDER_ZENKEY_TIMEOUT_SECONDS": "2",
                "GATEHOUSE_PROVIDER_PLAIN_TIMEOUT_SECONDS": "2", "GATEHOUSE_HTTP_IDLE_TIMEOUT_SECONDS": "5",
                "GATEHOUSE_HTTP_HEADER_TIMEOUT_SECONDS": "2"}
    with bench.carriers() as carriers:
        with bench.server(carriers, settings=settings) as server:
            traffic = Traffic(server)
            # Long enough for the caches of the store to fill.
            warm_up = max(bench.seconds // 5, min(60, bench.seconds // 2))
            work(bench, traffic, warm_up)
            rest, early = at_rest(server)
            before = traffic.counts.get("sign-in:200", 0)
            bench.note(f"warm after {warm_up} s: {early / MIB:.1f} MiB, {rest} descriptors")
            work(bench, traffic, bench.seconds - warm_up)
            descriptors, late = at_rest(server)
            bench.figure("MiB_warm_end", f"{early / MIB:.1f}/{late / MIB:.1f}")
            bench.figure("descriptors", f"{rest}/{descriptors}")
            signed_in = traffic.counts.get("sign-in:200", 0) - before
            remembered = signed_in * min(1, USED_CODE_SECONDS / (bench.seconds - warm_up))
            allowed = int(max(early // 10, LARGEST_GROWTH) + remembered * USED_CODE_BYTES)
            bench.note(f"MiB over time: {' '.join(f'{sample / MIB:.1f}' for sample in traffic.samples)}")
            bench.state(*is_at_rest(early, late, allowed, rest, descriptors))
            report(bench, traffic)
            log = server.log
        scan(bench, traffic, log)


def work(bench: Bench, traffic: Traffic, seconds: float) -> None:
    """Calm and faulty times in turn, with all apps at work throughout."""
    over = threading.Event()
    apps = [threading.Thread(target=keep_busy, args=(traffic, over)) for _ in range(APPS)]
    for app in apps:
        app.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        traffic.is_calm.set()
        time.sleep(max(0, min(CALM_SECONDS, end - time.monotonic())))
        traffic.is_calm.clear()
        for _ in range(2):
            traffic.carriers.misbehave(random.choice(FAULTS), endpoint=random.choice(ENDPOINTS), times=20)
        time.sleep(max(0, min(FAULTY_SECONDS, end - time.monotonic())))
        traffic.carriers.behave()
        # Open circuits close, and what was under way when the faults ended is answered for.
        bench.state(recovers(eventually(traffic.carriers_are_well, 90)))
        time.sleep(2.5)
        traffic.samples.append(traffic.server.resident())
    over.set()
    for app in apps:
        app.join()


def keep_busy(traffic: Traffic, over: threading.Event) -> None:
    while not over.is_set():
        try:
            traffic.one()
        except LOST as error:
            # Nobody closes a whole and well-formed exchange.
            traffic.lost.append(type(error).__name__)


def at_rest(server: Gatehouse) -> tuple[int, int]:
    """Descriptors and memory when nobody is connected and the deadlines of those who vanished are over."""
    time.sleep(4)
    return server.own_descriptors(), server.resident()


def report(bench: Bench, traffic: Traffic) -> None:
    bench.figure("requests", sum(traffic.counts.values()))
    bench.figure("5xx_of_faults", len(traffic.explained))
    bench.note("answers: " + "  ".join(f"{name} {count}" for name, count in sorted(traffic.counts.items())))
    known = traffic.known.sessions[-200:]
    found = crowd(len(known), lambda number: traffic.known.is_there(known[number]), threads=8)
    bench.state(*Seen(traffic.unexplained, traffic.wrong, len(traffic.lost), found).claims())


def scan(bench: Bench, traffic: Traffic, log: str, sentence: str = "the log holds nothing secret or personal") -> None:
    secrets = os.path.join(bench.folder, "secrets.txt")
    with open(secrets, "w", encoding="utf-8") as file:
        file.write("\n".join(traffic.secrets) + "\n")
    result = subprocess.run([f"{bench.root}/scripts/log-scan", "--secrets", secrets, log],
                            capture_output=True, text=True, check=False)
    bench.note(result.stdout.strip()[:2000] or result.stderr.strip()[:2000])
    bench.state(holds_no_secret(result.returncode, sentence))


def is_at_rest(early: int, late: int, allowed: int, rest: int, descriptors: int) -> list[Claim]:
    """What must be true of bytes of memory and of descriptors after the warm-up and at the end."""
    return [
        Claim(late <= early + allowed, f"the memory is what it was after the warm-up, or {allowed} bytes more"),
        Claim(descriptors <= rest, "the descriptors are what they were")]


def recovers(holds: bool) -> Claim:
    return Claim(holds, "sign-ins succeed again after a fault of the carriers")


@dataclass(frozen=True)
class Seen:
    """What apps were answered that nobody should be, how often nothing came, and whether each session is there."""

    unexplained: Sequence[str]
    wrong: Sequence[str]
    lost: int
    found: Sequence[bool]

    def claims(self) -> list[Claim]:
        return [
            Claim(not self.unexplained, f"no 5xx but those of the faults ({tally(self.unexplained)})"),
            Claim(not self.wrong, f"every answer is the one it should be ({tally(self.wrong)})"),
            Claim(not self.lost, f"every request gets an answer ({self.lost} got none)"),
            Claim(all(self.found),
                  f"the sessions are there ({self.found.count(False)} of {len(self.found)} lost)")]


def holds_no_secret(status: int, sentence: str) -> Claim:
    """What must be true of the scan of a log."""
    return Claim(status == 0, sentence)


def self_test() -> None:
    shows(is_at_rest(100, 110, 10, 20, 20),
          ("the memory", is_at_rest(100, 111, 10, 20, 20)), ("the descriptors", is_at_rest(100, 110, 10, 20, 21)))
    shows([recovers(True)], ("succeed again", [recovers(False)]))
    good = Seen([], [], 0, [True, True])
    shows(good.claims(), ("sign-in:500×1", replace(good, unexplained=["sign-in:500"]).claims()),
          ("refresh:401×1", replace(good, wrong=["refresh:401"]).claims()),
          ("(1 got none)", replace(good, lost=1).claims()),
          ("(1 of 2 lost)", replace(good, found=[True, False]).claims()))
    shows([holds_no_secret(0, "no secret")], ("no secret", [holds_no_secret(1, "no secret")]))
