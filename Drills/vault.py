"""Killed at random instants of refreshes, the server loses no token that it handed out, and shows none to a provider
twice."""

import base64
import os
import random
import threading
import time
import urllib.parse
from collections.abc import Sequence

import browsers
from bench import Bench, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed import pkce
from testbed.client import LOST, Client

# Many more by hand: DRILL_VAULT_ROUNDS=200 scripts/drill vault
ROUNDS = int(os.environ.get("DRILL_VAULT_ROUNDS", "12"))
LONGEST = 120 + 10 * ROUNDS
USERS = 6
# For each user: they join one refresh.
CALLERS = 3
LONGEST_ROUND = 0.25
SERVICE = ("service", "secret-of-the-service")
SETTINGS = {
    "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_PROVIDER_PLAIN_KEEP_TOKENS": "true",
    "GATEHOUSE_APPS": "service", "GATEHOUSE_APP_SERVICE_CLIENT_ID": SERVICE[0],
    "GATEHOUSE_APP_SERVICE_SECRET": SERVICE[1], "GATEHOUSE_APP_SERVICE_REDIRECT_URIS": browsers.APP,
    "GATEHOUSE_APP_SERVICE_PROVIDER_TOKENS": "plain", "GATEHOUSE_APP_SERVICE_SCOPES": "openid,account.read,tokens",
    "GATEHOUSE_PROVIDER_PLAIN_SCOPES": "openid,offline_access"}
CALLBACK = f"{browsers.ISSUER}/auth/plain/callback"
BASIC = "Basic " + base64.b64encode(":".join(SERVICE).encode()).decode()


class User:
    """Somebody whose provider's token is due for a refresh whenever it is asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.Lock()
        # What the server had to answer yet when it was killed: then nobody knows whether the provider has rotated.
        self.under_way = 0
        self.last: int | None = None

    def sign_in(self, server: Gatehouse) -> None:
        self.token = by_browser(server, self.name)
        with Client(server.port) as client:
            listed = client.call("GET", "/users/me/identities", bearer=self.token).body
        self.identity = listed.split(b'"identity_id":')[1].split(b",")[0].decode()
        self.under_way = 0
        self.last = 200

    def ask(self, client: Client) -> int:
        with self.lock:
            self.under_way += 1
        answer = client.call(
            "GET", f"/users/me/identities/{self.identity}/access-token", bearer=self.token,
            headers={"Client-Authorization": BASIC})
        with self.lock:
            self.under_way -= 1
            self.last = answer.status
        return answer.status


def by_browser(server: Gatehouse, subscriber: str) -> str:
    """The access token that the service gets for a user who has signed in through the browser: only its own sessions
    bring it a provider's tokens."""
    verifier = pkce.new_verifier()
    request = urllib.parse.urlencode({
        "client_id": SERVICE[0], "redirect_uri": browsers.APP, "response_type": "code", "state": "s",
        "scope": "openid account.read tokens", **pkce.parameters(verifier),
        "provider": "plain", "prompt": "none", "login_hint": subscriber})
    begun = server.call("GET", f"/auth/authorize?{request}")
    cookie = {"Cookie": begun.headers["set-cookie"].split(";")[0]}
    target, _, port = browsers.local(begun.headers["location"])
    with Client(port) as client:
        approved = client.call("GET", target)
    back = server.call("GET", browsers.local(approved.headers["location"])[0], headers=cookie)
    code = browsers.local(back.headers["location"])[1]["code"]
    return str(server.call("POST", "/auth/token", headers={"Authorization": BASIC}, form={
        "grant_type": "authorization_code", "code": code, "redirect_uri": browsers.APP,
        "code_verifier": verifier}).json["access_token"])


def use(user: User, port: int, stopped: threading.Event, statuses: list[int]) -> None:
    try:
        with Client(port) as client:
            while not stopped.is_set():
                statuses.append(user.ask(client))
    except LOST:
        return


def run(bench: Bench) -> None:
    with bench.carriers(redirect_uris=[CALLBACK]) as carriers:
        # Each token is good for half a minute, so that it is never good for long enough.
        carriers.misbehave("token_expires_in_30_valid", endpoint="token", issuer="plain")
        users = [User(f"vault{number}") for number in range(USERS)]
        statuses: list[int] = []
        ended, refreshes = 0, 0
        for number in range(ROUNDS):
            server = bench.start(carriers, settings=SETTINGS)
            try:
                ended += resume(bench, users, server, str(number))
                before = carriers.presented()[1]
                kill_under_load(users, server, statuses)
            finally:
                if server.is_running:
                    server.kill()
            shown = carriers.presented(before)[0]
            refreshes += len(shown)
            bench.state(is_shown_once(number, shown))
        bench.figure("rounds", ROUNDS)
        bench.figure("refreshes", refreshes)
        bench.figure("answers", tally(statuses))
        bench.figure("ended_honestly", ended)
        with bench.server(carriers, settings=SETTINGS) as server:
            resume(bench, users, server, "the last")


def resume(bench: Bench, users: Sequence[User], server: Gatehouse, number: str) -> int:
    """Asks for everybody's token after a start; how many have to sign in again since nobody knew what came of a
    refresh."""
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
            bench.state(is_good(number, status, was_under_way))
    return ended


def kill_under_load(users: Sequence[User], server: Gatehouse, statuses: list[int]) -> None:
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


def is_shown_once(number: int, shown: Sequence[str]) -> Claim:
    return Claim(len(set(shown)) == len(shown), f"round {number}: no token was shown twice in one life")


def is_good(number: str, status: int, cut_off: int) -> Claim:
    return Claim(status == 200, f"round {number}: what was acknowledged is good ({status}, {cut_off} cut off)")


def self_test() -> None:
    shows([is_shown_once(1, ["a", "b"])], ("shown twice", [is_shown_once(1, ["a", "b", "a"])]))
    shows([is_good("1", 200, 1)], ("is good (409, 0 cut off)", [is_good("1", 409, 0)]))
