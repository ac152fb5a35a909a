"""Much of everything at once leaves memory and descriptors where they were, and no secret in the log."""

import os
import random
import subprocess
import threading
import time

from bench import MIB, crowd, eventually, tally
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


def run(bench):
    settings = {"GATEHOUSE_LOG_LEVEL": "trace", "GATEHOUSE_PROVIDER_ZENKEY_TIMEOUT_SECONDS": "2", "GATEHOUSE_PROVIDER_PLAIN_TIMEOUT_SECONDS": "2",
                "GATEHOUSE_HTTP_IDLE_TIMEOUT_SECONDS": "5", "GATEHOUSE_HTTP_HEADER_TIMEOUT_SECONDS": "2"}
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
            bench.claim(late <= early + allowed, f"the memory is what it was after the warm-up, or {allowed} bytes more")
            bench.claim(descriptors <= rest, "the descriptors are what they were")
            report(bench, traffic)
            log = server.log
        scan(bench, traffic, log)


def work(bench, traffic, seconds):
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
        recovered = eventually(lambda: traffic.carriers_are_well(), 90)
        bench.claim(recovered, "sign-ins succeed again after a fault of the carriers")
        time.sleep(2.5)
        traffic.samples.append(traffic.server.resident())
    over.set()
    for app in apps:
        app.join()


def keep_busy(traffic, over):
    while not over.is_set():
        try:
            traffic.one()
        except LOST:
            # Nobody closes a whole and well-formed exchange.
            traffic.lost.append(1)


def at_rest(server):
    """Descriptors and memory when nobody is connected and the deadlines of those who vanished are over."""
    time.sleep(4)
    return server.own_descriptors(), server.resident()


def report(bench, traffic):
    bench.figure("requests", sum(traffic.counts.values()))
    bench.figure("5xx_of_faults", len(traffic.explained))
    bench.note("answers: " + "  ".join(f"{name} {count}" for name, count in sorted(traffic.counts.items())))
    bench.claim(not traffic.unexplained, f"no 5xx but those of the faults ({tally(traffic.unexplained)})")
    bench.claim(not traffic.wrong, f"every answer is the one it should be ({tally(traffic.wrong)})")
    bench.claim(not traffic.lost, f"every request gets an answer ({len(traffic.lost)} got none)")
    known = traffic.known.sessions[-200:]
    found = crowd(len(known), lambda number: traffic.known.is_there(known[number]), threads=8)
    bench.claim(all(found), f"the sessions are there ({found.count(False)} of {len(found)} lost)")


def scan(bench, traffic, log, holds="the log holds nothing secret or personal"):
    secrets = os.path.join(bench.folder, "secrets.txt")
    with open(secrets, "w", encoding="utf-8") as file:
        file.write("\n".join(traffic.secrets) + "\n")
    result = subprocess.run([f"{bench.root}/scripts/log-scan", "--secrets", secrets, log],
                            capture_output=True, text=True, check=False)
    bench.note(result.stdout.strip()[:2000] or result.stderr.strip()[:2000])
    bench.claim(result.returncode == 0, holds)
