"""Idle connections cost little, the oldest makes room for the newest, and all of it is given back."""

import resource
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import KIB, MIB, Bench, crowd, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import Answer
from wire import connect, has_ended

WANTED = 20_000
# What this process and the server need besides: the server keeps some for its calls, and for those whom it turns away.
RESERVE = 2048
# An address has about 28,000 ports for connections to one place.
CONNECTIONS_PER_ADDRESS = 5_000
LARGEST_CONNECTION = 2 * KIB


def open_idle(server: Gatehouse, count: int) -> list[socket.socket]:
    return [connect(server.port, source=f"127.0.0.{2 + number // CONNECTIONS_PER_ADDRESS}") for number in range(count)]


def close_all(connections: Sequence[socket.socket]) -> None:
    for connection in connections:
        connection.close()


def is_answered(connection: socket.socket) -> bool:
    connection.settimeout(10)
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n")
    return connection.recv(4096).startswith(b"HTTP/1.1 200 ")


def run(bench: Bench) -> None:
    most = min(WANTED, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - RESERVE)
    # One loop, because each loop closes the oldest of its own.
    settings = {"GATEHOUSE_HTTP_LOOPS": "1", "GATEHOUSE_HTTP_CONNECTIONS": str(most),
                "GATEHOUSE_HTTP_IDLE_TIMEOUT_SECONDS": "150"}
    with bench.carriers() as carriers, bench.server(carriers, settings=settings) as server:
        crowd(20, lambda number: server.sign_in(f"warm{number}"))
        rest = server.settled_descriptors()
        before = server.resident()
        connections = open_idle(server, most - 1)
        are_accepted = eventually(lambda: server.own_descriptors() == rest + most - 1)
        grown = server.resident() - before
        bench.figure("connections", most)
        bench.figure("bytes_each", grown // most)
        with server.client() as client:
            # One connection, which fills the limit and closes nobody's.
            began = time.monotonic()
            answers = [client.call("POST", "/auth/signin", body=carriers.authorize(f"meanwhile{number}"))
                       for number in range(50)]
            bench.figure("sign_in_ms", (time.monotonic() - began) * 1000 / 50)
        bench.state(*held(are_accepted, grown, most, answers))
        bench.state(*makes_room(beyond_limit(server, connections, rest, most)))
        full = server.resident()
        close_all(connections)
        are_closed = eventually(lambda: server.own_descriptors() == rest)
        after = server.resident()
        bench.figure("MiB_before_full_after", f"{before // MIB}/{full // MIB}/{after // MIB}")
        again = open_idle(server, most - 1)
        eventually(lambda: server.own_descriptors() == rest + most - 1)
        second = server.resident()
        close_all(again)
        are_closed_again = eventually(lambda: server.own_descriptors() == rest)
        bench.state(*given_back(full, are_closed, second, are_closed_again, server.resident()))


def held(are_accepted: bool, grown: int, most: int, answers: Sequence[Answer]) -> list[Claim]:
    """What must be true while as many connections as may be are open."""
    return [
        Claim(are_accepted, "every connection is accepted"),
        Claim(grown <= most * LARGEST_CONNECTION, f"a connection takes at most {LARGEST_CONNECTION} bytes"),
        Claim(all(answer.status == 200 for answer in answers), f"sign-ins go on meanwhile ({tally(answers)})")]


@dataclass(frozen=True)
class Beyond:
    """What is seen at the limit and one connection beyond it."""

    app_has_gone: bool = True
    last_is_served: bool = True
    nobody_is_closed: bool = True
    newest_is_served: bool = True
    oldest_is_closed: bool = True
    others_are_open: bool = True


def beyond_limit(server: Gatehouse, connections: list[socket.socket], rest: int, most: int) -> Beyond:
    app_has_gone = eventually(lambda: server.own_descriptors() == rest + most - 1)
    connections.append(connect(server.port))
    last_is_served = is_answered(connections[-1])
    nobody_is_closed = not has_ended(connections[0])
    newest = connect(server.port)
    newest_is_served = is_answered(newest)
    waiting = select.poll()
    waiting.register(connections[0], select.POLLIN)
    oldest_is_closed = bool(waiting.poll(5000)) and has_ended(connections[0])
    others_are_open = not any(has_ended(connection) for connection in connections[1:])
    connections.append(newest)
    return Beyond(
        app_has_gone, last_is_served, nobody_is_closed, newest_is_served, oldest_is_closed, others_are_open)


def makes_room(seen: Beyond) -> list[Claim]:
    return [
        Claim(seen.app_has_gone, "the app's connection has gone"),
        Claim(seen.last_is_served, "the last connection within the limit is served"),
        Claim(seen.nobody_is_closed, "within the limit nobody is closed"),
        Claim(seen.newest_is_served, "one connection more is served"),
        Claim(seen.oldest_is_closed, "the oldest idle one is closed for it"),
        Claim(seen.others_are_open, "and no other")]


def given_back(full: int, are_closed: bool, second: int, are_closed_again: bool, end: int) -> list[Claim]:
    """What must be true when all have gone, and after a second crowd; `full`, `second` and `end` are bytes."""
    return [
        Claim(are_closed, "the descriptors go back"),
        Claim(second <= full + 2 * MIB, "a second crowd takes no more memory than the first"),
        Claim(are_closed_again, "the descriptors go back again"),
        Claim(end <= full + 2 * MIB, "nor does it grow when they go")]


def self_test() -> None:
    good, most = [answer(200)] * 2, 1000
    largest = most * LARGEST_CONNECTION
    shows(held(True, largest, most, good),
          ("is accepted", held(False, largest, most, good)),
          ("takes at most", held(True, largest + 1, most, good)),
          ("go on meanwhile", held(True, largest, most, [*good, answer(503)])))
    seen = Beyond()
    shows(makes_room(seen),
          ("connection has gone", makes_room(replace(seen, app_has_gone=False))),
          ("within the limit is served", makes_room(replace(seen, last_is_served=False))),
          ("nobody is closed", makes_room(replace(seen, nobody_is_closed=False))),
          ("one connection more", makes_room(replace(seen, newest_is_served=False))),
          ("oldest idle one", makes_room(replace(seen, oldest_is_closed=False))),
          ("no other", makes_room(replace(seen, others_are_open=False))))
    full = 100 * MIB
    shows(given_back(full, True, full + 2 * MIB, True, full + 2 * MIB),
          ("go back", given_back(full, False, full, True, full)),
          ("second crowd", given_back(full, True, full + 2 * MIB + 1, True, full)),
          ("back again", given_back(full, True, full, False, full)),
          ("nor does it grow", given_back(full, True, full, True, full + 2 * MIB + 1)))
