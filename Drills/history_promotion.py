"""A primary and its standby: one is killed, the other promoted, and the killed one made its standby."""

import contextlib
import random
import shutil
import time
from collections.abc import Iterator

from bench import Bench, eventually
from postgres import Postgres

IN_STEP = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
ATTACHED = "SELECT count(*) FROM pg_stat_replication"
# How long the promoted one is alone.
ALONE = 2


class Pair:
    """`waits` is whether commits wait for the standby."""

    def __init__(self, bench: Bench, waits: bool) -> None:
        self.waits = waits
        self.servers = [Postgres(bench, name) for name in ("one", "two")]
        self.primary, self.standby = self.servers

    def begin(self) -> None:
        self.primary.make()
        self.primary.start()
        self.primary.await_ready()
        self.follow()

    def follow(self) -> None:
        """Makes the standby anew, and waits until what the primary acknowledges is on its disk, too."""
        self.standby.copy(self.primary)
        self.standby.start()
        # Once it is promoted it waits for nobody.
        eventually(self.is_up, 30)
        self.configure(self.standby, "")
        self.configure(self.primary, "standby" if self.waits else "")
        if not eventually(lambda: self.primary.ask(IN_STEP if self.waits else ATTACHED) == "1", 30):
            raise RuntimeError("the standby does not come into step")

    def is_up(self) -> bool:
        try:
            return self.standby.ask("SELECT 1") == "1"
        except RuntimeError:
            return False

    @staticmethod
    def configure(server: Postgres, names: str) -> None:
        """Not by a word on the command line, since a server's part changes while it runs."""
        server.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        server.ask("SELECT pg_reload_conf()")

    def fail_over(self) -> None:
        """The primary is killed, and a while later the standby takes over, and gets one itself."""
        self.promote()
        time.sleep(ALONE)
        self.replace()

    def promote(self) -> None:
        self.primary.kill()
        time.sleep(random.uniform(0, 1))
        self.standby.promote()

    def replace(self) -> None:
        """Makes the killed one the standby of the promoted."""
        self.primary, self.standby = self.standby, self.primary
        shutil.rmtree(self.standby.data)
        self.follow()

    def remove(self) -> None:
        for server in self.servers:
            server.remove()


@contextlib.contextmanager
def pair(bench: Bench, waits: bool = True) -> Iterator[Pair]:
    found = Pair(bench, waits)
    try:
        found.begin()
        yield found
    finally:
        found.remove()
