"""Which files of Sources a running server executes, by the coverage counters that it shares in a file."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence

Function = tuple[str, str]
Counts = dict[Function, int]

# Whether a connection meets another's lock depends on what else goes on at that moment, on any road that writes.
BY_CHANCE = {"AccountsSQLite/LockPatience.swift"}

# The toolchain's own: another version of them does not read its counters.
TOOLS = pathlib.Path(os.path.realpath(shutil.which("swift") or "swift")).parent


class Counters:
    """The counters of one process. `keep` costs no time to speak of; `read` takes seconds, so it comes afterwards."""

    def __init__(self, profile: pathlib.Path, binary: pathlib.Path, root: pathlib.Path) -> None:
        self.profile = profile
        self.binary = binary
        self.sources = root / "Sources"
        self.kept = 0

    def keep(self) -> pathlib.Path:
        """A copy of the counters as they are now."""
        self.kept += 1
        copy = self.profile.with_name(f"kept-{self.kept}.profraw")
        shutil.copy(self.profile, copy)
        return copy

    def read(self, kept: pathlib.Path) -> Counts:
        """How often each function of Sources had run, by its file and name."""
        data = kept.with_suffix(".profdata")
        subprocess.run([str(TOOLS / "llvm-profdata"), "merge", "-o", str(data), str(kept)], check=True)
        exported = subprocess.run(
            [str(TOOLS / "llvm-cov"), "export", "-instr-profile", str(data), str(self.binary)],
            check=True, capture_output=True).stdout
        counts: Counts = {}
        for function in json.loads(exported)["data"][0]["functions"]:
            for file in map(pathlib.Path, function["filenames"]):
                if file.is_relative_to(self.sources):
                    # Functions that are made of one generic function are one function here.
                    key = (str(file.relative_to(self.sources)), function["name"])
                    counts[key] = counts.get(key, 0) + sum(region[4] for region in function["regions"])
        return counts


def moved(before: Counts, after: Counts) -> set[Function]:
    """The functions that ran between two readings."""
    return {function for function, count in after.items() if count > before.get(function, 0)}


def crossed(quiet: Sequence[tuple[Counts, ...]], driven: Sequence[tuple[Counts, ...]]) -> set[str]:
    """The files with a function that ran each time that a road was gone, and not each time that none was: without what
    runs by chance."""
    always = set.intersection(*(moved(before, after) for before, after in driven))
    anyway = set.intersection(*(moved(before, after) for before, after in quiet))
    return {file for file, _ in always - anyway} - BY_CHANCE
