"""With few descriptors, a silent crowd ends no sign-in, nothing spins, and all is well when it goes."""

import re
import resource
import time

from bench import crowd, eventually, tally
from wire import connect, has_ended

LIMIT = 200
CONNECTIONS = 260
LIMIT_TOLD = re.compile(r"fewer descriptors than http\.connections.* connections=(\d+)")
WATCHED_SECONDS = 4
# Of one core.
IDLE_SHARE = 0.05


def run(bench):
    limits = {resource.RLIMIT_NOFILE: LIMIT}
    with bench.carriers() as carriers, bench.server(carriers, limits=limits) as server:
        told = LIMIT_TOLD.search(server.log_text())
        bench.claim(told, "the log says that there are few, and how many connections there may be")
        crowd(20, lambda number: server.sign_in(f"warm{number}"), threads=4)
        rest = server.settled_descriptors()
        waiting = [connect(server.port) for _ in range(CONNECTIONS)]
        bench.claim(eventually(lambda: server.own_descriptors() >= rest + int(told[1]) - 1), "the crowd fills its share")
        began, used = time.monotonic(), server.cpu()
        time.sleep(WATCHED_SECONDS)
        share = (server.cpu() - used) / (time.monotonic() - began)
        bench.figure("connections", CONNECTIONS)
        bench.figure("descriptors", server.descriptors())
        bench.figure("cpu_percent", share * 100)
        bench.claim(share <= IDLE_SHARE, f"it uses at most {IDLE_SHARE:.0%} of a core meanwhile")
        answers = crowd(50, lambda number: server.sign_in(f"meanwhile{number}"), threads=8)
        bench.claim(all(answer.status == 200 for answer in answers), f"sign-ins go on meanwhile ({tally(answers)})")
        run_out(bench, server, waiting)
        for connection in waiting:
            connection.close()
        began = time.monotonic()
        answer = server.sign_in("afterwards")
        bench.claim(answer.status == 200, f"a sign-in succeeds when they have gone ({answer})")
        bench.figure("recovered_s", time.monotonic() - began)
        bench.claim(eventually(lambda: server.own_descriptors() <= rest), "the descriptors go back")


def run_out(bench, server, waiting):
    """Takes descriptors away while the server runs: the newest connection gets that of the oldest."""
    # The first numbers are the server's own, so that it has none left below this one.
    server.limit(resource.RLIMIT_NOFILE, server.descriptors())
    newest = [connect(server.port) for _ in range(20)]
    bench.claim(all(is_served(connection) for connection in newest), "without descriptors the newest are let in")
    bench.claim(sum(has_ended(connection) for connection in waiting) >= CONNECTIONS - LIMIT, "and the oldest go")
    server.limit(resource.RLIMIT_NOFILE, LIMIT)
    for connection in newest:
        connection.close()


def is_served(connection):
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n")
    connection.settimeout(10)
    try:
        return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False
