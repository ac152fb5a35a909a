"""A thousand passwords at once: three wrong ones are judged, right ones are answered or turned away, and memory is
bounded."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Self

from bench import MIB, Bench, crowd, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.client import LOST, Answer, Client

CROWD = 1000
LONGEST = 300
HASHES = max(1, (os.cpu_count() or 1) // 2)
SETTINGS = {
    "GATEHOUSE_KEY_SERVICE_ENABLED": "true", "GATEHOUSE_KEY_SERVICE_HASHES_AT_ONCE": str(HASHES),
    "GATEHOUSE_KEY_SERVICE_WAITING": "128",
    "GATEHOUSE_RATE_LIMIT_KEYS_PER_MINUTE_PER_ADDRESS": "0"}
# What the hashes take, and what a crowd of connections does.
MOST_PER_HASH = 33 * MIB
MOST_BESIDES = 64 * MIB


def create(server: Gatehouse, secret: str) -> tuple[str, str]:
    """The number of a new key, and the key."""
    answer = server.call("POST", "/keyservice/v1/createkey", body={"secret": secret})
    return answer.json["keyid"], answer.json["key"]


def attempts(server: Gatehouse, key: str, secret: Callable[[int], str], count: int = CROWD) -> list[Answer | None]:
    """The answers to so many attempts at once, with what a client makes of one that never comes."""

    def attempt(number: int) -> Answer | None:
        try:
            return server.call("POST", "/keyservice/v1/key", body={"keyid": key, "secret": secret(number)})
        except LOST:
            return None

    return crowd(count, attempt, threads=CROWD)


def statuses(answers: Sequence[Answer | None]) -> list[int]:
    return [answer.status if answer else 0 for answer in answers]


class Watch:
    """Asks for a plain answer again and again, and looks at the server's memory."""

    def __init__(self, server: Gatehouse) -> None:
        self.server = server
        self.took: list[float] = []
        self.most = server.resident()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self) -> None:
        with Client(self.server.port) as client:
            while not self.stopped.is_set():
                began = time.monotonic()
                client.call("GET", "/healthz")
                self.took.append(time.monotonic() - began)
                self.most = max(self.most, self.server.resident())
                time.sleep(0.005)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()

    def p99(self) -> float:
        return sorted(self.took)[len(self.took) * 99 // 100] * 1000


def run(bench: Bench) -> None:
    with bench.carriers() as carriers, bench.server(carriers, settings=SETTINGS) as server:
        keys = [create(server, "right") for _ in range(3)]
        # The largest crowd of before, so that what connections take is told apart from what hashes do.
        crowd(CROWD, lambda _: server.call("GET", "/healthz"), threads=CROWD)
        quiet = server.resident()
        with Watch(server) as before:
            time.sleep(3)
        wrong_passwords(bench, server, keys[0][0])
        one_right(bench, server, keys[1][0])
        with Watch(server) as during:
            answers = attempts(server, keys[2][0], lambda _: "right")
        bench.figure("right", tally(statuses(answers)))
        grown = during.most - quiet
        bench.figure("p99_quiet_ms", before.p99())
        bench.figure("p99_ms", during.p99())
        bench.figure("grown_MiB", grown / MIB)
        bench.state(*serves(answers, keys[2][1], grown))


def serves(answers: Sequence[Answer | None], key: str, grown: int) -> list[Claim]:
    """What must be true of many right passwords at once; `grown` is by how many bytes the server is larger for them."""
    seen = statuses(answers)
    return [
        Claim(set(seen) <= {200, 503} and 200 in seen,
              f"every right password is answered or turned away ({tally(seen)})"),
        Claim(all(answer.json["key"] == key for answer in answers if answer and answer.status == 200),
              "every answer has the same key"),
        Claim(grown <= HASHES * MOST_PER_HASH + MOST_BESIDES, f"{HASHES} hashes at once take at most 33 MiB each, and "
              f"64 MiB in all besides ({grown / MIB:.0f} MiB)")]


def wrong_passwords(bench: Bench, server: Gatehouse, key: str) -> None:
    """Some may not fit into the line, so they come again until the key is locked."""
    told: list[int] = []
    while 403 not in told:
        told += statuses(attempts(server, key, lambda number: f"wrong {number}"))
    bench.figure("wrong", tally(told))
    after = server.call("POST", "/keyservice/v1/key", body={"keyid": key, "secret": "right"})
    bench.state(*locks(told, after))


def locks(told: Sequence[int], after: Answer) -> list[Claim]:
    """What must be true of wrong passwords, and of the right one after them."""
    return [Claim(told.count(401) == 2, f"two wrong passwords are told, and the third locks ({tally(told)})"),
            Claim(set(told) <= {401, 403, 503}, f"and every other is refused or turned away ({tally(told)})"),
            Claim(after.status == 403, f"a locked key is gone ({after})")]


def one_right(bench: Bench, server: Gatehouse, key: str) -> None:
    # Early enough for a place in the line, more often than not.
    right = 1
    told = statuses(attempts(server, key, lambda number: "right" if number == right else f"wrong {number}"))
    bench.figure("one_right", told[right])
    bench.state(is_judged(told, right))


def is_judged(told: Sequence[int], right: int) -> Claim:
    """What must be true of one right password among wrong ones."""
    wrong = told.count(401)
    return Claim(told[right] in (200, 403, 503) and (2 <= wrong <= 4 if told[right] == 200 else wrong == 2),
                 "the right one of a crowd is judged before the third wrong one or not at all "
                 f"({told[right]}, {tally(told)})")


def self_test() -> None:
    right, away = answer(200, key="k"), answer(503)
    largest = HASHES * MOST_PER_HASH + MOST_BESIDES
    shows(serves([right, away], "k", largest),
          ("answered or turned away", serves([right, None], "k", largest)),
          ("answered or turned away", serves([away], "k", largest)),
          ("the same key", serves([right, answer(200, key="l")], "k", largest)),
          ("at most 33 MiB each", serves([right], "k", largest + 1)))
    told, gone = [401, 401, 403, 503], answer(403)
    shows(locks(told, gone),
          ("the third locks", locks([*told, 401], gone)), ("the third locks", locks(told[1:], gone)),
          ("every other", locks([*told, 200], gone)), ("is gone", locks(told, right)))
    shows([is_judged([200, 401, 401, 401, 401, 403], 0), is_judged([200, 401, 401], 0), is_judged([403, 401, 401], 0)],
          ("of a crowd", [is_judged([200, 401, 401, 401, 401, 401], 0)]), ("of a crowd", [is_judged([200, 401], 0)]),
          ("of a crowd", [is_judged([403, 401, 401, 401], 0)]), ("of a crowd", [is_judged([0, 401, 401], 0)]))
