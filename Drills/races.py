"""Two instances in two processes are asked for the same thing at the same moment, a thousand times of each kind: it is
done once."""

import itertools
import json
import os
import threading
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Unpack

import browsers
import native
from apps import generation
from bench import Bench, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from postgres import NotInstalled, postgres, storage
from testbed import pkce
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Client, Content, JSONObject

ROUNDS = int(os.environ.get("DRILL_RACES_ROUNDS", "1000"))
LONGEST = 300 + 3 * ROUNDS
WORKERS = 4
CALLBACK = f"{browsers.ISSUER}/auth/zenkey/callback"
VERIFIER = "v" * 43
Request = tuple[str, str, Content]


class Pair:
    """A connection to each of two instances."""

    def __init__(self, servers: Sequence[Gatehouse]) -> None:
        self.clients = [Client(server.port) for server in servers]
        self.turn = itertools.count()

    def both(self, *requests: Request) -> list[Answer]:
        """The answers to requests that are both sent before either is read: one of each instance, the same of both
        where there is one. Who is first changes from time to time."""
        first = next(self.turn) % 2
        clients = self.clients[first:] + self.clients[:first]
        for client, (method, path, content) in zip(clients, requests * (2 // len(requests)), strict=True):
            client.send(method, path, **content)
        return [client.receive() for client in clients]

    def one(self, method: str, path: str, **content: Unpack[Content]) -> Answer:
        return self.clients[next(self.turn) % 2].call(method, path, **content)


class Races:
    """Each race is a method that asks both, and returns what is wrong with their answers, or None."""

    def __init__(self, carriers: Carriers) -> None:
        self.carriers, self.phones = carriers, native.Phones(carriers)
        self.numbers, self.merges = itertools.count(), itertools.count()

    def somebody(self) -> str:
        return f"racer{next(self.numbers)}"

    def sign_in(self, pair: Pair, subscriber: str) -> Answer:
        return pair.one("POST", "/auth/signin", body=self.carriers.authorize(subscriber))

    def code(self, pair: Pair) -> str | None:
        """A provider's code."""
        body = self.carriers.authorize(self.somebody())
        return once(pair.both(*others(body)))

    def copies(self, pair: Pair) -> str | None:
        """The same request with a code, which a phone has sent twice."""
        body = self.carriers.authorize(self.somebody())
        answers = pair.both(("POST", "/auth/signin", {"body": body}))
        if [answer.status for answer in answers] != [200, 200]:
            return tally(answers)
        return None if len({answer.json["refresh_token"] for answer in answers}) == 1 else "two sessions"

    def id_token(self, pair: Pair) -> str | None:
        """An ID token that an app has got on the phone."""
        with Client(self.phones.port) as client:
            body = self.phones.with_id_token(client)
        return once(pair.both(*others(body)))

    def challenge(self, pair: Pair) -> str | None:
        """A nonce of ours, in two codes of one person's."""
        nonce, somebody = pair.one("POST", "/auth/challenge", form={}).json["nonce"], self.somebody()
        bodies = [self.carriers.authorize(somebody, nonce=nonce) for _ in range(2)]
        return once(pair.both(*map(sign_in, bodies)))

    def newcomer(self, pair: Pair) -> str | None:
        """The first two sign-ins of somebody."""
        somebody = self.somebody()
        answers = pair.both(*(sign_in(self.carriers.authorize(somebody)) for _ in range(2)))
        return same_user(answers) or (
            None if [answer.json["new_user"] for answer in answers].count(True) == 1 else "not one of them is new")

    def moved(self, pair: Pair) -> str | None:
        """Two sign-ins of somebody who has changed carriers."""
        somebody = self.somebody()
        before = self.sign_in(pair, somebody)
        self.carriers.port(somebody, "borealis")
        bodies = [self.carriers.authorize(somebody, "borealis") for _ in range(2)]
        answers = pair.both(*map(sign_in, bodies))
        return same_user([before, *answers])

    def refresh(self, pair: Pair) -> str | None:
        """A refresh token has one successor, however many ask."""
        token = self.sign_in(pair, self.somebody()).json["refresh_token"]
        form = {"grant_type": "refresh_token", "refresh_token": token}
        answers = pair.both(("POST", "/auth/token", {"form": form}))
        if [answer.status for answer in answers] != [200, 200]:
            return tally(answers)
        generations = {generation(answer.json["refresh_token"]) for answer in answers}
        return None if generations == {generation(token) + 1} else "two successors"

    def browser(self, pair: Pair) -> str | None:
        """Where a carrier has sent a browser back to, and then the code of ours that the app redeems."""
        request = urllib.parse.urlencode({
            "client_id": "drill", "redirect_uri": browsers.APP, "response_type": "code", "state": "s",
            "scope": "openid offline_access",
            **pkce.parameters(VERIFIER), "provider": "zenkey", "mccmnc": "310410", "prompt": "none",
            "login_hint": self.somebody()})
        begun = pair.one("GET", f"/auth/authorize?{request}")
        cookie = {"Cookie": begun.headers["set-cookie"].split(";")[0]}
        target, _, port = browsers.local(begun.headers["location"])
        with Client(port) as client:
            approved = client.call("GET", target)
        back = browsers.local(approved.headers["location"])[0]
        answers = pair.both(("GET", back, {"headers": cookie}))
        targets = [browsers.local(answer.headers.get("location", ""))[1] for answer in answers]
        codes = [code for target in targets if (code := target.get("code"))]
        if len(codes) != 1:
            return f"{len(codes)} codes: {tally(answers)}"
        form = {"grant_type": "authorization_code", "code": codes[0], "redirect_uri": browsers.APP,
                "client_id": "drill", "code_verifier": VERIFIER}
        redeemed = pair.both(("POST", "/auth/token", {"form": form}))
        given = {answer.json["refresh_token"] for answer in redeemed if answer.status == 200}
        # The second is a copy while the first is answered, and somebody else's after that.
        is_once = len(given) == 1 and all(answer.status in (200, 400, 401) for answer in redeemed)
        return None if is_once else tally(redeemed)

    def link(self, pair: Pair) -> str | None:
        """One identity that two users would have."""
        tokens = [self.sign_in(pair, self.somebody()).json["token"] for _ in range(2)]
        somebody = self.somebody()
        more = {"provider": "plain", "iss": self.carriers.urls["plain"]}
        bodies = [{**self.carriers.authorize(somebody, "plain"), **more} for _ in range(2)]
        requests: list[Request] = [("POST", "/users/me/identities", {"body": body, "bearer": token})
                                   for body, token in zip(bodies, tokens, strict=True)]
        return once(pair.both(*requests), 201)

    def erased(self, pair: Pair) -> str | None:
        """A sign-in of somebody who leaves at that moment: they are gone, or somebody new; never half of either."""
        somebody = self.somebody()
        before = self.sign_in(pair, somebody)
        body = self.carriers.authorize(somebody)
        leaving, answer = pair.both(
            ("DELETE", "/users/me", {"bearer": before.json["token"]}), ("POST", "/auth/signin", {"body": body}))
        if leaving.status in (200, 204) and answer.status == 401:
            # It began before they left, and came behind: then it opens nothing.
            return None
        if leaving.status not in (200, 204) or answer.status != 200:
            return tally([leaving, answer])
        here = pair.one("GET", "/users/me", bearer=answer.json["token"]).status
        # An identity that came before the user left has left with the rest.
        came_first = answer.json["user"]["user_id"] == before.json["user"]["user_id"]
        return None if here == (401 if came_first else 200) else f"{here} afterwards"

    def merged(self, pair: Pair) -> str | None:
        """A merge beside a sign-in, a link, an erasure of either or the other merge: one account is left, or two
        whole ones."""
        names = [self.somebody() for _ in range(2)]
        before = [self.sign_in(pair, name).json for name in names]
        kept, absorbed = (one["token"] for one in before)
        more = {"provider": "plain", "iss": self.carriers.urls["plain"]}
        rivals: dict[str, Request] = {
            "sign-in": sign_in(self.authorized_after(pair, names[1])),
            "link": ("POST", "/users/me/identities",
                     {"body": {**self.carriers.authorize(self.somebody(), "plain"), **more}, "bearer": absorbed}),
            "absorbed erased": ("DELETE", "/users/me", {"bearer": absorbed}),
            "kept erased": ("DELETE", "/users/me", {"bearer": kept}),
            "other way": ("POST", "/users/me/merge", {"body": {"token": kept}, "bearer": absorbed}),
        }
        rival = list(rivals)[next(self.merges) % len(rivals)]
        merge, other = pair.both(
            ("POST", "/users/me/merge", {"body": {"token": absorbed}, "bearer": kept}), rivals[rival])
        return self.half(pair, names, before, rival, merge, other)

    def half(self, pair: Pair, names: Sequence[str], before: Sequence[JSONObject], rival: str, merge: Answer,
             other: Answer) -> str | None:
        """What is half of what a merge and its rival have left, or None."""
        statuses = f"{rival}: {merge.status} {other.status}"
        if merge.status not in (200, 400, 401) or other.status not in (200, 201, 204, 400, 401):
            return statuses
        users = [one["user"]["user_id"] for one in before]
        here = [pair.one("GET", "/users/me", bearer=one["token"]).status for one in before]
        again = [pair.one("POST", "/auth/signin", body=self.authorized_after(pair, name)) for name in names]
        if any(answer.status != 200 for answer in again):
            return f"{statuses}, then {tally(again)}"
        found = [answer.json["user"]["user_id"] for answer in again]
        if rival == "other way" and other.status == 200:
            expected = [[401, 200], [users[1]] * 2]
        elif merge.status == 200 and rival == "kept erased" and other.status in (200, 204):
            # Who left had become both.
            return None if here == [401, 401] and not set(found) & set(users) else f"{statuses}, {here}"
        elif merge.status == 200:
            expected = [[200, 401], [users[0]] * 2]
        else:
            gone = {"absorbed erased": 1, "kept erased": 0}.get(rival) if other.status in (200, 204) else None
            expected = [[401 if number == gone else 200 for number in range(2)],
                        [found[number] if number == gone else user for number, user in enumerate(users)]]
        fault = f"{statuses}, {here}, {found} of {users}"
        if [here, found] != expected or merge.status != 200 and rival in ("sign-in", "link"):
            return fault
        count = len(json.loads(pair.one("GET", "/users/me/identities", bearer=again[0].json["token"]).body))
        whole = 1 + (found[0] == found[1]) + (rival == "link" and other.status == 201 and found[0] == found[1])
        return None if count == whole else f"{fault}, {count} identities"

    def authorized_after(self, pair: Pair, name: str) -> dict[str, str]:
        """A sign-in that is seen to begin now, so that it lies behind every line that was drawn before."""
        nonce = pair.one("POST", "/auth/challenge", form={}).json["nonce"]
        return self.carriers.authorize(name, nonce=nonce)


def sign_in(body: dict[str, str]) -> Request:
    return "POST", "/auth/signin", {"body": body}


def others(body: dict[str, str]) -> list[Request]:
    """The same code in two requests that are not the same."""
    return [sign_in({**body, "correlation_id": name}) for name in ("one", "two")]


def once(answers: Sequence[Answer], status: int = 200) -> str | None:
    """What is wrong where not exactly one succeeds, and the other is refused."""
    statuses = [answer.status for answer in answers]
    others = [one for one in statuses if one != status]
    return None if len(others) == 1 and 400 <= others[0] < 500 else tally(answers)


def same_user(answers: Sequence[Answer]) -> str | None:
    if any(answer.status != 200 for answer in answers):
        return tally(answers)
    users = {answer.json["user"]["user_id"] for answer in answers}
    return None if len(users) == 1 else "two users"


Race = Callable[[Races, Pair], str | None]
RACES: tuple[Race, ...] = (
    Races.code, Races.copies, Races.id_token, Races.challenge, Races.newcomer, Races.moved, Races.refresh,
    Races.browser, Races.link, Races.erased, Races.merged)


def run(bench: Bench) -> None:
    try:
        with postgres(bench) as database, bench.carriers(redirect_uris=[CALLBACK]) as carriers:
            settings = {**browsers.SETTINGS, **native.settings(carriers), **storage(bench, database),
                        "GATEHOUSE_LOG_LEVEL": "notice", "GATEHOUSE_APP_DRILL_SCOPES": "openid,offline_access",
                        "GATEHOUSE_RATE_LIMIT_CHALLENGES_PER_MINUTE_PER_ADDRESS": "0", "GATEHOUSE_INSTANCES": "2"}
            with bench.server(carriers, "one", settings=settings) as one, \
                    bench.server(carriers, "two", settings=settings) as two:
                races = Races(carriers)
                for race in RACES:
                    hold(bench, race, races, [one, two])
    except NotInstalled as error:
        bench.skip(str(error))


def hold(bench: Bench, race: Race, races: Races, servers: Sequence[Gatehouse]) -> None:
    """Runs one race so many times, and claims that nothing is ever wrong."""
    lock, left = threading.Lock(), [ROUNDS]
    wrong: list[str] = []

    def work() -> None:
        pair = Pair(servers)
        while True:
            with lock:
                if not left[0]:
                    return
                left[0] -= 1
            try:
                fault = race(races, pair)
            except (*LOST, KeyError, RuntimeError) as error:
                fault = f"{type(error).__name__} {error}"
                pair = Pair(servers)
            if fault:
                with lock:
                    wrong.append(fault)

    threads = [threading.Thread(target=work) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    name = race.__name__
    bench.figure(name, ROUNDS)
    bench.note(f"{name}: {ROUNDS} rounds")
    bench.state(is_never_wrong(name, race.__doc__ or "", wrong))


def is_never_wrong(name: str, what: str, wrong: Sequence[str]) -> Claim:
    return Claim(not wrong, f"{name}: {' '.join(what.split()).rstrip('.')} ({tally(wrong)})")


def self_test() -> None:
    def of(*faults: str | None) -> list[Claim]:
        return [is_never_wrong("race", "It is done once.", [fault for fault in faults if fault])]

    one, two = (answer(200, user={"user_id": number}) for number in (1, 2))
    refused, away = answer(401), answer(503)
    shows(of(once([one, refused]), once([refused, answer(201)], 201), same_user([one, one])),
          ("200×2", of(once([one, two]))), ("401×2", of(once([refused, refused]))), ("503×1", of(once([one, away]))),
          ("two users", of(same_user([one, two]))), ("401×1", of(same_user([one, refused]))))
