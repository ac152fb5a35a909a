"""With few descriptors, a silent crowd ends no sign-in, nothing spins, and all is well when it goes."""

import re
import resource
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import Bench, crowd, eventually, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import Answer
from wire import connect, has_ended

LIMIT = 200
CONNECTIONS = 260
LIMIT_TOLD = re.compile(r"fewer descriptors than http\.connections.* connections=(\d+)")
WATCHED_SECONDS = 4
# Of one core.
IDLE_SHARE = 0.05


@dataclass(frozen=True)
class Meanwhile:
    """While a crowd says nothing."""

    fills_its_share: bool
    # Of a core.
    used: float
    answers: Sequence[Answer]

    def claims(self) -> list[Claim]:
        return [
            Claim(self.fills_its_share, "the crowd fills its share"),
            Claim(self.used <= IDLE_SHARE, f"it uses at most {IDLE_SHARE:.0%} of a core meanwhile"),
            Claim(all(answer.status == 200 for answer in self.answers),
                  f"sign-ins go on meanwhile ({tally(self.answers)})")]


def tells(told: object) -> Claim:
    return Claim(told is not None, "the log says that there are few, and how many connections there may be")


def makes_room(served: Sequence[bool], gone: int) -> list[Claim]:
    """Where there are none left: who of the newest is served, and how many of the oldest have gone."""
    return [
        Claim(all(served), "without descriptors the newest are let in"),
        Claim(gone >= CONNECTIONS - LIMIT, "and the oldest go")]


def is_well(after: Answer, goes_back: bool) -> list[Claim]:
    return [
        Claim(after.status == 200, f"a sign-in succeeds when they have gone ({after})"),
        Claim(goes_back, "the descriptors go back")]


def run(bench: Bench) -> None:
    limits = {resource.RLIMIT_NOFILE: LIMIT}
    with bench.carriers() as carriers, bench.server(carriers, limits=limits) as server:
        told = LIMIT_TOLD.search(server.log_text())
        if not bench.state(tells(told)) or told is None:
            return
        share = int(told[1])
        crowd(20, lambda number: server.sign_in(f"warm{number}"), threads=4)
        rest = server.settled_descriptors()
        waiting = [connect(server.port) for _ in range(CONNECTIONS)]
        fills_its_share = eventually(lambda: server.own_descriptors() >= rest + share - 1)
        began, used = time.monotonic(), server.cpu()
        time.sleep(WATCHED_SECONDS)
        used = (server.cpu() - used) / (time.monotonic() - began)
        bench.figure("connections", CONNECTIONS)
        bench.figure("descriptors", server.descriptors())
        bench.figure("cpu_percent", used * 100)
        answers = crowd(50, lambda number: server.sign_in(f"meanwhile{number}"), threads=8)
        bench.state(*Meanwhile(fills_its_share, used, answers).claims())
        run_out(bench, server, waiting)
        for connection in waiting:
            connection.close()
        began = time.monotonic()
        after = server.sign_in("afterwards")
        bench.figure("recovered_s", time.monotonic() - began)
        bench.state(*is_well(after, eventually(lambda: server.own_descriptors() <= rest)))


def run_out(bench: Bench, server: Gatehouse, waiting: Sequence[socket.socket]) -> None:
    """Takes descriptors away while the server runs: the newest connection gets that of the oldest."""
    # The first numbers are the server's own, so that it has none left below this one.
    server.limit(resource.RLIMIT_NOFILE, server.descriptors())
    newest = [connect(server.port) for _ in range(20)]
    served = [is_served(connection) for connection in newest]
    bench.state(*makes_room(served, sum(has_ended(connection) for connection in waiting)))
    server.limit(resource.RLIMIT_NOFILE, LIMIT)
    for connection in newest:
        connection.close()


def is_served(connection: socket.socket) -> bool:
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: drill\r\n\r\n")
    connection.settimeout(10)
    try:
        return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


def self_test() -> None:
    shows([tells("connections=96")], ("the log says", [tells(None)]))
    good = Meanwhile(True, IDLE_SHARE, [answer(200)])
    shows(good.claims(), ("its share", replace(good, fills_its_share=False).claims()),
          ("of a core", replace(good, used=IDLE_SHARE + 0.01).claims()),
          ("go on meanwhile", replace(good, answers=[answer(200), answer(503)]).claims()))
    least = CONNECTIONS - LIMIT
    shows(makes_room([True, True], least), ("are let in", makes_room([True, False], least)),
          ("the oldest go", makes_room([True], least - 1)))
    shows(is_well(answer(200), True), ("a sign-in", is_well(answer(503), True)),
          ("go back", is_well(answer(200), False)))
