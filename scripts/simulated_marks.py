"""Tells which of the places in `Simulator/marks.txt` no world has reached, by what they have counted."""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys

MARKS = "Simulator/marks.txt"


def marks(root: pathlib.Path) -> list[tuple[str, str, list[int]]]:
    """Each file with the text of a line, and the numbers of the lines that have it."""
    found = []
    for line in (root / MARKS).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, text = line.partition(": ")
        lines = (root / name).read_text().splitlines()
        found.append((name, text, [number for number, there in enumerate(lines, 1) if there.strip() == text]))
    return found


def counts(root: pathlib.Path, program: pathlib.Path, profile: pathlib.Path, name: str) -> dict[int, int]:
    """How often each line of a file was reached."""
    shown = subprocess.run(
        ["llvm-cov", "show", program, f"-instr-profile={profile}", root / name], check=True, capture_output=True,
        text=True).stdout
    reached: dict[int, int] = {}
    for line in shown.splitlines():
        number, bar, rest = line.partition("|")
        count = rest.partition("|")[0].strip() if bar else ""
        if number.strip().isdigit() and count:
            factor = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}.get(count[-1], 1)
            reached[int(number)] = int(float(count.rstrip("kMG")) * factor)
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("profiles", type=pathlib.Path, help="the folder of what the worlds have counted")
    options = parser.parse_args()
    merged = options.profiles / "all.profdata"
    raw = sorted(options.profiles.glob("*.profraw"))
    if not raw or not shutil.which("llvm-profdata"):
        print("no world has counted anything")
        return 1
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", merged, *raw], check=True)
    unreached = 0
    for name, text, lines in marks(options.root):
        reached = counts(options.root, options.program, merged, name)
        times = sum(reached.get(number, 0) for number in lines)
        unreached += times == 0
        print(f"{times:10} {name}: {text}" if lines else f"   no line {name}: {text}")
    print(f"{unreached} marks are not reached")
    return 1 if unreached else 0


if __name__ == "__main__":
    sys.exit(main())
