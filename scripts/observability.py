"""Holds what a server says at /metrics, and what rules and alerts speak of, against each other. Each run first shows
each kind of failure failing.

    observability.py ROOT PROMETHEUS-TEXT OPENMETRICS-TEXT
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
from dataclasses import dataclass, replace

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

# Families that are there once something has happened: the service's sources name them.
NAMED = re.compile(r'"((?:gatehouse|http|db|process)_[a-z0-9_]+)"')
SPOKEN = re.compile(r"\b(gatehouse_[a-z0-9_]+)")
ENDINGS = re.compile(r"_(total|bucket|count|sum|info)$")


@dataclass(frozen=True)
class Seen:
    """What is held against each other: the families in both forms, the sources as one text, the rules, the queries of
    the dashboard as one text, and the run-books."""

    families: set[str]
    opened: set[str]
    sources: str
    rules: str
    shown: str
    runbooks: str

    @property
    def alerts(self) -> list[str]:
        return re.findall(r"^ +- alert: (\w+)$", self.rules, re.MULTILINE)

    def faults(self) -> list[str]:
        faults: list[str] = []
        if not self.families or without_endings(self.families) != without_endings(self.opened):
            faults.append(f"the two forms do not tell the same: {self.families ^ self.opened}")
        named = set(NAMED.findall(self.sources))
        for name in sorted(set(SPOKEN.findall(self.rules + self.shown))):
            if ENDINGS.sub("", name) not in named and f":{name}:" not in self.rules:
                faults.append(f"rules or the dashboard speak of {name}, which no source has")
        sections: set[str] = set(re.findall(r"^## (\w+)$", self.runbooks, re.MULTILINE))
        alerts = self.alerts
        faults += [f"the alert {alert} has no section in Documentation/Runbooks.md"
                   for alert in alerts if alert not in sections]
        faults += [f"{section} of Documentation/Runbooks.md is no alert" for section in sections - set(alerts)]
        faults += [f"{alert} does not name its section" for alert in alerts if f"#{alert.lower()}" not in self.rules]
        return faults


def without_endings(names: set[str]) -> set[str]:
    return {ENDINGS.sub("", name) for name in names}


def self_test() -> None:
    right = Seen(
        families={"gatehouse_a", "gatehouse_b"}, opened={"gatehouse_a", "gatehouse_b_info"},
        sources='metric("gatehouse_a") metric("gatehouse_b")',
        rules="  - alert: Bad\n    expr: gatehouse_a_total > 1\n    runbook: Runbooks.md#bad\n",
        shown="gatehouse_b_bucket", runbooks="# Runbooks\n\n## Bad\n")

    cases = {
        "what is right": right.faults() == [],
        "no families": len(replace(right, families=set(), opened=set()).faults()) == 1,
        "a family in one form": len(replace(right, opened={"gatehouse_a"}).faults()) == 1,
        "a metric of the rules that no source has":
            replace(right, rules=f"{right.rules}gatehouse_c_count\n").faults() == [
                "rules or the dashboard speak of gatehouse_c_count, which no source has"],
        "a metric of the dashboard that no source has": len(replace(right, shown="gatehouse_d").faults()) == 1,
        "a rule that is recorded": replace(right, rules=f"{right.rules}record: job:gatehouse_c:rate\n").faults() == [],
        "an alert without a section": replace(right, runbooks="").faults() == [
            "the alert Bad has no section in Documentation/Runbooks.md"],
        "a section without an alert": replace(right, runbooks=f"{right.runbooks}## Worse\n").faults() == [
            "Worse of Documentation/Runbooks.md is no alert"],
        "an alert that names no section": replace(right, rules=right.rules.replace("#", "")).faults() == [
            "Bad does not name its section"],
    }
    if missed := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/observability.py does not see: {', '.join(missed)}")


def read(*parts: str) -> str:
    return pathlib.Path(*parts).read_text(encoding="utf-8")


def main(root: str, text: str, open_text: str) -> int:
    self_test()
    panels = json.loads(read(root, "Config/observability/gatehouse.dashboard.json"))["panels"]
    seen = Seen(
        families={family.name for family in prometheus(read(text))},
        opened={family.name for family in open_metrics(read(open_text))},
        sources="\n".join(path.read_text(encoding="utf-8") for path in pathlib.Path(root, "Sources").rglob("*.swift")),
        rules=read(root, "Config/observability/gatehouse.rules.yml"),
        shown=" ".join(target["expr"] for panel in panels for target in panel.get("targets", [])),
        runbooks=read(root, "Documentation/Runbooks.md"))
    faults = seen.faults()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"Metrics: {len(seen.families)} families parse in both forms; "
          f"{len(seen.alerts)} alerts, each with its run-book.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
