"""Spans of hostile times: each is whole, has its place and its blame, and holds no secret. A collector that is gone
costs nothing."""

import collections
import os
import random
import re
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence

from bench import MIB, Bench, eventually
from claims import Claim, answer, shows
from collector import HAS_DEFINITIONS, Collector, attributes
from gatehouse import Gatehouse
from soak import ENDPOINTS, FAULTS, keep_busy, scan
from testbed.client import Answer, JSONObject
from traffic import Traffic

SPANS = 10_000
LONGEST = 160
APPS = 6
LARGEST_GROWTH = 8 * MIB
# What goes on behind an answer may end after it.
BEHIND = re.compile("^delivery ")


def run(bench: Bench) -> None:
    if not HAS_DEFINITIONS:
        bench.skip("opentelemetry-proto is not installed: spans are looked at as JSON alone")
    file = os.path.join(bench.folder, "spans.log")
    collector = Collector(file)
    settings = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=drill",
        "OTEL_BSP_SCHEDULE_DELAY": "500", "OTEL_BSP_MAX_QUEUE_SIZE": "5000",
        "GATEHOUSE_PROVIDER_ZENKEY_TIMEOUT_SECONDS": "1", "GATEHOUSE_PROVIDER_PLAIN_TIMEOUT_SECONDS": "1"}
    with bench.carriers() as carriers:
        with bench.server(carriers, settings=settings) as server:
            traffic = Traffic(server)
            gather(bench, traffic, collector)
            before = len(collector.spans)

            def is_quiet() -> bool:
                if len(collector.spans) != before:
                    return False
                time.sleep(1.5)
                return True

            # The last of what happened so far.
            eventually(is_quiet, 10)
            spans = list(collector.spans)
            bench.note("  ".join(f"{name} {count}" for name, count in names(spans).most_common(12)))
            bench.state(*are_whole(spans, collector.faults), *are_told(spans))
            collector.stop()
            without(bench, traffic)
        scan(bench, traffic, file, "no span holds anything secret or personal")


def gather(bench: Bench, traffic: Traffic, collector: Collector) -> None:
    """Calm and faulty times, until there are spans enough."""
    over = threading.Event()
    apps = [threading.Thread(target=keep_busy, args=(traffic, over)) for _ in range(APPS)]
    for app in apps:
        app.start()
    started = time.monotonic()
    while len(collector.spans) < SPANS and time.monotonic() - started < LONGEST:
        traffic.is_calm.clear()
        traffic.carriers.misbehave(random.choice(FAULTS), endpoint=random.choice(ENDPOINTS), times=5)
        time.sleep(0.5)
        traffic.carriers.behave()
        time.sleep(1)
    over.set()
    for app in apps:
        app.join()
    # One of each that is spoken of below, whatever was thrown.
    eventually(traffic.carriers_are_well, 90)
    session = traffic.known.sign_in("lastone", body=traffic.authorized("lastone", "plain"))
    bench.state(*end_well(session, traffic.known.refresh(traffic.known.sessions[-1])))
    traffic.carriers.misbehave("hang", endpoint="token", times=1)
    late = traffic.server.call("POST", "/auth/signin", body=traffic.authorized("late", "plain"))
    bench.state(is_late(late))
    traffic.carriers.behave()
    bench.figure("spans", len(collector.spans))
    bench.figure("requests", collector.requests)


def end_well(session: Answer, refreshed: Answer | None) -> list[Claim]:
    return [Claim(session.status == 200, "a last sign-in succeeds"),
            Claim(refreshed is not None and refreshed.status == 200, "and its refresh")]


def is_late(late: Answer) -> Claim:
    return Claim(late.status == 504, f"a provider that does not answer is late ({late.status})")


def names(spans: Sequence[JSONObject]) -> collections.Counter[str]:
    return collections.Counter(span["name"] for span in spans)


def are_whole(spans: Sequence[JSONObject], faults: Sequence[str]) -> list[Claim]:
    """What must be true of all spans together, and of the requests that brought them."""
    by_id = {span["spanId"]: span for span in spans}
    orphans = [span for span in spans if "parentSpanId" in span and span["parentSpanId"] not in by_id]
    strays = names([span for span in spans if not lies_within(span, by_id.get(span.get("parentSpanId")))])
    wrong = names([span for span in spans if not blames_rightly(span)])
    return [
        Claim(len(spans) >= SPANS, f"{SPANS} spans have come ({len(spans)})"),
        Claim(not faults, f"each request is as OpenTelemetry defines it ({faults[:3]})"),
        Claim(len(by_id) == len(spans), "no two spans have one name"),
        Claim(not orphans, f"each parent is there ({len(orphans)} are not)"),
        Claim(not strays, f"each step lies within its request ({strays.most_common(3)})"),
        Claim(not wrong, f"an error is what was none of the asker's ({wrong.most_common(3)})")]


def are_told(spans: Sequence[JSONObject]) -> list[Claim]:
    """What must be found among them."""
    children: dict[str, set[str]] = collections.defaultdict(set)
    for span in spans:
        if "parentSpanId" in span:
            children[span["parentSpanId"]].add(str(attributes(span).get("gatehouse.provider.step", span["name"])))

    def has(route: str, status: int, *steps: str) -> bool:
        return any(attributes(span).get("http.route") == route
                   and attributes(span)["http.response.status_code"] == status
                   and set(steps) <= children[span["spanId"]] for span in spans if span["kind"] == 2)

    return [
        Claim(has("/auth/signin", 200, "token", "userinfo", "store.queue", "COMMIT"), "a sign-in has its steps"),
        Claim(has("/auth/token", 200, "store.queue", "COMMIT"), "a refresh has its steps"),
        Claim(has("/auth/signin", 504, "token"), "a provider that is late is told"),
        Claim(any(attributes(span).get("error.type") == "timed_out" for span in spans), "and what it was late with")]


