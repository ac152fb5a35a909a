"""Bodies as large as may be, larger, chunked and never finished, from all sides, take bounded memory."""

import socket
import time

from bench import KIB, MIB, crowd, eventually, tally
from wire import connect, read_status

LARGEST_BODY = 64 * KIB
SENDERS = 500
# The body, what it grew through, and the parser's own.
LARGEST_CONNECTION = 4 * LARGEST_BODY
BODY_SECONDS = 4


def head(field):
    return f"POST /auth/signin HTTP/1.1\r\nHost: drill\r\nContent-Type: application/json\r\n{field}\r\n\r\n".encode()


def whole(size):
    return head(f"Content-Length: {size}") + b" " * size


def chunked(size):
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    rest = size % 4096
    last = b"%x\r\n" % rest + b" " * rest + b"\r\n" if rest else b""
    return head("Transfer-Encoding: chunked") + chunk * (size // 4096) + last + b"0\r\n\r\n"


def send(server, request):
    """The status of a request that is sent whole; the server may answer and stop reading before its end."""
    connection = connect(server.port)
    try:
        connection.sendall(request)
    except OSError:
        pass
    status = read_status(connection)
    connection.close()
    return status


def trickle(server, _):
    """A body that comes byte by byte and never ends: the status, and how long it took."""
    connection = connect(server.port)
    began = time.monotonic()
    connection.sendall(head(f"Content-Length: {LARGEST_BODY}"))
    connection.settimeout(0.2)
    received = b""
    while time.monotonic() - began < 3 * BODY_SECONDS:
        try:
            connection.send(b" ")
            received = connection.recv(4096)
            break
        except socket.timeout:
            continue
        except OSError:
            break
    connection.close()
    return received[9:12].decode(), time.monotonic() - began


def run(bench):
    settings = {"GATEHOUSE_HTTP_BODY_TIMEOUT_SECONDS": str(BODY_SECONDS)}
    with bench.carriers() as carriers, bench.server(carriers, settings=settings) as server:
        crowd(20, lambda number: server.sign_in(f"warm{number}"))
        rest = server.settled_descriptors()
        before = server.resident()
        for name, request, expected in [
            ("a body of 64 KiB", whole(LARGEST_BODY), 400), ("one byte more", whole(LARGEST_BODY + 1), 413),
            ("64 KiB in chunks", chunked(LARGEST_BODY), 400),
            ("one byte more in chunks", chunked(LARGEST_BODY + 1), 413),
        ]:
            statuses = crowd(SENDERS, lambda _, request=request: send(server, request), threads=32)
            bench.claim(set(statuses) == {expected}, f"{name} is answered with {expected} ({tally(statuses)})")
        after_storm = server.resident()
        hold_back(bench, server, after_storm)
        with_trickles(bench, server)
        bench.claim(eventually(lambda: server.own_descriptors() == rest, 15), "the descriptors go back")
        bench.figure("MiB_before_after", f"{before // MIB}/{server.resident() // MIB}")
        bench.claim(server.sign_in("afterwards").status == 200, "the server is well afterwards")


def hold_back(bench, server, before):
    """All bodies at once, each without its last byte: the most that the server ever has to hold."""
    almost = whole(LARGEST_BODY)[:-1]
    connections = [connect(server.port) for _ in range(SENDERS)]
    crowd(SENDERS, lambda number: connections[number].sendall(almost), threads=32)
    grown = server.resident() - before
    bench.figure("held", SENDERS)
    bench.figure("KiB_each", grown / KIB / SENDERS)
    bench.claim(grown <= SENDERS * LARGEST_CONNECTION, f"an unfinished body takes at most {LARGEST_CONNECTION} bytes")
    statuses = crowd(SENDERS, lambda number: read_status(connections[number]), threads=64)
    bench.claim(set(statuses) == {408}, f"a body that does not end is answered with 408 ({tally(statuses)})")
    for connection in connections:
        connection.close()


def with_trickles(bench, server):
    trickles = crowd(100, lambda number: trickle(server, number), threads=100)
    statuses = [status for status, _ in trickles]
    bench.claim(set(statuses) == {"408"}, f"a body that trickles is answered with 408 ({tally(statuses)})")
    longest = max(seconds for _, seconds in trickles)
    bench.figure("trickled_s", longest)
    bench.claim(longest <= BODY_SECONDS + 5, "bytes that trickle do not put the deadline off")
