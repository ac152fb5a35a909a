"""Clients that ask much and read nothing take little memory, hold up nobody, and are closed in time."""

import socket
import time
from collections.abc import Sequence

from bench import KIB, Bench, crowd, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import Answer
from wire import connect

READERS = 400
REQUEST = b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: drill\r\n\r\n"
REQUESTS_AT_ONCE = REQUEST * 100
# 16 KiB of later requests that wait, one answer, and what a connection takes anyway.
LARGEST_CONNECTION = 40 * KIB
# Many that want the same long answer.
DOCS_READERS = 800
DOCS_REQUEST = b"GET /docs HTTP/1.1\r\nHost: drill\r\n\r\n"
# The answer is shared: each has its place in it, and what a connection takes anyway.
LARGEST_DOCS_CONNECTION = 16 * KIB
# From the first byte of an answer to the last: the server's write timeout.
WRITE_SECONDS = 10


def stuff(connection: socket.socket) -> None:
    """Sends requests until nobody takes more for a moment."""
    connection.settimeout(0.3)
    try:
        while True:
            connection.sendall(REQUESTS_AT_ONCE)
    except OSError:
        pass


def read_docs(bench: Bench, server: Gatehouse) -> None:
    """Readers of one document, who take the first of it and no more."""
    with server.client() as client:
        length = len(client.call("GET", "/docs").body)
    rest = server.settled_descriptors()
    before = server.resident()
    readers = [connect(server.port, receive_buffer=4096, segment=536) for _ in range(DOCS_READERS)]
    for reader in readers:
        reader.sendall(DOCS_REQUEST)
    held = eventually(lambda: server.own_descriptors() == rest + DOCS_READERS, 5)
    time.sleep(1)
    grown = server.resident() - before
    stuck = server.own_descriptors() - rest
    bench.figure("docs_KiB", length / KIB)
    bench.figure("docs_readers", stuck)
    bench.figure("docs_KiB_each", grown / KIB / DOCS_READERS)
    for reader in readers:
        reader.close()
    bench.state(*are_bounded(held, stuck, grown, eventually(lambda: server.own_descriptors() <= rest)))


def are_bounded(held: bool, stuck: int, grown: int, go_back: bool) -> list[Claim]:
    """What must be true of readers of one document, and of the server when they have gone."""
    return [
        Claim(held and stuck == DOCS_READERS, "all readers of the document are stuck in it"),
        Claim(grown <= DOCS_READERS * LARGEST_DOCS_CONNECTION,
              f"a reader of the document takes at most {LARGEST_DOCS_CONNECTION} bytes"),
        Claim(go_back, "the descriptors go back")]


def run(bench: Bench) -> None:
    # Every answer is a line of the log at level info, which is not what is to be measured.
    settings = {"GATEHOUSE_LOG_LEVEL": "notice"}
    with bench.carriers() as carriers, bench.server(carriers, settings=settings) as server:
        crowd(20, lambda number: server.sign_in(f"warm{number}"))
        read_docs(bench, server)
        rest = server.settled_descriptors()
        before = server.resident()
        began = time.monotonic()
        # Small windows and segments, or the system would take megabytes of answers off the server's hands.
        readers = [connect(server.port, receive_buffer=4096, segment=536) for _ in range(READERS)]
        crowd(READERS, lambda number: stuff(readers[number]), threads=64)
        grown = server.resident() - before
        stuck = server.own_descriptors() - rest
        bench.figure("readers", READERS)
        bench.figure("KiB_each", grown / KIB / READERS)
        bench.state(*take_little(stuck, grown))
        answers = crowd(50, lambda number: server.sign_in(f"meanwhile{number}"), threads=4)
        gone = eventually(lambda: server.own_descriptors() <= rest, WRITE_SECONDS + 10)
        bench.figure("closed_after_s", time.monotonic() - began)
        for reader in readers:
            reader.close()
        bench.state(*hold_up_nobody(answers, gone, server.sign_in("afterwards")))


def take_little(stuck: int, grown: int) -> list[Claim]:
    return [Claim(stuck > 0, "readers are stuck while others are looked at"),
            Claim(grown <= READERS * LARGEST_CONNECTION, f"a stuck reader takes at most {LARGEST_CONNECTION} bytes")]


def hold_up_nobody(answers: Sequence[Answer], gone: bool, afterwards: Answer) -> list[Claim]:
    return [Claim(all(answer.status == 200 for answer in answers), f"others are served ({tally(answers)})"),
            Claim(gone, "they are all closed soon after the write timeout"),
            Claim(afterwards.status == 200, "the server is well afterwards")]


def self_test() -> None:
    largest = DOCS_READERS * LARGEST_DOCS_CONNECTION
    shows(are_bounded(True, DOCS_READERS, largest, True),
          ("are stuck in it", are_bounded(False, DOCS_READERS, largest, True)),
          ("are stuck in it", are_bounded(True, DOCS_READERS - 1, largest, True)),
          ("takes at most", are_bounded(True, DOCS_READERS, largest + 1, True)),
          ("go back", are_bounded(True, DOCS_READERS, largest, False)))
    largest = READERS * LARGEST_CONNECTION
    shows(take_little(1, largest), ("are stuck", take_little(0, 0)), ("at most", take_little(1, largest + 1)))
    good, bad = answer(200), answer(503)
    shows(hold_up_nobody([good], True, good),
          ("are served", hold_up_nobody([good, bad], True, good)), ("all closed", hold_up_nobody([good], False, good)),
          ("well afterwards", hold_up_nobody([good], True, bad)))
