"""Runs each query of a dashboard with a Prometheus that scrapes a server, once it has scraped it a few times. Each run
first shows each kind of failure failing.

    dashboard.py DASHBOARD PROMETHEUS
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import NotRequired, TypedDict

PATIENCE = 60
VARIABLES = {"$__rate_interval": "1m", "$job": "gatehouse", "$instance": ".*"}
SCRAPES = 'count_over_time(gatehouse_build_info{job="gatehouse"}[1m]) > 3'

# Whether a query has an answer; raises ValueError where it is none.
Ask = Callable[[str], bool]


class Target(TypedDict):
    """One line of a panel."""

    expr: str


class Panel(TypedDict):
    """One picture of a dashboard, or a heading, which has no targets."""

    id: int
    title: str
    targets: NotRequired[list[Target]]


class Dashboard(TypedDict):
    """The part of Grafana's format that is looked at here."""

    panels: list[Panel]


def ask(prometheus: str, query: str) -> bool:
    """Whether any series answers a query; raises ValueError with Prometheus' words where it is none."""
    try:
        with urllib.request.urlopen(
                f"{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=10) as answer:
            return bool(json.load(answer)["data"]["result"])
    except urllib.error.HTTPError as error:
        raise ValueError(json.load(error).get("error")) from error


def await_scrapes(prometheus: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if ask(prometheus, SCRAPES):
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit("Prometheus has not scraped the server")


def queries(dashboard: Dashboard) -> Iterator[tuple[str, str]]:
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            yield panel["title"], query


def tried(dashboard: Dashboard, answers: Ask) -> tuple[int, int, list[str]]:
    """How many queries were run, how many of them were answered, and what is wrong."""
    count, answered = 0, 0
    faults: list[str] = []
    for title, query in queries(dashboard):
        count += 1
        try:
            answered += answers(query)
        except ValueError as error:
            faults.append(f"{title}: {query}: {error}")
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    if len(set(identifiers)) != len(identifiers):
        faults.append("two panels have one id")
    return count, answered, faults


def is_right(count: int, answered: int, faults: list[str]) -> bool:
    return not faults and answered >= count // 4


def self_test() -> None:
    def answers(query: str) -> bool:
        if "(" in query:
            raise ValueError("no query")
        return query != "silent"

    def seen(*expressions: str, id: int = 2) -> tuple[int, int, list[str]]:
        return tried({"panels": [
            {"id": 1, "title": "Heading"},
            {"id": id, "title": "A", "targets": [{"expr": expression} for expression in expressions]}]}, answers)

    cases = {
        "queries that are answered": is_right(*seen("a", "b")) and seen("a", "b") == (2, 2, []),
        "a variable": seen("a[$__rate_interval](") == (1, 0, ["A: a[1m](: no query"]),
        "a query that is none": not is_right(*seen("a", "b", "c", "d(")),
        "two panels of one id": not is_right(*seen("a", id=1)),
        "few that are answered": is_right(*seen("a", *["silent"] * 6)),
        "too few that are answered": not is_right(*seen("a", *["silent"] * 7)),
    }
    if wrong := [case for case, holds in cases.items() if not holds]:
        sys.exit(f"scripts/dashboard.py does not see: {', '.join(wrong)}")


def main(path: str, prometheus: str) -> int:
    self_test()
    with open(path, encoding="utf-8") as file:
        dashboard: Dashboard = json.load(file)
    await_scrapes(prometheus)
    count, answered, faults = tried(dashboard, lambda query: ask(prometheus, query))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"Dashboard: {count} queries run, {answered} of them on what a server tells that nobody has asked for "
          "anything.")
    return 0 if is_right(count, answered, faults) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
