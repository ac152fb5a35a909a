"""Stands between a server and its database, and holds up for some milliseconds what each says, as a way that long does.

    relay.py PORT SOCKET MILLISECONDS

listens on 127.0.0.1:PORT, and passes on to the Unix socket. A process of its own, so that it holds up nobody else. It
bounds no rate by itself: what has come in meanwhile goes out together.
"""

import collections
import selectors
import socket
import sys
import time
from typing import Self


class End:
    """One end of a connection: what it has said, when that is to go on, and to whom."""

    other: Self

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.queue: collections.deque[tuple[float, bytes]] = collections.deque()


def accept(listener: socket.socket, path: str, selector: selectors.BaseSelector) -> None:
    ends = [End(listener.accept()[0]), End(socket.socket(socket.AF_UNIX))]
    ends[1].connection.connect(path)
    ends[0].connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for end, other in (ends, ends[::-1]):
        end.other = other
        selector.register(end.connection, selectors.EVENT_READ, end)


def close(end: End, selector: selectors.BaseSelector, waiting: set[End]) -> None:
    for one in (end, end.other):
        if one.connection.fileno() >= 0:
            selector.unregister(one.connection)
            one.connection.close()
        waiting.discard(one)


def send_due(end: End, now: float) -> float | None:
    """Passes on what has waited long enough; the time of the next, or None."""
    due = b""
    while end.queue and end.queue[0][0] <= now:
        due += end.queue.popleft()[1]
    if due:
        end.other.connection.sendall(due)
    return end.queue[0][0] if end.queue else None


def main(port: int, path: str, milliseconds: float) -> None:
    delay = milliseconds / 1000
    selector = selectors.DefaultSelector()
    waiting: set[End] = set()
    listener = socket.create_server(("127.0.0.1", port), backlog=256)
    selector.register(listener, selectors.EVENT_READ)
    print("relaying", flush=True)
    pause: float | None = None
    while True:
        for key, _ in selector.select(pause):
            if key.data is None:
                accept(listener, path, selector)
                continue
            end: End = key.data
            try:
                data = end.connection.recv(1 << 18)
            except OSError:
                data = b""
            if data:
                end.queue.append((time.monotonic() + delay, data))
                waiting.add(end)
            else:
                close(end, selector, waiting)
        now = time.monotonic()
        nearest: float | None = None
        for end in list(waiting):
            try:
                due = send_due(end, now)
            except OSError:
                close(end, selector, waiting)
                continue
            if due is None:
                waiting.discard(end)
            else:
                nearest = min(due, nearest or due)
        pause = None if nearest is None else max(0, nearest - time.monotonic())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