def lies_within(span: JSONObject, parent: JSONObject | None) -> bool:
    if parent is None or BEHIND.match(span["name"]):
        return True
    return (int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
            and int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"]))


def blames_rightly(span: JSONObject) -> bool:
    facts, is_error = attributes(span), span["status"]["code"] == 2
    if span["kind"] == 2:
        status = int(facts.get("http.response.status_code", 500))
        return bool(is_error) == (status >= 500) and facts["url.path"] == facts["http.route"]
    return bool(is_error) == ("error.type" in facts)


def without(bench: Bench, traffic: Traffic) -> None:
    """The collector is gone: nobody waits for it, and what is lost is counted."""
    early = traffic.server.resident()
    over = threading.Event()
    apps = [threading.Thread(target=keep_busy, args=(traffic, over)) for _ in range(APPS)]
    for app in apps:
        app.start()
    lost = eventually(lambda: dropped(traffic.server) > 0, 60)
    over.set()
    for app in apps:
        app.join()
    go_on = traffic.carriers_are_well()
    late = traffic.server.resident()
    bench.figure("MiB_without", f"{early / MIB:.1f}/{late / MIB:.1f}")
    bench.state(*costs_nothing(lost, go_on, early, late))


def costs_nothing(lost: bool, go_on: bool, early: int, late: int) -> list[Claim]:
    """What must be true without a collector; `early` and `late` are bytes of memory."""
    return [
        Claim(lost, "what a dead collector does not take is counted"),
        Claim(go_on, "and sign-ins go on"),
        Claim(late <= early + LARGEST_GROWTH, "the spans that wait are bounded")]


def dropped(server: Gatehouse) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.admin_port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found = re.search(r"^gatehouse_spans_dropped_total (\S+)$", text, re.MULTILINE)
    if found is None:
        raise RuntimeError("the metrics count no spans that were dropped")
    return float(found[1])


def span(number: int, name: str, parent: int | None = None, failed: bool = False, end: int | None = None,
         facts: Mapping[str, str | int] | None = None) -> JSONObject:
    """A span that is made up, of an exchange where it has no parent."""
    is_exchange = parent is None
    known: dict[str, str | int] = {"http.route": name, "url.path": name, "http.response.status_code": 200}
    return {
        "spanId": str(number), "name": name, "kind": 2 if is_exchange else 1, "status": {"code": 2 if failed else 1},
        "startTimeUnixNano": str(number), "endTimeUnixNano": str(9 * SPANS - number if end is None else end),
        **({} if is_exchange else {"parentSpanId": str(parent)}), "attributes": [
            {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in {**(known if is_exchange else {}), **(facts or {})}.items()]}


def self_test() -> None:
    good, bad = answer(200), answer(503)
    shows(end_well(good, good), ("a last sign-in", end_well(bad, good)), ("its refresh", end_well(good, bad)),
          ("its refresh", end_well(good, None)))
    shows([is_late(answer(504))], ("is late (200)", [is_late(good)]))
    steps = [span(4 * SPANS + number, name, parent) for number, (parent, name) in enumerate([
        (1, "token"), (1, "userinfo"), (1, "store.queue"), (1, "COMMIT"), (2, "store.queue"), (2, "COMMIT")])]
    spans = [
        span(1, "/auth/signin"), span(2, "/auth/token"), *steps,
        span(3, "/auth/signin", failed=True, facts={"http.response.status_code": 504}),
        span(4, "POST", 3, failed=True, facts={"gatehouse.provider.step": "token", "error.type": "timed_out"})]
    more = [span(number, "/healthz") for number in range(5, 5 + SPANS - len(spans))]
    whole = [*spans, *more]

    def without_last(*instead: JSONObject) -> list[Claim]:
        return are_whole([*whole[:-1], *instead], [])

    shows(are_whole(whole, []),
          ("spans have come", without_last()), ("['a']", are_whole(whole, ["a"])),
          ("have one name", without_last(more[0])), ("each parent", without_last(span(SPANS, "token", 2 * SPANS))),
          ("lies within", without_last(span(0, "token", 5))),
          ("lies within", without_last(span(SPANS, "token", 5, end=9 * SPANS))),
          ("the asker's", without_last(span(SPANS, "/healthz", failed=True))),
          ("the asker's", without_last(span(SPANS, "/healthz", facts={"http.response.status_code": 500}))),
          ("the asker's", without_last(span(SPANS, "/healthz", facts={"url.path": "/"}))),
          ("the asker's", without_last(span(SPANS, "token", 5, facts={"error.type": "reset"}))))
    shows(are_told(spans),
          ("a sign-in has", are_told([one for one in spans if one["name"] != "userinfo"])),
          ("a refresh has", are_told([one for one in spans if one is not steps[-1]])),
          ("late is told", are_told(spans[:-1])), ("late with", are_told(spans[:-1])))
    shows(costs_nothing(True, True, MIB, MIB + LARGEST_GROWTH),
          ("is counted", costs_nothing(False, True, MIB, MIB)), ("go on", costs_nothing(True, False, MIB, MIB)),
          ("are bounded", costs_nothing(True, True, MIB, MIB + LARGEST_GROWTH + 1)))
