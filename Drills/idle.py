"""Idle connections cost little, the oldest makes room for the newest, and all of it is given back."""

import resource
import select
import time

from bench import KIB, MIB, crowd, eventually, tally
from wire import connect, has_ended

WANTED = 20_000
# What this process and the server need besides: the server keeps some for its calls, and for those whom it turns away.
RESERVE = 2048
# An address has about 28,000 ports for connections to one place.
CONNECTIONS_PER_ADDRESS = 5_000
LARGEST_CONNECTION = 2 * KIB


def open_idle(server, count):
    return [connect(server.port, source=f"127.0.0.{2 + number // CONNECTIONS_PER_ADDRESS}") for number in range(count)]


def close_all(connections):
    for connection in connections:
        connection.close()


def is_answered(connection):
    connection.settimeout(10)
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n")
    return connection.recv(4096).startswith(b"HTTP/1.1 200 ")


def run(bench):
    most = min(WANTED, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - RESERVE)
    # One loop, because each loop closes the oldest of its own.
    settings = {"GATEHOUSE_HTTP_LOOPS": "1", "GATEHOUSE_HTTP_CONNECTIONS": str(most), "GATEHOUSE_HTTP_IDLE_TIMEOUT_SECONDS": "150"}
    with bench.carriers() as carriers, bench.server(carriers, settings=settings) as server:
        crowd(20, lambda number: server.sign_in(f"warm{number}"))
        rest = server.settled_descriptors()
        before = server.resident()
        connections = open_idle(server, most - 1)
        bench.claim(eventually(lambda: server.own_descriptors() == rest + most - 1), "every connection is accepted")
        grown = server.resident() - before
        bench.figure("connections", most)
        bench.figure("bytes_each", grown // most)
        bench.claim(grown <= most * LARGEST_CONNECTION, f"a connection takes at most {LARGEST_CONNECTION} bytes")
        with server.client() as client:
            # One connection, which fills the limit and closes nobody's.
            began = time.monotonic()
            answers = [client.call("POST", "/auth/signin", body=carriers.authorize(f"meanwhile{number}"))
                       for number in range(50)]
            bench.figure("sign_in_ms", (time.monotonic() - began) * 1000 / 50)
        bench.claim(all(answer.status == 200 for answer in answers),
                    f"sign-ins go on meanwhile ({tally(answers)})")
        check_oldest_goes(bench, server, connections, rest, most)
        full = server.resident()
        close_all(connections)
        bench.claim(eventually(lambda: server.own_descriptors() == rest), "the descriptors go back")
        after = server.resident()
        bench.figure("MiB_before_full_after", f"{before // MIB}/{full // MIB}/{after // MIB}")
        again = open_idle(server, most - 1)
        eventually(lambda: server.own_descriptors() == rest + most - 1)
        bench.claim(server.resident() <= full + 2 * MIB, "a second crowd takes no more memory than the first")
        close_all(again)
        bench.claim(eventually(lambda: server.own_descriptors() == rest), "the descriptors go back again")
        bench.claim(server.resident() <= full + 2 * MIB, "nor does it grow when they go")


def check_oldest_goes(bench, server, connections, rest, most):
    bench.claim(eventually(lambda: server.own_descriptors() == rest + most - 1), "the app's connection has gone")
    connections.append(connect(server.port))
    bench.claim(is_answered(connections[-1]), "the last connection within the limit is served")
    bench.claim(not has_ended(connections[0]), "within the limit nobody is closed")
    newest = connect(server.port)
    bench.claim(is_answered(newest), "one connection more is served")
    waiting = select.poll()
    waiting.register(connections[0], select.POLLIN)
    bench.claim(bool(waiting.poll(5000)) and has_ended(connections[0]), "the oldest idle one is closed for it")
    bench.claim(not any(has_ended(connection) for connection in connections[1:]), "and no other")
    connections.append(newest)
