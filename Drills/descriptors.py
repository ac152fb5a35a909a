"""Without descriptors, accepting rests, nothing spins, and all is well when connections go."""

import resource
import time

from bench import crowd, eventually
from wire import connect

LIMIT = 256
CONNECTIONS = 600
# So many that all the others find room.
GOING = 450
WATCHED_SECONDS = 4
# Of one core.
IDLE_SHARE = 0.05


def run(bench):
    limits = {resource.RLIMIT_NOFILE: LIMIT}
    with bench.carriers() as carriers, bench.server(carriers, limits=limits) as server:
        bench.claim("fewer descriptors than http.connections" in server.log_text(), "the log says that there are few")
        crowd(20, lambda number: server.sign_in(f"warm{number}"), threads=4)
        rest = server.settled_descriptors()
        with server.client() as early:
            token = early.call("POST", "/auth/signin", body=carriers.authorize("early")).json["token"]
            waiting = [connect(server.port) for _ in range(CONNECTIONS)]
            bench.claim(eventually(lambda: server.descriptors() >= LIMIT), "the server runs out of descriptors")
            began, used = time.monotonic(), server.cpu()
            time.sleep(WATCHED_SECONDS)
            share = (server.cpu() - used) / (time.monotonic() - began)
            bench.figure("connections", CONNECTIONS)
            bench.figure("descriptors", server.descriptors())
            bench.figure("cpu_percent", share * 100)
            bench.claim(share <= IDLE_SHARE, f"it uses at most {IDLE_SHARE:.0%} of a core meanwhile")
            bench.claim(early.call("GET", "/healthz").status == 200, "who was there before is served")
            bench.claim(early.call("GET", "/users/me", bearer=token).status == 200, "and finds its session")
            for connection in waiting[:GOING]:
                connection.close()
            bench.claim(is_served(waiting[-1]), "who came last is let in when others go")
            for connection in waiting[GOING:]:
                connection.close()
            began = time.monotonic()
            answer = server.sign_in("afterwards")
            bench.claim(answer.status == 200, f"a sign-in succeeds when they have gone ({answer})")
            bench.figure("recovered_s", time.monotonic() - began)
        bench.claim(eventually(lambda: server.own_descriptors() <= rest), "the descriptors go back")


def is_served(connection):
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n")
    connection.settimeout(10)
    try:
        return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False
