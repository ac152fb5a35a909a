"""Stands between a server and its database, and holds up what each says for some milliseconds, as a way of that length does.

    relay.py PORT SOCKET MILLISECONDS

listens on 127.0.0.1:PORT, and passes on to the Unix socket. A process of its own, so that it holds up nobody else. It bounds no
rate by itself: what has come in meanwhile goes out together.
"""

import collections
import selectors
import socket
import sys
import time


class End:
    """One end of a connection: what it has said, when that is to go on, and to whom."""

    def __init__(self, connection):
        self.connection, self.other = connection, None
        self.queue = collections.deque()


def accept(listener, path, selector):
    ends = [End(listener.accept()[0]), End(socket.socket(socket.AF_UNIX))]
    ends[1].connection.connect(path)
    ends[0].connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for end, other in (ends, ends[::-1]):
        end.other = other
        selector.register(end.connection, selectors.EVENT_READ, end)


def close(end, selector, waiting):
    for one in (end, end.other):
        if one.connection.fileno() >= 0:
            selector.unregister(one.connection)
            one.connection.close()
        waiting.discard(one)


def send_due(end, now):
    """Passes on what has waited long enough; the time of the next, or None."""
    due = b""
    while end.queue and end.queue[0][0] <= now:
        due += end.queue.popleft()[1]
    if due:
        end.other.connection.sendall(due)
    return end.queue[0][0] if end.queue else None


def main(port, path, milliseconds):
    delay = milliseconds / 1000
    selector, waiting = selectors.DefaultSelector(), set()
    listener = socket.create_server(("127.0.0.1", port), backlog=256)
    selector.register(listener, selectors.EVENT_READ)
    print("relaying", flush=True)
    pause = None
    while True:
        for key, _ in selector.select(pause):
            if key.data is None:
                accept(listener, path, selector)
                continue
            end = key.data
            try:
                data = end.connection.recv(1 << 18)
            except OSError:
                data = b""
            if data:
                end.queue.append((time.monotonic() + delay, data))
                waiting.add(end)
            else:
                close(end, selector, waiting)
        now, nearest = time.monotonic(), None
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
