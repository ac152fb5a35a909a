"""Runs simulated worlds by their seeds, as many at once as there are processors, and tells what they found."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator

# Every so many seeds, one is run twice: what it does must be the same.
REPEATED = 100
# Longer than any world takes, so that one that hangs is found.
PATIENCE = 600
# What can be switched off in a story that is shortened.
FAULTS = ["kills", "providers", "network", "disk", "engine", "pauses", "commands"]
# What is done while one call to the disk goes wrong, and what comes of the call.
FLOWS = ["signIn", "refresh", "erasure", "start", "stop"]
CALL_FAULTS = ["fails", "fills", "power"]
# What a run of many seeds must reach, or its worlds are not what they are meant to be.
EXPECTED = {
    "sign-ins", "sign-ins refused", "refreshes", "refreshes refused", "replays", "looks", "sign-outs", "erasures",
    "codes used again", "moves between carriers", "kills", "power cuts", "unanswered",
    "answers that say it went wrong", "new keys of carriers", "stops",
    "links", "asked twice at once", "jumps of the wall clock", "pauses", "outages of the engine",
    "conflicts at the engine", "commands killed", "commands done: store backup", "commands done: store check",
    "commands done: keys rotate", "commands done: store compact", "commands done: keys change-master",
    "commands done: store restore",
}
# How many worlds are handed out before the first of them has ended.
AHEAD = 16
# With fewer seeds, what is rare may not have come.
ENOUGH_SEEDS = 30


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


def run(program: str, seed: int, seconds: int, without: list[str]) -> Outcome:
    """Runs one world to its end."""
    return run_words(seed, [program, str(seed), str(seconds), *without])


def run_words(seed: int, command: list[str]) -> Outcome:
    """Runs a command that ends with a summary."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(seed, f"did not end within {PATIENCE} s", None)
    *story, last = done.stdout.splitlines() or [""]
    try:
        summary = json.loads(last)
    except ValueError:
        return Outcome(seed, f"ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}", None)
    return Outcome(seed, "\n".join(story), summary)


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


def run_call(program: str, flow: str, fault: str, number: int) -> Outcome:
    """One flow in which one call to the disk goes wrong."""
    return run_words(number, [program, "call", flow, fault, str(number)])


def run_calls(program: str, flows: list[str]) -> int:
    """Each flow, once for each call that it makes to the disk and each thing that can come of it."""
    failed = []
    for flow in flows:
        count = run_call(program, flow, "fails", 0).reached.get("calls", 0)
        for fault in CALL_FAULTS:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                one = functools.partial(run_call, program, flow, fault)
                outcomes = list(pool.map(one, range(1, count + 1)))
            found = [outcome for outcome in outcomes if not outcome.is_good]
            for outcome in found:
                print(f"{flow}, call {outcome.seed} {fault}:\n{outcome.story}", flush=True)
            failed += [f"{flow} {fault} {outcome.seed}" for outcome in found]
            print(f"{flow:8} {fault:6} {count:4} calls, {len(found)} findings", flush=True)
    return 1 if failed else 0


def shrink(program: str, seed: int, seconds: int) -> Outcome:
    """The same finding with fewer faults and in less time, as far as it is still one."""
    without: list[str] = []
    best = run(program, seed, seconds, without)
    if best.is_good:
        return best
    for fault in FAULTS:
        shorter = run(program, seed, seconds, [*without, fault])
        if not shorter.is_good:
            best, without = shorter, [*without, fault]
    while seconds > 1:
        shorter = run(program, seed, seconds // 2, without)
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
    parser.add_argument("--until-found", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = read()
    if options.calls:
        return run_calls(options.program, FLOWS if "all" in options.calls else options.calls)
    if options.shrink:
        outcome = shrink(options.program, options.seed or 1, options.seconds)
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
        outcome = run(options.program, seed, options.seconds, [])
        again = run(options.program, seed, options.seconds, []) if (seed - first) % REPEATED == 0 else None
        return outcome, again

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
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
    missing = sorted(EXPECTED - reached.keys()) if done >= ENOUGH_SEEDS else []
    if missing:
        print(f"never reached: {', '.join(missing)}")
    return 1 if failed or missing or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
