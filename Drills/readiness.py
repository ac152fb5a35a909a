"""What a load balancer does: asks whether an instance is ready, ten times a second."""

import contextlib
import math
import os
import threading
import time
from typing import NamedTuple, Self

from gatehouse import Gatehouse
from testbed.client import LOST, Client

INTERVAL = 0.1
# Who has no answer by then has an instance that does not answer.
PATIENCE = 5


def first_in_line() -> None:
    """Has this thread wait for no processor, as far as that may be."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)


class Look(NamedTuple):
    """When it was asked for, how long that took, and the status; None where none came."""

    began: float
    took: float
    status: int | None


class Readiness:
    """Asks in a thread of its own, each time over a connection of its own, while the `with` lasts."""

    def __init__(self, server: Gatehouse) -> None:
        self.port = server.admin_port
        self.seen: list[Look] = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.ask)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        self.thread.join()

    def ask(self) -> None:
        # A load balancer has a machine of its own.
        first_in_line()
        turn = time.monotonic()
        while not self.is_over.wait(max(0, turn - time.monotonic())):
            began = time.monotonic()
            try:
                with Client(self.port, timeout=PATIENCE) as client:
                    status: int | None = client.call("GET", "/readyz").status
            except LOST:
                status = None
            self.seen.append(Look(began, time.monotonic() - began, status))
            turn = max(turn + INTERVAL, began)

    def quantile(self, share: float) -> float:
        times = sorted(look.took for look in self.seen)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else math.inf

    def says(self, is_ready: bool, begin: float, end: float = math.inf) -> bool:
        """Whether every answer to what was asked between these was that it is, or is not, ready; there must be one."""
        statuses = {look.status == 200 for look in self.seen if begin <= look.began < end}
        return statuses == {is_ready}
