"""Reads what the benchmarks measured and compares it with figures.json. Called by scripts/benchmarks."""

import glob
import json
import re
import sys


def instructions(folder):
    """What callgrind wrote at the end of each benchmark, by the benchmark's name."""
    counts = {}
    for path in glob.glob(f"{folder}/callgrind.*"):
        text = open(path, encoding="utf-8", errors="replace").read()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name[1]] = int(total[1])
    return counts


def lines(path):
    """Name, operations, allocations and nanoseconds an operation, as the benchmarks print them."""
    for line in open(path, encoding="utf-8"):
        name, operations, allocations, nanoseconds = line.split("\t")
        yield name, int(operations), float(allocations), float(nanoseconds)


def measured(folder):
    counts = instructions(folder)
    wall = {name: nanoseconds for name, _, _, nanoseconds in lines(f"{folder}/plain")}
    figures = {}
    for name, operations, allocations, _ in lines(f"{folder}/counted"):
        if name not in counts:
            sys.exit("callgrind counted nothing: the header valgrind/callgrind.h was not there when this was built")
        figures[name] = {
            "instructions": round(counts[name] / operations),
            "allocations": round(allocations, 1),
            "nanoseconds": round(wall[name]),
        }
    return figures


def main(mode, folder, path):
    figures = measured(folder)
    if mode == "update":
        kept = {name: {key: f[key] for key in ("instructions", "allocations")} for name, f in figures.items()}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"tolerancePercent": 5, "operations": kept}, file, indent=2)
            file.write("\n")
    with open(path, encoding="utf-8") as file:
        checked_in = json.load(file)
    tolerance = checked_in["tolerancePercent"]
    print(f"{'':18} {'instructions':>12} {'change':>8} {'allocations':>12} {'change':>8} {'wall time':>12}")
    worse, better = [], []
    for name, now in figures.items():
        before = checked_in["operations"].get(name)
        if before is None:
            sys.exit(f"{name} is not in figures.json: run scripts/benchmarks --update")
        cells = [f"{name:18}"]
        for key in ("instructions", "allocations"):
            # Less than half a block an operation is the noise of the runtime's own threads.
            is_same = abs(now[key] - before[key]) < 0.5
            change = 0 if is_same else 100 * (now[key] - before[key]) / max(before[key], 1)
            cells.append(f"{now[key]:>12,} {change:>+7.1f}%")
            if change > tolerance:
                worse.append(f"{name}: {key}")
            elif change < -tolerance:
                better.append(f"{name}: {key}")
        cells.append(f"{now['nanoseconds'] / 1000:>9,.1f} µs")
        print(" ".join(cells))
    if better:
        print(f"Less than before, so figures.json may be updated: {', '.join(better)}")
    if worse:
        print(f"More than {tolerance} % above figures.json: {', '.join(worse)}")
        if mode == "check":
            sys.exit(1)


main(*sys.argv[1:])
