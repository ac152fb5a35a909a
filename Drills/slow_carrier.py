"""A carrier that takes 200 ms a call serves 1,250 sign-ins a second. For a machine that does nothing else."""

import json
import selectors
import socket
import statistics
import time
from collections.abc import Mapping, Sequence

from bench import MIB, Bench, crowd, tally
from claims import Claim, shows

LATENCY_MS = 200
# Two calls of that length each, over the 512 connections that a host gets: 1,280 would need no time for anything else.
PER_SECOND = 1250
SECONDS = 5
CONNECTIONS = 640


def request(body: Mapping[str, str]) -> bytes:
    data = json.dumps(body).encode()
    return (b"POST /auth/signin HTTP/1.1\r\nHost: drill\r\nContent-Type: application/json\r\nContent-Length: "
            + str(len(data)).encode() + b"\r\n\r\n" + data)


class Phone:
    """A connection that signs in again and again, with one request after the other."""

    def __init__(self, port: int, selector: selectors.BaseSelector) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setblocking(False)
        self.received = b""
        self.sent_at = 0.0
        selector.register(self.connection, selectors.EVENT_READ, self)

    def send(self, data: bytes) -> None:
        self.sent_at = time.monotonic()
        self.connection.send(data)

    def answer(self) -> int | None:
        """The status once the whole answer is there, 0 where it ends before; None before that."""
        chunk = self.connection.recv(65536)
        if not chunk:
            return 0
        self.received += chunk
        head, separator, body = self.received.partition(b"\r\n\r\n")
        if not separator:
            return None
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        if len(body) < length:
            return None
        self.received = b""
        return int(head.split(b" ", 2)[1])


def drive(port: int, requests: list[bytes]) -> tuple[list[int], list[float], list[float]]:
    """Sends all of them, and returns statuses, times of the answers, and how long each took."""
    selector = selectors.DefaultSelector()
    phones = [Phone(port, selector) for _ in range(CONNECTIONS)]
    statuses: list[int] = []
    times: list[float] = []
    took: list[float] = []
    began = time.monotonic()
    waiting = 0
    for phone in phones:
        phone.send(requests.pop())
        waiting += 1
    while waiting and time.monotonic() - began < 60:
        for key, _ in selector.select(5):
            status = key.data.answer()
            if status is None:
                continue
            now = time.monotonic()
            statuses.append(status)
            times.append(now - began)
            took.append(now - key.data.sent_at)
            waiting -= 1
            if status == 0:
                selector.unregister(key.data.connection)
            elif requests:
                key.data.send(requests.pop())
                waiting += 1
    for phone in phones:
        phone.connection.close()
    return statuses, times, took


def run(bench: Bench) -> None:
    with bench.carriers(latency=LATENCY_MS) as carriers, bench.server(carriers) as server:
        bench.note("the subscribers approve")
        count = PER_SECOND * SECONDS + CONNECTIONS
        requests = crowd(
            count, lambda number: request(carriers.authorize(f"subscriber{number % 2000}")), threads=64)
        bench.note("the sign-ins begin")
        began = server.cpu()
        statuses, times, took = drive(server.port, requests)
        rate = steady_rate(times)
        bench.figure("sign_ins", len(statuses))
        bench.figure("a_second", rate)
        bench.figure("p50_ms", statistics.median(took) * 1000)
        bench.figure("p99_ms", sorted(took)[len(took) * 99 // 100] * 1000)
        bench.figure("cpu_us_each", (server.cpu() - began) / len(statuses) * 1e6)
        bench.figure("MiB", server.resident() / MIB)
        bench.state(*keeps_up(statuses, rate))


def steady_rate(times: Sequence[float]) -> float:
    """How many answers came in a second, without the first, in which connections are made, and the last, in which
    requests run out."""
    steady = [moment for moment in times if 1 <= moment <= times[-1] - 1]
    return len(steady) / (times[-1] - 2) if times[-1] > 3 else 0


def keeps_up(statuses: Sequence[int], rate: float) -> list[Claim]:
    return [Claim(set(statuses) == {200}, f"every sign-in succeeds ({tally(statuses)})"),
            Claim(rate >= PER_SECOND, f"{PER_SECOND} sign-ins a second ({rate:.0f})")]


def self_test() -> None:
    times = [number / PER_SECOND for number in range(4 * PER_SECOND + 1)]
    shows([*keeps_up([200, 200], steady_rate(times)), *keeps_up([200], PER_SECOND)],
          ("succeeds", keeps_up([200, 502], PER_SECOND)), ("succeeds", keeps_up([], PER_SECOND)),
          ("sign-ins a second", keeps_up([200], PER_SECOND - 1)),
          ("sign-ins a second (0)", keeps_up([200], steady_rate([0.5, 2.9]))),
          ("sign-ins a second (62", keeps_up([200], steady_rate(times[::2]))))
