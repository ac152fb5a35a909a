"""Holds what a server says at /metrics, and what rules and alerts speak of, against each other.

    observability.py ROOT PROMETHEUS-TEXT OPENMETRICS-TEXT
"""

import json
import pathlib
import re
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

# Families that are there once something has happened: the service's sources name them.
NAMED = re.compile(r'"((?:gatehouse|http|db|process)_[a-z0-9_]+)"')
SPOKEN = re.compile(r"\b(gatehouse_[a-z0-9_]+)")
ENDINGS = re.compile(r"_(total|bucket|count|sum|info)$")


def main(root, text, open_text):
    with open(text, encoding="utf-8") as file:
        families = {family.name for family in prometheus(file.read())}
    with open(open_text, encoding="utf-8") as file:
        opened = {family.name for family in open_metrics(file.read())}
    faults = []
    if not families or {ENDINGS.sub("", name) for name in families} != {ENDINGS.sub("", name) for name in opened}:
        faults.append(f"the two forms do not tell the same: {families ^ opened}")
    named = set()
    for path in sources(root):
        with open(path, encoding="utf-8") as file:
            named |= set(NAMED.findall(file.read()))
    with open(f"{root}/Config/observability/gatehouse.rules.yml", encoding="utf-8") as file:
        rules = file.read()
    with open(f"{root}/Config/observability/gatehouse.dashboard.json", encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    shown = " ".join(target["expr"] for panel in panels for target in panel.get("targets", []))
    for name in sorted(set(SPOKEN.findall(rules + shown))):
        if ENDINGS.sub("", name) not in named and f":{name}:" not in rules:
            faults.append(f"rules or the dashboard speak of {name}, which no source has")
    with open(f"{root}/Documentation/Runbooks.md", encoding="utf-8") as file:
        sections = set(re.findall(r"^## (\w+)$", file.read(), re.MULTILINE))
    alerts = re.findall(r"^ +- alert: (\w+)$", rules, re.MULTILINE)
    faults += [f"the alert {alert} has no section in Documentation/Runbooks.md" for alert in alerts if alert not in sections]
    faults += [f"{section} of Documentation/Runbooks.md is no alert" for section in sections - set(alerts)]
    faults += [f"{alert} does not name its section" for alert in alerts if f"#{alert.lower()}" not in rules]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"Metrics: {len(families)} families parse in both forms; {len(alerts)} alerts, each with its run-book.")
    return 1 if faults else 0


def sources(root):
    return pathlib.Path(root, "Sources").rglob("*.swift")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
