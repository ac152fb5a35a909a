"""Instances on one store that clients reach at random, and which may be away for a while."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Mapping

from bench import Bench, eventually
from claims import Claim, shows
from gatehouse import Gatehouse
from history_log import Log
from testbed.carriers import Carriers
from testbed.client import LOST, Client

# In a history nothing expires by itself, and nobody is refused for how often they ask.
SETTINGS = {
    "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400",
    "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "0", "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "0",
    "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_CHALLENGES_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": "0",
    "GATEHOUSE_PROVIDER_ZENKEY_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0",
    "GATEHOUSE_PROVIDER_PLAIN_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0", "GATEHOUSE_LOG_LEVEL": "notice"}
# Of a store that is away requests are told within the clients' patience.
TIMES = {"GATEHOUSE_STORAGE_CONNECT_SECONDS": "2", "GATEHOUSE_STORAGE_STATEMENT_SECONDS": "2"}
LONGEST_RETURN = 30


# The settings of one instance, by its number.
OfInstance = Callable[[int], Mapping[str, str]]


class Service:
    # Of the history that goes on.
    log: Log

    def __init__(self, bench: Bench, carriers: Carriers, name: str, settings: Mapping[str, str], count: int = 1,
                 of_instance: OfInstance | None = None) -> None:
        """`of_instance` has what the settings of one have besides."""
        self.bench, self.carriers, self.name = bench, carriers, name
        shared = {**SETTINGS, **settings, **({"GATEHOUSE_INSTANCES": str(count), **TIMES} if count > 1 else {})}
        self.settings = [{**shared, **(of_instance(number) if of_instance else {})} for number in range(count)]
        # Those that are away are nobody's: their ports may be others' by now.
        self.away = set(range(count))
        self.servers: dict[int, Gatehouse] = {}
        # The first one makes the tables, which is the drill `instances`' to do with all at once.
        try:
            for number in range(count):
                self.start(number)
        except BaseException:
            self.stop()
            raise

    def start(self, number: int) -> None:
        self.servers[number] = self.bench.start(
            self.carriers, f"{self.name}{number}", settings=self.settings[number])
        self.away.discard(number)

    def any(self) -> int:
        return random.randrange(len(self.servers))

    def port(self) -> int:
        """That of any instance that is there, once there is one."""
        deadline = time.monotonic() + LONGEST_RETURN
        while time.monotonic() < deadline:
            there = [number for number in range(len(self.servers)) if number not in self.away]
            if there:
                return self.servers[random.choice(there)].port
            time.sleep(0.02)
        raise RuntimeError(f"{self.name}: no instance has come back within {LONGEST_RETURN} s")

    def kill(self, number: int) -> None:
        self.away.add(number)
        self.servers[number].kill()

    def is_well(self, number: int) -> bool:
        """Whether an instance signs somebody in, or gives them a ticket."""
        try:
            return self.servers[number].sign_in(f"well{number}").status in (200, 403)
        except LOST:
            return False

    def standing(self, number: int) -> str:
        """What an instance says of whether it is ready now: beside it stands why it was not, minutes ago."""
        with Client(self.servers[number].admin_port) as client:
            answer = client.call("GET", "/readyz")
        return f"{answer.status} {answer.json.get('checks')}"

    def await_well(self) -> None:
        """States that every instance is well again by itself."""
        for number in self.servers:
            self.bench.state(comes_back(self.name, number, self.await_one(number)))

    def await_one(self, number: int) -> bool:
        return eventually(lambda: self.is_well(number), LONGEST_RETURN)

    def stop(self) -> None:
        for server in self.servers.values():
            if server.is_running:
                server.kill()


def comes_back(name: str, number: int, well: bool) -> Claim:
    return Claim(well, f"{name}: instance {number} is well within {LONGEST_RETURN} s of the fault")


@contextlib.contextmanager
def service(bench: Bench, carriers: Carriers, name: str, settings: Mapping[str, str], count: int = 1,
            of_instance: OfInstance | None = None) -> Iterator[Service]:
    found = Service(bench, carriers, name, settings, count, of_instance)
    try:
        yield found
    finally:
        found.stop()


def self_test() -> None:
    shows([comes_back("kill", 2, True)], ("instance 2", [comes_back("kill", 2, False)]))
