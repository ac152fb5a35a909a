"""A log that nobody reads holds up nothing: the server serves, says what it dropped when it is read again, and stops."""

import os
import re
import threading
import time

from bench import crowd, eventually
from gatehouse import Gatehouse
from testbed.client import LOST

LISTENING = re.compile(rb" listening address=127\.0\.0\.1:(\d+)")
DROPPED = re.compile(rb"(\d+) log lines were dropped")
# The most lines that a full pipe and a full queue hold together, some 45,000, and as many again.
REQUESTS = 90_000
THREADS = 4
# The lame duck's five seconds, and two for the last lines.
STOP_SECONDS = 15


class Unread(Gatehouse):
    """A server whose standard error is a pipe."""

    def __init__(self, *arguments, **options):
        self.reader, self.writer = os.pipe()
        super().__init__(*arguments, awaits=False, **options)
        self.text = b""
        self.thread = None
        while not (match := LISTENING.search(self.text)):
            self.text += os.read(self.reader, 65536)
        self.port = int(match[1])

    def output(self):
        return os.fdopen(self.writer, "wb")

    def lines(self):
        """How many requests the log tells of, and how many lines it says were dropped."""
        text = self.text
        return text.count(b" info request "), sum(int(number) for number in DROPPED.findall(text))

    def read_on(self):
        """Reads whatever comes from now on, on a thread."""
        def read():
            while chunk := os.read(self.reader, 1 << 20):
                self.text += chunk
        self.thread = threading.Thread(target=read)
        self.thread.start()

    def close(self):
        """After the end of the process, which ends the reading."""
        if self.thread:
            self.thread.join()
        os.close(self.reader)


def healthy(server, count):
    """How many of so many requests on one connection were answered."""
    answered = 0
    with server.client() as client:
        client.connection.timeout = 10
        for _ in range(count):
            try:
                answered += client.call("GET", "/healthz").status == 200
            except LOST:
                break
    return answered


def run(bench):
    with bench.carriers() as carriers:
        for name, is_read_again in (("read-again", True), ("never-read", False)):
            server = Unread(bench.binaries, os.path.join(bench.folder, name), carriers)
            try:
                resident = server.resident()
                began = time.monotonic()
                answered = sum(crowd(THREADS, lambda _: healthy(server, REQUESTS // THREADS), threads=THREADS))
                bench.figure(f"{name}_answered", answered)
                bench.figure(f"{name}_s", time.monotonic() - began)
                bench.figure(f"{name}_MiB_more", (server.resident() - resident) // (1 << 20))
                bench.claim(answered == REQUESTS, f"every request is answered while the log is not read ({answered})")
                try:
                    answer = server.call("POST", "/auth/challenge", body={})
                except LOST as error:
                    answer = error
                bench.claim(getattr(answer, "status", 0) == 200, f"what is stored is stored ({answer})")
                if is_read_again:
                    server.read_on()
                    complete = eventually(lambda: sum(server.lines()) >= REQUESTS)
                    written, dropped = server.lines()
                    bench.figure("dropped", dropped)
                    bench.claim(dropped > 0, "the log says how many lines were dropped")
                    bench.claim(complete, f"each line was written or counted ({written} and {dropped})")
                began = time.monotonic()
                bench.claim(server.stop(STOP_SECONDS) == 0, "the server stops in good order")
                bench.figure(f"{name}_stopped_s", time.monotonic() - began)
            finally:
                if server.is_running:
                    server.kill()
                server.close()
