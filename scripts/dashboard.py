"""Runs each query of a dashboard with a Prometheus that scrapes a server, once it has scraped it a few times.

    dashboard.py DASHBOARD PROMETHEUS
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

PATIENCE = 60
VARIABLES = {"$__rate_interval": "1m", "$job": "gatehouse", "$instance": ".*"}
SCRAPES = 'count_over_time(gatehouse_build_info{job="gatehouse"}[1m]) > 3'


def ask(prometheus, query):
    """The series that answer a query; raises ValueError with Prometheus' words where it is none."""
    try:
        with urllib.request.urlopen(
                f"{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        raise ValueError(json.load(error).get("error")) from error


def await_scrapes(prometheus):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if ask(prometheus, SCRAPES):
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit("Prometheus has not scraped the server")


def queries(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            yield panel["title"], query


def main(path, prometheus):
    with open(path, encoding="utf-8") as file:
        dashboard = json.load(file)
    await_scrapes(prometheus)
    count, answered, faults = 0, 0, []
    for title, query in queries(dashboard):
        count += 1
        try:
            answered += bool(ask(prometheus, query))
        except ValueError as error:
            faults.append(f"{title}: {query}: {error}")
    identifiers = [panel["id"] for panel in dashboard["panels"]]
    if len(set(identifiers)) != len(identifiers):
        faults.append("two panels have one id")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"Dashboard: {count} queries run, {answered} of them on what a server tells that nobody has asked for anything.")
    return 1 if faults or answered < count // 4 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
