"""Shows each way in which a check of the roads fails, with measurements that are made up."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import tempfile
from collections.abc import Set

from road_counters import Counts, crossed
from road_figures import Figures, Roads

KNOWN = Figures(
    first={"sign-in": 5, "user": 2}, last={"sign-in": 3, "user": 2},
    files={"JSON/Value.swift": {"sign-in", "user"}, "HTTPServer/Router.swift": {"user"}},
    steps=["HTTPServer/Router.swift", "SignIn/SignIn.swift"])
SEEN: Roads = {
    "sign-in": {"HTTPServer/Router.swift", "SignIn/SignIn.swift", "JSON/Value.swift"},
    "user": {"HTTPServer/Router.swift", "JSON/Value.swift"}}


def check(figures: pathlib.Path, architecture: pathlib.Path, sources: pathlib.Path) -> list[str]:
    """What did not go as it should."""
    wrong: list[str] = []

    def expect(case: str, found: list[str], *expected: str) -> None:
        if found != list(expected):
            wrong.append(f"{case}: expected {list(expected)}, got {found}")

    def seen(road: str, more: Set[str] = frozenset(), less: Set[str] = frozenset()) -> Roads:
        return {**SEEN, road: (SEEN[road] | more) - less}

    expect("all as it was", KNOWN.faults(SEEN))
    expect("a file more", KNOWN.faults(seen("user", more={"JSON/Writer.swift"})),
           "user: crosses 3 files, and 2 were its last figure", "user: JSON/Writer.swift is crossed and not listed")
    expect("another file", KNOWN.faults(seen("user", {"JSON/Writer.swift"}, {"JSON/Value.swift"})),
           "user: JSON/Value.swift is listed and not crossed", "user: JSON/Writer.swift is crossed and not listed")
    expect("a part less", KNOWN.faults(seen("user", less={"JSON/Value.swift"})),
           "user: JSON/Value.swift is listed and not crossed")
    expect("a step less", KNOWN.faults(seen("sign-in", less={"SignIn/SignIn.swift"})),
           "sign-in: SignIn/SignIn.swift is listed and not crossed")
    expect("a step that stands in no table", dataclasses.replace(KNOWN, steps=KNOWN.steps[:1]).faults(SEEN),
           "sign-in: SignIn/SignIn.swift is crossed and not listed")
    expect("a step that is a part", dataclasses.replace(KNOWN, steps=[*KNOWN.steps, "JSON/Value.swift"]).faults(SEEN),
           "sign-in: JSON/Value.swift is listed both as a step and as a part")
    expect("a list that is right and longer than the figure",
           dataclasses.replace(KNOWN, last={"sign-in": 2, "user": 2}).faults(SEEN),
           "sign-in: crosses 3 files, and 2 were its last figure")
    expect("a road that was not measured", KNOWN.faults({"user": SEEN["user"]}), "sign-in: not measured")
    expect("a road without a figure", KNOWN.faults({**SEEN, "new": {"A/B.swift"}}),
           "new: crosses 1 files, and 0 were its last figure", "new: A/B.swift is crossed and not listed")
    many = [f"Steps/{number}.swift" for number in range(41)]
    expect("too many steps", Figures({}, {"sign-in": 41}, {}, many).faults({"sign-in": set(many)}),
           "sign-in: has 41 steps, and 40 are enough")

    changed = seen("user", {"JSON/Writer.swift"}, {"JSON/Value.swift"})
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "roads.json"
        table = pathlib.Path(folder) / "Architecture.md"
        written.write_text(KNOWN.updated(changed).text(), encoding="utf-8")
        listed = "".join(f"[`{step}`](../Sources/{step})\n" for step in KNOWN.steps)
        table.write_text(f"## The road of a sign-in\n{listed}Off this road: [x](../Sources/X.swift)", encoding="utf-8")
        again = Figures.read(written, table)
    expect("after an update", again.faults(changed))
    expect("first figures after an update", [str(again.first)], str(KNOWN.first))
    expect("before an update", again.faults(SEEN),
           "user: JSON/Writer.swift is listed and not crossed", "user: JSON/Value.swift is crossed and not listed")

    # What is counted is what ran each time, and not what ran anyway, or once by chance.
    nothing: Counts = {}
    ran: Counts = {("A.swift", "timer"): 1, ("B.swift", "asked"): 1}
    by_chance: Counts = {("A.swift", "timer"): 1, ("B.swift", "asked"): 1, ("C.swift", "job"): 1}
    timer: Counts = {("A.swift", "timer"): 1}
    found_files = crossed([(nothing, timer), (nothing, timer)], [(nothing, ran), (nothing, by_chance)])
    expect("what ran", sorted(found_files), "B.swift")

    # The figures that are checked in, and every file there is.
    everything = {str(file.relative_to(sources)) for file in sources.rglob("*.swift")}
    known = Figures.read(figures, architecture)
    for road in known.last:
        listed_only = {name: known.listed(name) for name in known.last}
        expect(f"{road}, as it is written down", known.faults(listed_only))
        found = known.faults({**listed_only, road: everything})
        if f"{road}: crosses {len(everything)} files, and {known.last[road]} were its last figure" not in found:
            wrong.append(f"{road} may cross every file that there is")
    if not known.last:
        wrong.append(f"{figures} has no roads")
    return wrong


def run(figures: pathlib.Path, architecture: pathlib.Path, sources: pathlib.Path) -> None:
    """Ends with status 1 when a failure did not fail."""
    if wrong := check(figures, architecture, sources):
        sys.exit("\n".join(wrong))
    print("Every way to fail fails.")
