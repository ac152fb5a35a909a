"""Behind a proxy that tries nothing twice, servers are stopped in turn under load, and no request is lost."""

import random
import shutil
import socket
import threading
import time
from collections.abc import Mapping, Sequence

from bench import Bench, eventually, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import LOST, Client
from testbed.ports import free_ports
from testbed.process import Process

STOPS = 20
REQUESTS = 50_000
# Beyond it the drill has failed.
LONGEST = 170
KEEPING, OPENING, SIGNING_IN = 6, 4, 1
LAME_DUCK_SECONDS = 2
# A check may be late: else the load here takes a server out that is well, while the other one is stopped. It is shorter
# than the time for which a server that stops goes on accepting.
PROXY = """\
global
    stats socket {folder}/haproxy.sock mode 600 level admin
defaults
    mode http
    retries 0
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    timeout check 1s
frontend apps
    bind 127.0.0.1:{port}
    default_backend servers
backend servers
    balance roundrobin
    option httpchk GET /readyz
    http-check expect status 200
    default-server check inter 200ms fall 1 rise 1
{servers}
"""


class Proxy(Process):
    def __init__(self, folder: str, port: int, servers: Mapping[str, Sequence[int]]) -> None:
        """`servers` have a port for apps, and one that tells whether they are ready."""
        lines = [f"    server {name} 127.0.0.1:{ports[0]} port {ports[1]}" for name, ports in servers.items()]
        self.port, self.socket = port, f"{folder}/haproxy.sock"
        with open(f"{folder}/haproxy.cfg", "w", encoding="utf-8") as file:
            file.write(PROXY.format(folder=folder, port=port, servers="\n".join(lines)))
        super().__init__(["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"], f"{folder}/haproxy.log")

    def sees(self, name: str) -> bool:
        """Whether it sends requests to a server."""
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(self.socket)
            except OSError:
                return False
            connection.sendall(b"show stat\n")
            text = b""
            while chunk := connection.recv(65536):
                text += chunk
        for line in text.decode().splitlines():
            fields = line.split(",")
            if fields[:2] == ["servers", name]:
                return fields[17] == "UP"
        return False


class Load:
    def __init__(self, carriers: Carriers, port: int) -> None:
        self.carriers = carriers
        self.port = port
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.answered = 0
        self.failed: list[str] = []

    def note(self, failure: str | None) -> None:
        with self.lock:
            if failure is None:
                self.answered += 1
            else:
                self.failed.append(failure)

    def ask(self, client: Client) -> None:
        path = random.choice(["/healthz", "/healthz", "/.well-known/jwks.json", "/openapi.json"])
        try:
            answer = client.call("GET", path)
            self.note(None if answer.status == 200 else f"{path}:{answer}")
        except LOST as error:
            self.note(f"{path}:{type(error).__name__}")

    def keep(self) -> None:
        with Client(self.port) as client:
            while not self.over.is_set():
                self.ask(client)

    def open(self) -> None:
        while not self.over.is_set():
            with Client(self.port) as client:
                self.ask(client)

    def sign_in(self) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            body = self.carriers.authorize(f"stop{number % 500}")
            try:
                with Client(self.port) as client:
                    answer = client.call("POST", "/auth/signin", body=body)
                self.note(None if answer.status == 200 else f"sign-in:{answer}")
            except LOST as error:
                self.note(f"sign-in:{type(error).__name__}")


def run(bench: Bench) -> None:
    if not shutil.which("haproxy"):
        bench.skip("haproxy is not installed")
        return
    ports = free_ports(5)
    places = {"one": ports[:2], "two": ports[2:4]}
    with bench.carriers() as carriers:
        def start(name: str) -> Gatehouse:
            settings = {"GATEHOUSE_HTTP_PORT": str(places[name][0]), "GATEHOUSE_ADMIN_PORT": str(places[name][1]),
                        "GATEHOUSE_LOG_LEVEL": "notice", "GATEHOUSE_HTTP_LAME_DUCK_SECONDS": str(LAME_DUCK_SECONDS)}
            return bench.start(carriers, name, settings=settings)

        servers = {name: start(name) for name in places}
        proxy = Proxy(bench.folder, ports[4], places)
        load = Load(carriers, ports[4])
        kinds = [load.keep] * KEEPING + [load.open] * OPENING + [load.sign_in] * SIGNING_IN
        threads = [threading.Thread(target=kind, daemon=True) for kind in kinds]
        try:
            bench.state(sees_both(eventually(lambda: all(proxy.sees(name) for name in places))))
            for thread in threads:
                thread.start()
            for number in range(STOPS):
                name = list(places)[number % 2]
                bench.state(is_in_good_order(number, servers[name].stop()))
                servers[name] = start(name)
                bench.state(sees_again(number, is_seen(proxy, name)))
            while load.answered < REQUESTS and time.monotonic() - bench.started < LONGEST:
                time.sleep(0.1)
        finally:
            load.over.set()
            for thread in threads:
                if thread.is_alive():
                    thread.join()
            proxy.kill()
            for server in servers.values():
                if server.is_running:
                    server.kill()
        bench.figure("stops", STOPS)
        bench.figure("answered", load.answered)
        bench.figure("failed", len(load.failed))
        bench.state(*succeed(load.answered, load.failed))


def is_seen(proxy: Proxy, name: str) -> bool:
    return eventually(lambda: proxy.sees(name))


def sees_both(holds: bool) -> Claim:
    return Claim(holds, "the proxy sees both servers")


def is_in_good_order(stop: int, status: int) -> Claim:
    return Claim(status == 0, f"stop {stop} is in good order")


def sees_again(stop: int, holds: bool) -> Claim:
    return Claim(holds, f"the proxy sees the server again ({stop})")


def succeed(answered: int, failed: Sequence[str]) -> list[Claim]:
    return [Claim(answered >= REQUESTS, f"there are {REQUESTS} requests at least"),
            Claim(not failed, f"none of them fails ({tally(failed)})")]


def self_test() -> None:
    shows([sees_both(True)], ("sees both", [sees_both(False)]))
    shows([is_in_good_order(1, 0)], ("stop 1", [is_in_good_order(1, -9)]))
    shows([sees_again(1, True)], ("sees the server again (1)", [sees_again(1, False)]))
    shows(succeed(REQUESTS, []),
          ("requests at least", succeed(REQUESTS - 1, [])), ("/healthz:502×1", succeed(REQUESTS, ["/healthz:502"])))
