"""What is known of the roads: their figures and files in Documentation/roads.json, the steps in
Documentation/Architecture.md."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
from typing import Self

Roads = dict[str, set[str]]

# The road whose steps Architecture.md lists.
STEPPED = "sign-in"
# More steps than this nobody reads.
MOST_STEPS = 40


@dataclasses.dataclass
class Figures:
    """`files` has the roads that cross each file, but for the steps of a sign-in, which are `steps`."""

    first: dict[str, int]
    last: dict[str, int]
    files: dict[str, set[str]]
    steps: list[str]

    @classmethod
    def read(cls, figures: pathlib.Path, architecture: pathlib.Path) -> Self:
        steps = listed_steps(architecture.read_text(encoding="utf-8"))
        if not figures.exists():
            return cls({}, {}, {}, steps)
        known = json.loads(figures.read_text(encoding="utf-8"))
        files = {file: set(roads) for file, roads in known["files"].items()}
        return cls(known["first"], known["last"], files, steps)

    def faults(self, measured: Roads) -> list[str]:
        """All in which the measured roads differ from what is known of them, one sentence each."""
        found = []
        for road, crossed in measured.items():
            last = self.last.get(road, 0)
            if len(crossed) > last:
                found.append(f"{road}: crosses {len(crossed)} files, and {last} were its last figure")
            found += [f"{road}: {file} is listed and not crossed" for file in sorted(self.listed(road) - crossed)]
            found += [f"{road}: {file} is crossed and not listed" for file in sorted(crossed - self.listed(road))]
        if missing := sorted(self.last.keys() - measured.keys()):
            found.append(f"{', '.join(missing)}: not measured")
        parts = {file for file, roads in self.files.items() if STEPPED in roads}
        found += [f"{STEPPED}: {file} is listed both as a step and as a part"
                  for file in sorted(parts & set(self.steps))]
        if len(self.steps) > MOST_STEPS:
            found.append(f"{STEPPED}: has {len(self.steps)} steps, and {MOST_STEPS} are enough")
        return found

    def listed(self, road: str) -> set[str]:
        """The files that a road is known to cross."""
        files = {file for file, roads in self.files.items() if road in roads}
        return files | set(self.steps) if road == STEPPED else files

    def updated(self, measured: Roads) -> Self:
        """What is known after a measurement. First figures stay, and the steps are for people to change."""
        last = {road: len(crossed) for road, crossed in measured.items()}
        files: dict[str, set[str]] = {}
        for road, crossed in measured.items():
            for file in crossed - set(self.steps if road == STEPPED else []):
                files.setdefault(file, set()).add(road)
        return dataclasses.replace(self, first={**last, **self.first}, last=last, files=files)

    def text(self) -> str:
        """As it is written down: a line a file, so that a file that is renamed is one line of a change."""
        order = list(self.last)
        lines = [
            f"    {json.dumps(file)}: {json.dumps([road for road in order if road in roads])}"
            for file, roads in sorted(self.files.items())]
        return "\n".join([
            "{", f'  "first": {json.dumps(self.first)},', f'  "last": {json.dumps(self.last)},', '  "files": {',
            ",\n".join(lines), "  }", "}", ""])


def listed_steps(architecture: str) -> list[str]:
    """The files in the table of steps."""
    table = architecture.split("## The road of a sign-in", 1)[1].split("Off this road", 1)[0]
    return re.findall(r"\(\.\./Sources/([^)]+)\)", table)
