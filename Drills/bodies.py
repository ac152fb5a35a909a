"""Bodies as large as may be, larger, chunked and never finished, from all sides, take bounded memory."""

import contextlib
import time
from collections.abc import Sequence

from bench import KIB, MIB, Bench, crowd, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import Answer
from wire import connect, read_status

LARGEST_BODY = 64 * KIB
SENDERS = 500
# The body, what it grew through, and the parser's own.
LARGEST_CONNECTION = 4 * LARGEST_BODY
BODY_SECONDS = 4


def head(field: str) -> bytes:
    return f"POST /auth/signin HTTP/1.1\r\nHost: drill\r\nContent-Type: application/json\r\n{field}\r\n\r\n".encode()


def whole(size: int) -> bytes:
    return head(f"Content-Length: {size}") + b" " * size


def chunked(size: int) -> bytes:
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    rest = size % 4096
    last = b"%x\r\n" % rest + b" " * rest + b"\r\n" if rest else b""
    return head("Transfer-Encoding: chunked") + chunk * (size // 4096) + last + b"0\r\n\r\n"


def send(server: Gatehouse, request: bytes) -> int | None:
    """The status of a request that is sent whole; the server may answer and stop reading before its end."""
    connection = connect(server.port)
    with contextlib.suppress(OSError):
        connection.sendall(request)
    status = read_status(connection)
    connection.close()
    return status


def trickle(server: Gatehouse) -> tuple[str, float]:
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
        except TimeoutError:
            continue
        except OSError:
            break
    connection.close()
    return received[9:12].decode(), time.monotonic() - began


def are_answered(name: str, statuses: Sequence[int | None], expected: int) -> Claim:
    return Claim(set(statuses) == {expected}, f"{name} is answered with {expected} ({tally(statuses)})")


def held_back(grown: int, statuses: Sequence[int | None]) -> list[Claim]:
    """Of unfinished bodies: how many bytes of memory they have taken, and how they were answered in the end."""
    return [
        Claim(grown <= SENDERS * LARGEST_CONNECTION, f"an unfinished body takes at most {LARGEST_CONNECTION} bytes"),
        Claim(set(statuses) == {408}, f"a body that does not end is answered with 408 ({tally(statuses)})")]


def trickled(statuses: Sequence[str], longest: float) -> list[Claim]:
    return [
        Claim(set(statuses) == {"408"}, f"a body that trickles is answered with 408 ({tally(statuses)})"),
        Claim(longest <= BODY_SECONDS + 5, "bytes that trickle do not put the deadline off")]


def is_well(goes_back: bool, after: Answer) -> list[Claim]:
    return [
        Claim(goes_back, "the descriptors go back"), Claim(after.status == 200, "the server is well afterwards")]


def run(bench: Bench) -> None:
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
            bench.state(are_answered(name, send_all(server, request), expected))
        hold_back(bench, server, server.resident())
        with_trickles(bench, server)
        goes_back = eventually(lambda: server.own_descriptors() == rest, 15)
        bench.figure("MiB_before_after", f"{before // MIB}/{server.resident() // MIB}")
        bench.state(*is_well(goes_back, server.sign_in("afterwards")))


def send_all(server: Gatehouse, request: bytes) -> list[int | None]:
    return crowd(SENDERS, lambda _: send(server, request), threads=32)


def hold_back(bench: Bench, server: Gatehouse, before: int) -> None:
    """All bodies at once, each without its last byte: the most that the server ever has to hold."""
    almost = whole(LARGEST_BODY)[:-1]
    connections = [connect(server.port) for _ in range(SENDERS)]
    crowd(SENDERS, lambda number: connections[number].sendall(almost), threads=32)
    grown = server.resident() - before
    bench.figure("held", SENDERS)
    bench.figure("KiB_each", grown / KIB / SENDERS)
    bench.state(*held_back(grown, crowd(SENDERS, lambda number: read_status(connections[number]), threads=64)))
    for connection in connections:
        connection.close()


def with_trickles(bench: Bench, server: Gatehouse) -> None:
    trickles = crowd(100, lambda _: trickle(server), threads=100)
    statuses = [status for status, _ in trickles]
    longest = max(seconds for _, seconds in trickles)
    bench.figure("trickled_s", longest)
    bench.state(*trickled(statuses, longest))


def self_test() -> None:
    shows([are_answered("one byte more", [413, 413], 413)],
          ("one byte more", [are_answered("one byte more", [413, 400], 413)]),
          ("None×1", [are_answered("one byte more", [None], 413)]))
    most = SENDERS * LARGEST_CONNECTION
    shows(held_back(most, [408]), ("takes at most", held_back(most + 1, [408])),
          ("does not end", held_back(most, [408, 200])))
    shows(trickled(["408"], BODY_SECONDS + 5), ("that trickles", trickled(["408", ""], BODY_SECONDS)),
          ("the deadline", trickled(["408"], BODY_SECONDS + 5.1)))
    shows(is_well(True, answer(200)), ("go back", is_well(False, answer(200))), ("is well", is_well(True, answer(503))))
