"""Instances on one store that clients reach at random, and which may be away for a while."""

import contextlib
import random
import time

from bench import eventually
from testbed.client import LOST, Client

# In a history nothing expires by itself, and nobody is refused for how often they ask.
SETTINGS = {
    "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400", "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "0",
    "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "0", "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_CHALLENGES_PER_MINUTE_PER_ADDRESS": "0", "GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": "0",
    "GATEHOUSE_PROVIDER_ZENKEY_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0",
    "GATEHOUSE_PROVIDER_PLAIN_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0", "GATEHOUSE_LOG_LEVEL": "notice"}
# Of a store that is away requests are told within the clients' patience.
TIMES = {"GATEHOUSE_STORAGE_CONNECT_SECONDS": "2", "GATEHOUSE_STORAGE_STATEMENT_SECONDS": "2"}
LONGEST_RETURN = 30


class Service:
    def __init__(self, bench, carriers, name, settings, count=1, of_instance=lambda number: {}):
        """`of_instance` has further settings of one instance, by its number."""
        self.bench, self.carriers, self.name = bench, carriers, name
        self.settings = [
            {**SETTINGS, **settings, **({"GATEHOUSE_INSTANCES": str(count), **TIMES} if count > 1 else {}), **of_instance(number)}
            for number in range(count)]
        # Of the history that goes on.
        self.log = None
        # Those that are away are nobody's: their ports may be others' by now.
        self.away = set(range(count))
        self.servers = [None] * count
        # The first one makes the tables, which is the drill `instances`' to do with all at once.
        for number in range(count):
            self.start(number)

    def start(self, number, awaits=True):
        self.servers[number] = self.bench.start(
            self.carriers, f"{self.name}{number}", settings=self.settings[number], awaits=awaits)
        if awaits:
            self.away.discard(number)

    def any(self):
        return random.randrange(len(self.servers))

    def port(self):
        """That of any instance that is there, once there is one."""
        deadline = time.monotonic() + LONGEST_RETURN
        while time.monotonic() < deadline:
            there = [number for number in range(len(self.servers)) if number not in self.away]
            if there:
                return self.servers[random.choice(there)].port
            time.sleep(0.02)
        raise RuntimeError(f"{self.name}: no instance has come back within {LONGEST_RETURN} s")

    def kill(self, number):
        self.away.add(number)
        self.servers[number].kill()

    def is_well(self, number):
        """Whether an instance signs somebody in, or gives them a ticket."""
        try:
            return self.servers[number].sign_in(f"well{number}").status in (200, 403)
        except LOST:
            return False

    def standing(self, number):
        """What an instance says of whether it is ready now: beside it stands why it was not, minutes ago."""
        with Client(self.servers[number].admin_port) as client:
            answer = client.call("GET", "/readyz")
        return f"{answer.status} {answer.json.get('checks')}"

    def await_well(self):
        """States that every instance is well again by itself."""
        for number in range(len(self.servers)):
            well = eventually(lambda: self.is_well(number), LONGEST_RETURN)
            self.bench.claim(well, f"{self.name}: instance {number} is well within {LONGEST_RETURN} s of the fault")

    def stop(self):
        for server in self.servers:
            if server and server.is_running:
                server.kill()


@contextlib.contextmanager
def service(bench, carriers, name, settings, **options):
    found = None
    try:
        found = Service(bench, carriers, name, settings, **options)
        yield found
    finally:
        if found:
            found.stop()
