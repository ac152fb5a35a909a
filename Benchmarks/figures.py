"""Reads what the benchmarks measured and compares it with figures.json. Called by scripts/benchmarks. Each run first
shows each kind of failure failing."""

from __future__ import annotations

import glob
import json
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypedDict


class Kept(TypedDict):
    """What figures.json has of an operation."""

    instructions: int
    allocations: float


class Figures(Kept):
    """What was measured of an operation; the time is shown, and never compared."""

    nanoseconds: int


class CheckedIn(TypedDict):
    """The content of figures.json."""

    tolerancePercent: float
    operations: dict[str, Kept]


class Line(NamedTuple):
    """What the benchmarks print of one of them; allocations and nanoseconds are those of an operation."""

    name: str
    operations: int
    allocations: float
    nanoseconds: float


class Comparison(NamedTuple):
    """What is printed, and the figures that have changed by more than is tolerated."""

    lines: list[str]
    worse: list[str]
    better: list[str]


def instructions(folder: str) -> dict[str, int]:
    """What callgrind wrote at the end of each benchmark, by the benchmark's name."""
    counts: dict[str, int] = {}
    for path in glob.glob(f"{folder}/callgrind.*"):
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name[1]] = int(total[1])
    return counts


def lines(path: str) -> Iterator[Line]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, operations, allocations, nanoseconds = line.split("\t")
            yield Line(name, int(operations), float(allocations), float(nanoseconds))


def measured(folder: str) -> dict[str, Figures]:
    counts = instructions(folder)
    wall = {line.name: line.nanoseconds for line in lines(f"{folder}/plain")}
    figures: dict[str, Figures] = {}
    for name, operations, allocations, _ in lines(f"{folder}/counted"):
        if name not in counts:
            sys.exit("callgrind counted nothing: the header valgrind/callgrind.h was not there when this was built")
        figures[name] = {
            "instructions": round(counts[name] / operations),
            "allocations": round(allocations, 1),
            "nanoseconds": round(wall[name]),
        }
    return figures


def compared(figures: dict[str, Figures], checked_in: CheckedIn) -> Comparison:
    tolerance = checked_in["tolerancePercent"]
    found = Comparison([], [], [])
    for name, now in figures.items():
        before = checked_in["operations"].get(name)
        if before is None:
            sys.exit(f"{name} is not in figures.json: run scripts/benchmarks --update")
        cells = [f"{name:18}"]
        for key, value, former in (("instructions", now["instructions"], before["instructions"]),
                                   ("allocations", now["allocations"], before["allocations"])):
            # Less than half a block an operation is the noise of the runtime's own threads.
            is_same = abs(value - former) < 0.5
            change = 0 if is_same else 100 * (value - former) / max(former, 1)
            cells.append(f"{value:>12,} {change:>+7.1f}%")
            if change > tolerance:
                found.worse.append(f"{name}: {key}")
            elif change < -tolerance:
                found.better.append(f"{name}: {key}")
        cells.append(f"{now['nanoseconds'] / 1000:>9,.1f} µs")
        found.lines.append(" ".join(cells))
    return found


def self_test() -> None:
    def end(action: Callable[[], object]) -> str:
        """What the run ends with; nothing where it goes on."""
        try:
            action()
        except SystemExit as raised:
            return str(raised.code)
        return ""

    def seen(instructions: int, allocations: float) -> tuple[list[str], list[str]]:
        now: Figures = {"instructions": instructions, "allocations": allocations, "nanoseconds": 1}
        found = compared({"a": now}, checked_in)
        return found.worse, found.better

    checked_in: CheckedIn = {"tolerancePercent": 5, "operations": {"a": {"instructions": 1000, "allocations": 10}}}
    new: Figures = {"instructions": 1, "allocations": 1, "nanoseconds": 1}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("plain", "a\t10\t3.04\t2000.4\n"), ("counted", "a\t10\t3.04\t9\n")):
            pathlib.Path(folder, name).write_text(text, encoding="utf-8")
        uncounted = end(lambda: measured(folder))
        trigger = "desc: Trigger: Client Request: a\ntotals: 1004\n"
        pathlib.Path(folder, "callgrind.out.1").write_text(trigger, encoding="utf-8")
        read = measured(folder)
    cases = {
        "figures as they are read": read == {"a": {"instructions": 100, "allocations": 3.0, "nanoseconds": 2000}},
        "a run that callgrind has not counted": uncounted.startswith("callgrind counted nothing"),
        "what has not changed": seen(1000, 10) == ([], []),
        "what is tolerated": seen(1050, 10.5) == ([], []),
        "more instructions": seen(1051, 10) == (["a: instructions"], []),
        "more allocations": seen(1000, 10.6) == (["a: allocations"], []),
        "less than before": seen(949, 9.4) == ([], ["a: instructions", "a: allocations"]),
        "a benchmark without a figure":
            end(lambda: compared({"b": new}, checked_in)).startswith("b is not in figures.json"),
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"Benchmarks/figures.py does not see: {', '.join(wrong)}")


def main(mode: str, folder: str, path: str) -> None:
    self_test()
    figures = measured(folder)
    if mode == "update":
        kept: dict[str, Kept] = {
            name: {"instructions": one["instructions"], "allocations": one["allocations"]}
            for name, one in figures.items()}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"tolerancePercent": 5, "operations": kept}, file, indent=2)
            file.write("\n")
    with open(path, encoding="utf-8") as file:
        checked_in: CheckedIn = json.load(file)
    print(f"{'':18} {'instructions':>12} {'change':>8} {'allocations':>12} {'change':>8} {'wall time':>12}")
    found = compared(figures, checked_in)
    print("\n".join(found.lines))
    if found.better:
        print(f"Less than before, so figures.json may be updated: {', '.join(found.better)}")
    if found.worse:
        print(f"More than {checked_in['tolerancePercent']} % above figures.json: {', '.join(found.worse)}")
        if mode == "check":
            sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
