"""Runs simulated worlds by their seeds, as many at once as there are processors, and tells what they found."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator

# Every so many seeds, one is run twice: what it does must be the same.
REPEATED = 100
# Longer than any world takes, so that one that hangs is found.
PATIENCE = 600
# What can be switched off in a story that is shortened.
FAULTS = ["kills", "providers", "network", "disk", "engine", "pauses", "commands"]
# What is done while one call to the disk, or one allocation, goes wrong, and what comes of the call.
FLOWS = [
    "signIn", "refresh", "erasure", "start", "stop", "backup", "restore", "change-master", "migration",
]
CALL_FAULTS = ["fails", "fills", "power", "memory"]
# Of the calls of one kind that find something, so many stories are told.
SHOWN = 5
# What a run of many seeds must reach, or its worlds are not what they are meant to be.
EXPECTED = {
    "sign-ins", "sign-ins refused", "refreshes", "refreshes refused", "replays", "looks", "sign-outs", "erasures",
    "codes used again", "moves between carriers", "kills", "power cuts", "unanswered",
    "answers that say it went wrong", "new keys of carriers", "stops",
    "links", "asked twice at once", "jumps of the wall clock", "pauses", "commands done: store check",
}
# The same of runs that are long enough for what is rare.
EXPECTED_IN_TIME = {
    "outages of the engine", "conflicts at the engine", "waits for locks", "commands killed",
    "commands done: store backup", "commands done: keys rotate", "commands done: store compact",
    "commands done: keys change-master", "commands done: store restore", "challenges used twice at once",
    "sign-ins by browser", "registrations", "tickets used again", "worlds whose codes are sent once",
    "worlds whose grants have ended", "stores without users",
}
# How many worlds are handed out before the first of them has ended.
AHEAD = 16
# With fewer seeds, what is rare may not have come.
ENOUGH_SEEDS, MANY_SEEDS = 60, 3000


@dataclasses.dataclass
class Outcome:
    """What came of a world."""

    seed: int
    story: str
    summary: dict[str, object] | None

    @property
    def is_good(self) -> bool:
        return self.summary is not None and self.summary["findings"] == 0

    @property
    def reached(self) -> dict[str, int]:
        reached = self.summary["reached"] if self.summary else {}
        assert isinstance(reached, dict)
        return reached


# A world and, where it was run twice, the second time; None for one that is left out.
Looked = tuple[Outcome, Outcome | None] | None


class Worker:
    """A process that all worlds of one processor are made from, one after the other."""

    def __init__(self, program: str, processor: int) -> None:
        self.program, self.processor = program, processor
        self.process = self.begun()

    def begun(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.program, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, {self.processor}))

    def run(self, words: list[str]) -> tuple[list[str], str]:
        """What a world prints, and how it ended."""
        process = self.process
        assert process.stdin and process.stdout
        watchdog = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        lines: list[str] = []
        try:
            process.stdin.write(" ".join(words) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith("ended "):
                    return lines, line.strip()
                lines.append(line.rstrip("\n"))
        finally:
            watchdog.cancel()
        process.wait()
        self.process = self.begun()
        return lines, f"did not end within {PATIENCE} s"


class Workers:
    """As many as there are processors."""

    def __init__(self, program: str) -> None:
        self.free: queue.Queue[Worker] = queue.Queue()
        self.processors = sorted(os.sched_getaffinity(0))
        for processor in self.processors:
            self.free.put(Worker(program, processor))

    def run(self, seed: int, words: list[str]) -> Outcome:
        """Runs one world to its end."""
        worker = self.free.get()
        try:
            lines, end = worker.run(words)
        finally:
            self.free.put(worker)
        summaries = [line for line in lines if line.startswith('{"seed":')]
        story = "\n".join(line for line in lines if line not in summaries)
        if not summaries:
            return Outcome(seed, f"{story[-3000:]}\n{end}", None)
        return Outcome(seed, story, json.loads(summaries[-1]))

    def world(self, seed: int, seconds: int, without: list[str]) -> Outcome:
        return self.run(seed, [str(seed), str(seconds), *without])

    def call(self, flow: str, fault: str, number: int) -> Outcome:
        """One flow in which one call goes wrong."""
        return self.run(number, ["call", flow, fault, str(number)])


def in_order(
    pool: concurrent.futures.Executor, look: Callable[[int], Looked], seeds: Iterable[int]
) -> Iterator[Looked]:
    """What comes of each, in their order; of those that wait no more are handed out than keep all busy."""
    waiting: collections.deque[concurrent.futures.Future[Looked]] = collections.deque()
    for seed in seeds:
        waiting.append(pool.submit(look, seed))
        if len(waiting) >= AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def run_calls(workers: Workers, flows: list[str], every: int) -> int:
    """Each flow, once for each call that it makes and each thing that can come of it."""
    failed = []
    for flow in flows:
        for fault in CALL_FAULTS:
            count = workers.call(flow, fault, 0).reached.get("calls", 0)
            numbers = range(1, count + 1, every if fault == "memory" else 1)
            with concurrent.futures.ThreadPoolExecutor(len(workers.processors)) as pool:
                outcomes = list(pool.map(functools.partial(workers.call, flow, fault), numbers))
            found = [outcome for outcome in outcomes if not outcome.is_good]
            for outcome in found[:SHOWN]:
                print(f"{flow}, call {outcome.seed} {fault}:\n{outcome.story}", flush=True)
            failed += [f"{flow} {fault} {outcome.seed}" for outcome in found]
            print(f"{flow:13} {fault:6} {len(numbers):6} of {count} calls, {len(found)} findings", flush=True)
    if failed:
        print(f"findings: {', '.join(failed[:100])}")
    return 1 if failed else 0


def shrink(workers: Workers, seed: int, seconds: int) -> Outcome:
    """The same finding with fewer faults and in less time, as far as it is still one."""
    without: list[str] = []
    best = workers.world(seed, seconds, without)
    if best.is_good:
        return best
    for fault in FAULTS:
        shorter = workers.world(seed, seconds, [*without, fault])
        if not shorter.is_good:
            best, without = shorter, [*without, fault]
    while seconds > 1:
        shorter = workers.world(seed, seconds // 2, without)
        if shorter.is_good:
            break
        best, seconds = shorter, seconds // 2
    print(f"seed {seed}, {seconds} s, without {', '.join(without) or 'nothing'}:")
    return best


def read() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--for", dest="limit", type=int)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--calls", action="append", choices=[*FLOWS, "all"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--until-found", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = read()
    workers = Workers(options.program)
    if options.calls:
        return run_calls(workers, FLOWS if "all" in options.calls else options.calls, options.every)
    if options.shrink:
        outcome = shrink(workers, options.seed or 1, options.seconds)
        print(outcome.story or "nothing found")
        return 0 if outcome.is_good else 1
    first = 1 if options.seed is None else options.seed
    count = options.seeds or (100 if options.seed is None else 1)
    started = time.monotonic()
    reached: collections.Counter[str] = collections.Counter()
    failed: list[int] = []
    done = simulated = repeated = 0

    def is_late() -> bool:
        if options.until_found and failed:
            return True
        return options.limit is not None and time.monotonic() - started > options.limit

    def look(seed: int) -> Looked:
        if is_late():
            return None
        outcome = workers.world(seed, options.seconds, [])
        again = workers.world(seed, options.seconds, []) if (seed - first) % REPEATED == 0 else None
        return outcome, again

    with concurrent.futures.ThreadPoolExecutor(len(workers.processors)) as pool:
        for looked in in_order(pool, look, range(first, first + count)):
            if looked is None:
                break
            outcome, again = looked
            done += 1
            reached.update(outcome.reached)
            simulated += int(str(outcome.summary["seconds"])) if outcome.summary else 0
            if not outcome.is_good:
                failed.append(outcome.seed)
                print(f"seed {outcome.seed}:\n{outcome.story}", flush=True)
            if again is not None:
                repeated += 1
                if again.summary != outcome.summary:
                    failed.append(outcome.seed)
                    print(f"seed {outcome.seed} did not do the same twice: {outcome.summary} {again.summary}")
    took = time.monotonic() - started
    for name, times in sorted(reached.items()):
        print(f"{times:10} {name}")
    print(f"{done} seeds, {simulated} s in {took:.0f} s: {simulated / max(took, 1):.0f} a second; "
          f"{repeated} twice; findings in {len(failed)}: {failed[:20]}")
    expected = (EXPECTED if done >= ENOUGH_SEEDS else set()) | (EXPECTED_IN_TIME if done >= MANY_SEEDS else set())
    missing = sorted(expected - reached.keys())
    if missing:
        print(f"never reached: {', '.join(missing)}")
    if options.until_found:
        return 1 if failed else 0
    return 1 if failed or missing or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
