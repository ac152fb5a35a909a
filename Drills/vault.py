"""Killed at random instants of refreshes, the server loses no token that it handed out, and shows none to a provider twice."""

import base64
import os
import random
import threading
import time

from bench import tally
from wire import LOST, Client

# Many more by hand: GATEHOUSE_VAULT_ROUNDS=200 scripts/drill vault
ROUNDS = int(os.environ.get("GATEHOUSE_VAULT_ROUNDS", "12"))
LONGEST = 120 + 10 * ROUNDS
USERS = 6
# For each user: they join one refresh.
CALLERS = 3
LONGEST_ROUND = 0.25
SERVICE = ("service", "secret-of-the-service")
SETTINGS = {
    "SESSION_ACCESS_TOKEN_SECONDS": "86400", "PROVIDER_PLAIN_KEEP_TOKENS": "true", "APPS": "service",
    "APP_SERVICE_CLIENT_ID": SERVICE[0], "APP_SERVICE_SECRET": SERVICE[1],
    "APP_SERVICE_REDIRECT_URIS": "https://service.example/cb", "APP_SERVICE_PROVIDER_TOKENS": "plain"}
BASIC = "Basic " + base64.b64encode(":".join(SERVICE).encode()).decode()


class User:
    """Somebody whose provider's token is due for a refresh whenever it is asked for."""

    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        # What the server had to answer yet when it was killed: then nobody knows whether the provider has rotated.
        self.under_way = 0
        self.last = None

    def sign_in(self, server):
        body = server.carriers.authorize(self.name, issuer="plain", scope="offline_access")
        answer = server.call("POST", "/auth/signin", body=body)
        self.token = answer.json["token"]
        with Client(server.port) as client:
            listed = client.call("GET", "/users/me/identities", bearer=self.token).body
        self.identity = listed.split(b'"identity_id":')[1].split(b",")[0].decode()
        self.under_way = 0
        self.last = 200

    def ask(self, client):
        with self.lock:
            self.under_way += 1
        answer = client.call(
            "GET", f"/users/me/identities/{self.identity}/access-token", bearer=self.token,
            headers={"Client-Authorization": BASIC})
        with self.lock:
            self.under_way -= 1
            self.last = answer.status
        return answer.status


def use(user, port, stopped, statuses):
    try:
        with Client(port) as client:
            while not stopped.is_set():
                statuses.append(user.ask(client))
    except LOST:
        return


def run(bench):
    with bench.carriers() as carriers:
        # Each token is good for half a minute, so that it is never good for long enough.
        carriers.misbehave("token_expires_in_30_valid", endpoint="token", issuer="plain")
        users = [User(f"vault{number}") for number in range(USERS)]
        statuses, ended, refreshes = [], 0, 0
        for number in range(ROUNDS):
            server = bench.start(carriers, settings=SETTINGS)
            try:
                ended += resume(bench, users, server, number)
                before = carriers.presented()[1]
                kill_under_load(users, server, statuses)
            finally:
                if server.is_running:
                    server.kill()
            shown = carriers.presented(before)[0]
            refreshes += len(shown)
            bench.claim(len(set(shown)) == len(shown), f"round {number}: no token was shown twice in one life")
        bench.figure("rounds", ROUNDS)
        bench.figure("refreshes", refreshes)
        bench.figure("answers", tally(statuses))
        bench.figure("ended_honestly", ended)
        with bench.server(carriers, settings=SETTINGS) as server:
            resume(bench, users, server, "the last")


def resume(bench, users, server, number):
    """Asks for everybody's token after a start; how many have to sign in again since nobody knew what came of a refresh."""
    ended = 0
    for user in users:
        if user.last is None:
            user.sign_in(server)
            continue
        was_under_way = user.under_way
        user.under_way = 0
        with Client(server.port) as client:
            status = user.ask(client)
        if status == 409 and was_under_way:
            ended += 1
            user.sign_in(server)
        else:
            bench.claim(status == 200, f"round {number}: what was acknowledged is good ({status}, {was_under_way} cut off)")
    return ended


def kill_under_load(users, server, statuses):
    stopped = threading.Event()
    callers = [threading.Thread(target=use, args=(user, server.port, stopped, statuses))
               for user in users for _ in range(CALLERS)]
    for caller in callers:
        caller.start()
    time.sleep(random.uniform(0, LONGEST_ROUND))
    server.kill()
    stopped.set()
    for caller in callers:
        caller.join()
