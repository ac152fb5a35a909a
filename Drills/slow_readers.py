"""Clients that ask much and read nothing take little memory, hold up nobody, and are closed in time."""

import time

from bench import KIB, crowd, eventually, tally
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


def stuff(connection):
    """Sends requests until nobody takes more for a moment."""
    connection.settimeout(0.3)
    try:
        while True:
            connection.sendall(REQUESTS_AT_ONCE)
    except OSError:
        pass


def read_docs(bench, server):
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
    bench.claim(held and stuck == DOCS_READERS, "all readers of the document are stuck in it")
    bench.claim(grown <= DOCS_READERS * LARGEST_DOCS_CONNECTION,
                f"a reader of the document takes at most {LARGEST_DOCS_CONNECTION} bytes")
    for reader in readers:
        reader.close()
    bench.claim(eventually(lambda: server.own_descriptors() <= rest), "the descriptors go back")


def run(bench):
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
        bench.claim(stuck > 0, "readers are stuck while others are looked at")
        bench.claim(grown <= READERS * LARGEST_CONNECTION, f"a stuck reader takes at most {LARGEST_CONNECTION} bytes")
        answers = crowd(50, lambda number: server.sign_in(f"meanwhile{number}"), threads=4)
        bench.claim(all(answer.status == 200 for answer in answers), f"others are served ({tally(answers)})")
        gone = eventually(lambda: server.own_descriptors() <= rest, WRITE_SECONDS + 10)
        bench.figure("closed_after_s", time.monotonic() - began)
        bench.claim(gone, "they are all closed soon after the write timeout")
        for reader in readers:
            reader.close()
        bench.claim(server.sign_in("afterwards").status == 200, "the server is well afterwards")
