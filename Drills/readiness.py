"""What a load balancer does: asks whether an instance is ready, ten times a second."""

import contextlib
import math
import os
import threading
import time

from testbed.client import LOST, Client

INTERVAL = 0.1
# Who has no answer by then has an instance that does not answer.
PATIENCE = 5


def first_in_line():
    """Has this thread wait for no processor, as far as that may be."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -10)


class Readiness:
    """Asks in a thread of its own, each time over a connection of its own, while the `with` lasts."""

    def __init__(self, server):
        self.port = server.admin_port
        # When each was asked for, how long it took, and its status; None where none came.
        self.seen = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.ask)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def ask(self):
        # A load balancer has a machine of its own.
        first_in_line()
        turn = time.monotonic()
        while not self.is_over.wait(max(0, turn - time.monotonic())):
            began = time.monotonic()
            try:
                with Client(self.port, timeout=PATIENCE) as client:
                    status = client.call("GET", "/readyz").status
            except LOST:
                status = None
            self.seen.append((began, time.monotonic() - began, status))
            turn = max(turn + INTERVAL, began)

    def quantile(self, share):
        times = sorted(took for _, took, _ in self.seen)
        return times[max(0, math.ceil(share * len(times)) - 1)] if times else math.inf

    def says(self, is_ready, begin, end=math.inf):
        """Whether every answer to what was asked between these was that it is, or is not, ready; there must be one."""
        statuses = {status == 200 for began, _, status in self.seen if begin <= began < end}
        return statuses == {is_ready}
