"""A thousand passwords at once: three wrong ones are judged, right ones are answered or turned away, and memory is bounded."""

import os
import threading
import time

from bench import MIB, crowd, tally
from testbed.client import LOST, Client

CROWD = 1000
LONGEST = 300
HASHES = max(1, (os.cpu_count() or 1) // 2)
SETTINGS = {
    "GATEHOUSE_KEY_SERVICE_ENABLED": "true", "GATEHOUSE_KEY_SERVICE_HASHES_AT_ONCE": str(HASHES), "GATEHOUSE_KEY_SERVICE_WAITING": "128",
    "GATEHOUSE_RATE_LIMIT_KEYS_PER_MINUTE_PER_ADDRESS": "0"}
# What the hashes take, and what a crowd of connections does.
MOST_PER_HASH = 33 * MIB
MOST_BESIDES = 64 * MIB


def create(server, secret):
    answer = server.call("POST", "/keyservice/v1/createkey", body={"secret": secret})
    return answer.json["keyid"], answer.json["key"]


def attempts(server, key, secret, count=CROWD):
    """The answers to so many attempts at once, with what a client makes of one that never comes."""

    def attempt(number):
        try:
            return server.call("POST", "/keyservice/v1/key", body={"keyid": key, "secret": secret(number)})
        except LOST:
            return None

    return crowd(count, attempt, threads=CROWD)


def statuses(answers):
    return [answer.status if answer else 0 for answer in answers]


class Watch:
    """Asks for a plain answer again and again, and looks at the server's memory."""

    def __init__(self, server):
        self.server = server
        self.took = []
        self.most = server.resident()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        with Client(self.server.port) as client:
            while not self.stopped.is_set():
                began = time.monotonic()
                client.call("GET", "/healthz")
                self.took.append(time.monotonic() - began)
                self.most = max(self.most, self.server.resident())
                time.sleep(0.005)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()

    def p99(self):
        return sorted(self.took)[len(self.took) * 99 // 100] * 1000


def run(bench):
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
        seen = statuses(answers)
        bench.figure("right", tally(seen))
        bench.claim(set(seen) <= {200, 503} and 200 in seen, f"every right password is answered or turned away ({tally(seen)})")
        bench.claim(all(answer.json["key"] == keys[2][1] for answer in answers if answer and answer.status == 200),
                    "every answer has the same key")
        grown = during.most - quiet
        bench.figure("p99_quiet_ms", before.p99())
        bench.figure("p99_ms", during.p99())
        bench.figure("grown_MiB", grown / MIB)
        bench.claim(grown <= HASHES * MOST_PER_HASH + MOST_BESIDES,
                    f"{HASHES} hashes at once take at most 33 MiB each, and 64 MiB in all besides ({grown / MIB:.0f} MiB)")


def wrong_passwords(bench, server, key):
    """Some may not fit into the line, so they come again until the key is locked."""
    told = []
    while 403 not in told:
        told += statuses(attempts(server, key, lambda number: f"wrong {number}"))
    bench.figure("wrong", tally(told))
    bench.claim(told.count(401) == 2, f"two wrong passwords are told, and the third locks ({tally(told)})")
    bench.claim(set(told) <= {401, 403, 503}, f"and every other is refused or turned away ({tally(told)})")
    after = server.call("POST", "/keyservice/v1/key", body={"keyid": key, "secret": "right"})
    bench.claim(after.status == 403, f"a locked key is gone ({after})")


def one_right(bench, server, key):
    # Early enough for a place in the line, more often than not.
    right = 1
    told = statuses(attempts(server, key, lambda number: "right" if number == right else f"wrong {number}"))
    wrong = told.count(401)
    bench.figure("one_right", told[right])
    bench.claim(told[right] in (200, 403, 503) and (2 <= wrong <= 4 if told[right] == 200 else wrong == 2),
                f"the right one of a crowd is judged before the third wrong one or not at all ({told[right]}, {tally(told)})")
