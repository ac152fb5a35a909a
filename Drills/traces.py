"""Spans of hostile times: each is whole, has its place and its blame, and holds no secret. A collector that is gone costs nothing."""

import collections
import os
import random
import re
import threading
import time
import urllib.request

import collector as collecting
from bench import MIB, eventually
from collector import Collector, attributes
from soak import ENDPOINTS, FAULTS, keep_busy, scan
from traffic import Traffic

SPANS = 10_000
LONGEST = 160
APPS = 6
LARGEST_GROWTH = 8 * MIB
# What goes on behind an answer may end after it.
BEHIND = re.compile("^delivery ")


def run(bench):
    if not collecting.json_format:
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
            # The last of what happened so far.
            eventually(lambda: len(collector.spans) == before and not time.sleep(1.5), 10)
            judge(bench, list(collector.spans), collector)
            collector.stop()
            without(bench, traffic)
        scan(bench, traffic, file, "no span holds anything secret or personal")


def gather(bench, traffic, collector):
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
    bench.claim(session.status == 200, "a last sign-in succeeds")
    bench.claim(traffic.known.refresh(traffic.known.sessions[-1]).status == 200, "and its refresh")
    traffic.carriers.misbehave("hang", endpoint="token", times=1)
    late = traffic.server.call("POST", "/auth/signin", body=traffic.authorized("late", "plain"))
    bench.claim(late.status == 504, f"a provider that does not answer is late ({late.status})")
    traffic.carriers.behave()
    bench.figure("spans", len(collector.spans))
    bench.figure("requests", collector.requests)


def judge(bench, spans, collector):
    bench.claim(len(spans) >= SPANS, f"{SPANS} spans have come ({len(spans)})")
    bench.claim(not collector.faults, f"each request is as OpenTelemetry defines it ({collector.faults[:3]})")
    by_id = {span["spanId"]: span for span in spans}
    bench.claim(len(by_id) == len(spans), "no two spans have one name")
    orphans = [span for span in spans if "parentSpanId" in span and span["parentSpanId"] not in by_id]
    bench.claim(not orphans, f"each parent is there ({len(orphans)} are not)")
    strays = [span["name"] for span in spans if not lies_within(span, by_id.get(span.get("parentSpanId")))]
    bench.claim(not strays, f"each step lies within its request ({collections.Counter(strays).most_common(3)})")
    wrong = [span["name"] for span in spans if not blames_rightly(span)]
    bench.claim(not wrong, f"an error is what was none of the asker's ({collections.Counter(wrong).most_common(3)})")
    seen = collections.Counter(span["name"] for span in spans)
    bench.note("  ".join(f"{name} {count}" for name, count in seen.most_common(12)))
    children = collections.defaultdict(set)
    for span in spans:
        if "parentSpanId" in span:
            children[span["parentSpanId"]].add(attributes(span).get("gatehouse.provider.step", span["name"]))
    def has(route, status, *steps):
        return any(attributes(span).get("http.route") == route and attributes(span)["http.response.status_code"] == status
                   and set(steps) <= children[span["spanId"]] for span in spans if span["kind"] == 2)
    bench.claim(has("/auth/signin", 200, "token", "userinfo", "store.queue", "COMMIT"), "a sign-in has its steps")
    bench.claim(has("/auth/token", 200, "store.queue", "COMMIT"), "a refresh has its steps")
    bench.claim(has("/auth/signin", 504, "token"), "a provider that is late is told")
    bench.claim(any(attributes(span).get("error.type") == "timed_out" for span in spans), "and what it was late with")


def lies_within(span, parent):
    if parent is None or BEHIND.match(span["name"]):
        return True
    return (int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
            and int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"]))


def blames_rightly(span):
    facts, is_error = attributes(span), span["status"]["code"] == 2
    if span["kind"] == 2:
        status = facts.get("http.response.status_code", 500)
        return is_error == (status >= 500) and facts["url.path"] == facts["http.route"]
    return is_error == ("error.type" in facts)


def without(bench, traffic):
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
    bench.claim(lost, "what a dead collector does not take is counted")
    bench.claim(traffic.carriers_are_well(), "and sign-ins go on")
    late = traffic.server.resident()
    bench.figure("MiB_without", f"{early / MIB:.1f}/{late / MIB:.1f}")
    bench.claim(late <= early + LARGEST_GROWTH, "the spans that wait are bounded")


def dropped(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.admin_port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return float(re.search(r"^gatehouse_spans_dropped_total (\S+)$", text, re.MULTILINE)[1])

