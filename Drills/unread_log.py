"""A log that nobody reads holds up nothing: the server serves, says what it dropped when it is read again, and
stops."""

import os
import re
import threading
import time
from typing import BinaryIO

from bench import Bench, crowd, eventually
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import LOST, Answer

LISTENING = re.compile(rb" listening address=127\.0\.0\.1:(\d+)")
DROPPED = re.compile(rb"(\d+) log lines were dropped")
# The most lines that a full pipe and a full queue hold together, some 45,000, and as many again.
REQUESTS = 90_000
THREADS = 4
# The lame duck's five seconds, and two for the last lines.
STOP_SECONDS = 15


class Unread(Gatehouse):
    """A server whose standard error is a pipe."""

    def __init__(self, binaries: str, folder: str, carriers: Carriers) -> None:
        self.reader, self.writer = os.pipe()
        super().__init__(binaries, folder, carriers, awaits=False)
        self.text = b""
        self.thread: threading.Thread | None = None
        while not (match := LISTENING.search(self.text)):
            self.text += os.read(self.reader, 65536)
        self.port = int(match[1])

    def output(self) -> BinaryIO:
        return os.fdopen(self.writer, "wb")

    def lines(self) -> tuple[int, int]:
        """How many requests the log tells of, and how many lines it says were dropped."""
        text = self.text
        return text.count(b" info request "), sum(int(number) for number in DROPPED.findall(text))

    def read_on(self) -> None:
        """Reads whatever comes from now on, on a thread."""
        def read() -> None:
            while chunk := os.read(self.reader, 1 << 20):
                self.text += chunk
        self.thread = threading.Thread(target=read)
        self.thread.start()

    def close(self) -> None:
        """After the end of the process, which ends the reading."""
        if self.thread:
            self.thread.join()
        os.close(self.reader)


def healthy(server: Gatehouse, count: int) -> int:
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


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        for name, is_read_again in (("read-again", True), ("never-read", False)):
            server = Unread(bench.binaries, os.path.join(bench.folder, name), carriers)
            try:
                serve(bench, server, name, is_read_again)
            finally:
                if server.is_running:
                    server.kill()
                server.close()


def serve(bench: Bench, server: Unread, name: str, is_read_again: bool) -> None:
    """Has it answer and stop while nobody reads its log, or read only after the answers."""
    resident = server.resident()
    began = time.monotonic()
    answered = sum(crowd(THREADS, lambda _: healthy(server, REQUESTS // THREADS), threads=THREADS))
    bench.figure(f"{name}_answered", answered)
    bench.figure(f"{name}_s", time.monotonic() - began)
    bench.figure(f"{name}_MiB_more", (server.resident() - resident) // (1 << 20))
    bench.state(are_answered(answered))
    try:
        bench.state(is_stored(server.call("POST", "/auth/challenge", body={})))
    except LOST as error:
        bench.state(is_stored(error))
    if is_read_again:
        server.read_on()
        complete = eventually(lambda: sum(server.lines()) >= REQUESTS)
        written, dropped = server.lines()
        bench.figure("dropped", dropped)
        bench.state(*tells_all(complete, written, dropped))
    began = time.monotonic()
    bench.state(stops(server.stop(STOP_SECONDS)))
    bench.figure(f"{name}_stopped_s", time.monotonic() - began)


def are_answered(count: int) -> Claim:
    return Claim(count == REQUESTS, f"every request is answered while the log is not read ({count})")


def is_stored(answer: Answer | Exception) -> Claim:
    """What must be true of a request that stores something, or of the error in place of its answer."""
    return Claim(isinstance(answer, Answer) and answer.status == 200, f"what is stored is stored ({answer})")


def tells_all(complete: bool, written: int, dropped: int) -> list[Claim]:
    return [Claim(dropped > 0, "the log says how many lines were dropped"),
            Claim(complete, f"each line was written or counted ({written} and {dropped})")]


def stops(status: int) -> Claim:
    return Claim(status == 0, "the server stops in good order")


def self_test() -> None:
    shows([are_answered(REQUESTS)], ("is not read", [are_answered(REQUESTS - 1)]))
    shows([is_stored(answer(200))], ("is stored (503)", [is_stored(answer(503))]),
          ("is stored (gone)", [is_stored(ConnectionResetError("gone"))]))
    shows(tells_all(True, 9, 1),
          ("were dropped", tells_all(True, 10, 0)), ("(8 and 1)", tells_all(False, 8, 1)))
    shows([stops(0)], ("in good order", [stops(-9)]))
