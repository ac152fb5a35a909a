"""Phones whose answers are cut off anywhere send the same again, and nobody is locked out, doubled, or counted
twice."""

import collections
import json
import os
import random
import secrets
import threading
import time
import urllib.parse
from collections.abc import Collection, Mapping, Sequence

import browsers
from bench import Bench, crowd, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from lifetimes import FileStore, SharedStore, Store
from native import APP as AUTH0_APP
from native import nonce_of
from native import settings as auth0_settings
from postgres import NotInstalled, postgres, storage
from testbed import jose, pkce
from testbed.carriers import Carriers
from testbed.client import FORM, JSON, LOST, Answer, Client, JSONObject
from testbed.jose import claims
from wire import connect, reset

OPERATIONS = int(os.environ.get("DRILL_LOST_ANSWERS", "10000"))
LONGEST = 120 + OPERATIONS // 10
PHONES = 12
# A phone that has lost an answer connects anew and repeats its request; some lose the next answer too.
LOSES, MOST_LOSSES, LEAST_PAUSE, LONGEST_PAUSE = 0.7, 3, 0.05, 0.3
CALLBACKS = [f"{browsers.ISSUER}/auth/{name}/callback" for name in ("zenkey", "plain")]
SCOPE = "openid email offline_access account.read account.sessions"


def settings(carriers: Carriers) -> dict[str, str]:
    return {
        **auth0_settings(carriers), "GATEHOUSE_APPS": "drill", "GATEHOUSE_APP_DRILL_CLIENT_ID": "drill",
        "GATEHOUSE_APP_DRILL_REDIRECT_URIS": browsers.APP, "GATEHOUSE_APP_DRILL_SCOPES": SCOPE.replace(" ", ","),
        "GATEHOUSE_PROVIDER_PLAIN_TOKEN_EXCHANGE": "introspection", "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400",
        "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "0", "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "0",
        "GATEHOUSE_SESSION_MAXIMUM_EXCHANGED_PER_USER": "0",
        "GATEHOUSE_RATE_LIMIT_AUTHORIZATIONS_PER_MINUTE_PER_ADDRESS": "0",
        "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0",
        "GATEHOUSE_RATE_LIMIT_EXCHANGES_PER_HOUR_PER_USER": "0",
        "GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": "0",
        "GATEHOUSE_PROVIDER_ZENKEY_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0"}


class Network:
    """The way from phones to servers, which loses answers at any byte."""

    def __init__(self, servers: Sequence[Gatehouse]) -> None:
        self.servers = servers
        self.lock = threading.Lock()
        self.lost = 0

    def port(self) -> int:
        return random.choice(self.servers).port

    def ask(self, method: str, path: str, body: object = None, form: Mapping[str, str] | None = None,
            bearer: str | None = None) -> tuple[Answer, int]:
        """The answer that arrives in the end, and how many were lost before it."""
        losses = 0 if random.random() > LOSES else random.randint(1, MOST_LOSSES)
        content = urllib.parse.urlencode(form) if form is not None else None if body is None else json.dumps(body)
        for _ in range(losses):
            self.lose(self.message(method, path, content, JSON if form is None else FORM, bearer))
            time.sleep(random.uniform(LEAST_PAUSE, LONGEST_PAUSE))
        with Client(self.port()) as client:
            return client.call(method, path, body=body, form=form, bearer=bearer), losses

    @staticmethod
    def message(method: str, path: str, content: str | None, kind: str, bearer: str | None) -> bytes:
        head = [f"{method} {path} HTTP/1.1", "Host: drill", "Connection: close"]
        if content is not None:
            head += [f"Content-Type: {kind}", f"Content-Length: {len(content.encode())}"]
        if bearer:
            head.append(f"Authorization: Bearer {bearer}")
        return ("\r\n".join(head) + "\r\n\r\n" + (content or "")).encode()

    def lose(self, message: bytes) -> None:
        """Sends a request and breaks the connection after some bytes of the answer, or before there is any."""
        connection = connect(self.port(), receive_buffer=random.choice([None, 1024]))
        try:
            connection.sendall(message)
            left = random.choice([0, 0, 1, 40, random.randint(1, 3000)])
            if left == 0:
                time.sleep(random.uniform(0, 0.02))
            while left > 0 and (chunk := connection.recv(left)):
                left -= len(chunk)
        except LOST:
            pass
        finally:
            reset(connection)
        with self.lock:
            self.lost += 1


class Book:
    """What there must be in the end, by what phones were told."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        # The user of each subscriber; the sessions of each user that are open; what was done how often.
        self.users: dict[str, str] = {}
        self.sessions: dict[str, set[str]] = collections.defaultdict(set)
        self.counts: collections.Counter[str] = collections.Counter()
        self.wrong: list[str] = []

    def blame(self, sentence: str) -> None:
        with self.lock:
            self.wrong.append(sentence)

    def signed_in(self, subscriber: str, token: str, is_new: bool | None = None) -> None:
        told = claims(token)
        with self.lock:
            known = self.users.setdefault(subscriber, told["sub"])
            if known != told["sub"]:
                self.wrong.append("a second account")
            if is_new is not None and is_new != (not self.sessions[told["sub"]]):
                self.wrong.append("new and known are mixed up")
            self.sessions[told["sub"]].add(told["sid"])


class Phone:
    """One user after the other, each with all that an app does."""

    def __init__(self, number: str, carriers: Carriers, network: Network, book: Book) -> None:
        self.name, self.carriers, self.network, self.book = f"phone{number}", carriers, network, book
        self.people = 0
        self.renew()

    def renew(self) -> None:
        """The next user of this phone."""
        self.subscriber, self.people = f"{self.name}n{self.people}", self.people + 1
        self.tokens: JSONObject | None = None
        self.network_token: str | None = None

    @property
    def held(self) -> JSONObject:
        """The tokens of somebody who has signed in."""
        if self.tokens is None:
            raise RuntimeError(f"{self.subscriber} has not signed in")
        return self.tokens

    def work(self, count: int) -> None:
        for _ in range(count):
            if self.tokens is None:
                self.sign_in()
                continue
            random.choices(
                [self.sign_in, self.refresh, self.by_browser, self.native, self.exchange, self.approve, self.link,
                 self.sign_out, self.look], [3, 6, 2, 2, 2, 2, 1, 1, 2])[0]()

    def done(self, what: str, answer: Answer, losses: int, expected: Collection[int] = (200,)) -> bool:
        """Whether it went well."""
        with self.book.lock:
            self.book.counts[what] += 1
            self.book.counts["repeated"] += losses > 0
        if answer.status not in expected:
            self.book.blame(f"{what}:{answer} after {losses}")
        return answer.status in expected

    def sign_in(self) -> None:
        issuer = "aurora" if self.tokens is None else random.choice(["aurora", "aurora", "plain"])
        body = self.carriers.authorize(self.subscriber, issuer)
        if issuer == "plain":
            # An app that shares its address with another section names the issuer.
            body["iss"] = self.carriers.urls["plain"]
        answer, losses = self.network.ask("POST", "/auth/signin", body=body)
        if self.done(f"sign-in {issuer}", answer, losses):
            self.opened(answer, issuer)

    def opened(self, answer: Answer, issuer: str) -> None:
        who = self.subscriber if issuer == "aurora" else f"{self.subscriber}@{issuer}"
        is_new = answer.json.get("new_user") if issuer == "aurora" and self.tokens is None else None
        self.book.signed_in(who, answer.json["access_token"], is_new)
        if issuer == "aurora":
            self.tokens = answer.json

    def refresh(self) -> None:
        form = {"grant_type": "refresh_token", "refresh_token": self.held["refresh_token"]}
        answer, losses = self.network.ask("POST", "/auth/token", form=form)
        if self.done("refresh", answer, losses):
            if claims(answer.json["refresh_token"])["gen"] != claims(self.held["refresh_token"])["gen"] + 1:
                self.book.blame("a refresh skips a generation")
            self.tokens = answer.json

    def by_browser(self) -> None:
        verifier = pkce.new_verifier()
        request = {
            "client_id": "drill", "redirect_uri": browsers.APP, "response_type": "code", "state": "s", "scope": SCOPE,
            **pkce.parameters(verifier), "provider": "zenkey",
            "mccmnc": "310410", "prompt": "none", "login_hint": self.subscriber}
        with Client(self.network.port()) as client:
            begun = client.call("GET", "/auth/authorize?" + urllib.parse.urlencode(request))
        target, _, port = browsers.local(begun.headers["location"])
        with Client(port) as carrier:
            target, _, _ = browsers.local(carrier.call("GET", target).headers["location"])
        with Client(self.network.port()) as client:
            cookie = begun.headers["set-cookie"].split(";")[0]
            back = client.call("GET", target, headers={"Cookie": cookie})
        code = browsers.local(back.headers.get("location", ""))[1].get("code", "")
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": browsers.APP, "client_id": "drill",
                "code_verifier": verifier}
        answer, losses = self.network.ask("POST", "/auth/token", form=form)
        if self.done("redeem", answer, losses):
            self.book.signed_in(self.subscriber, answer.json["access_token"])

    def native(self) -> None:
        drawn = secrets.token_urlsafe(24)
        parts = urllib.parse.urlsplit(self.carriers.urls["auth0"])
        with Client(self.carriers.ports["auth0"]) as client:
            given = client.call("POST", f"{parts.path}/native", body={
                "client_id": AUTH0_APP, "login_hint": self.subscriber, "nonce": nonce_of(drawn)})
        body = {"provider": "auth0", "id_token": given.json["id_token"], "nonce": drawn}
        answer, losses = self.network.ask("POST", "/auth/signin", body=body)
        if self.done("native", answer, losses):
            self.opened(answer, "auth0")

    def exchange(self) -> None:
        if self.network_token is None:
            self.network_token = self.carriers.access_token(self.subscriber)
        form = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "provider": "plain",
                "subject_token": self.network_token, "correlation_id": secrets.token_hex(8),
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token"}
        answer, losses = self.network.ask("POST", "/auth/token", form=form)
        if self.done("exchange", answer, losses):
            self.opened(answer, "plain")

    def approve(self) -> None:
        context, nonce = f"Pay {secrets.token_hex(4)}", secrets.token_urlsafe(16)
        body = self.carriers.authorize(self.subscriber, nonce=nonce, further={"context": context, "acr_values": "a3"})
        body.update(context=context, acr_values="a3")
        answer, losses = self.network.ask("POST", "/auth/transaction", body=body, bearer=self.held["access_token"])
        self.done("transaction", answer, losses)

    def link(self) -> None:
        """One more identity, at another carrier; it was the user's own already where this was done before."""
        body = self.carriers.authorize(f"{self.subscriber}b", "borealis")
        answer, losses = self.network.ask(
            "POST", "/users/me/identities", body=body, bearer=self.held["access_token"])
        if self.done("link", answer, losses, (200, 201)):
            self.book.counts["linked"] += answer.status == 201

    def look(self) -> None:
        answer, losses = self.network.ask("GET", "/users/me", bearer=self.held["access_token"])
        self.done("look", answer, losses)

    def sign_out(self) -> None:
        """What was lost may have been done: then the token is nobody's, which is what was wanted."""
        token = self.held["access_token"]
        answer, losses = self.network.ask("DELETE", "/auth/token", bearer=token)
        self.done("sign-out", answer, losses, (200, 401) if losses else (200,))
        with self.book.lock:
            self.book.sessions[claims(token)["sub"]].discard(claims(token)["sid"])
        self.renew()


class Registrant(Phone):
    """A phone of a service whose users register with a ticket."""

    def work(self, count: int) -> None:
        for _ in range(count // 2):
            self.renew()
            body = self.carriers.authorize(self.subscriber)
            answer, losses = self.network.ask("POST", "/auth/signin", body=body)
            if not self.done("ticket", answer, losses, (403,)):
                continue
            registration = {"client_id": body["client_id"], "link_ticket": answer.json["link_ticket"], "name": "Ann"}
            answer, losses = self.network.ask("POST", "/users", body=registration)
            if self.done("registration", answer, losses, (201,)):
                self.book.signed_in(self.subscriber, answer.json["access_token"])


def run(bench: Bench) -> None:
    with bench.carriers(redirect_uris=CALLBACKS) as carriers:
        common = settings(carriers)
        ways: list[tuple[str, type[Phone], int, dict[str, str]]] = [
            ("file", Phone, OPERATIONS, {}),
            ("tickets", Registrant, OPERATIONS // 5, {"GATEHOUSE_REGISTRATION": "ticket"})]
        for name, kind, count, more in ways:
            with bench.server(carriers, name, settings={**common, **more}) as server:
                book = lose(bench, name, carriers, [server], kind, count)
            compare(bench, name, book, FileStore(server.database))
        try:
            with postgres(bench) as database:
                shared = {**common, **storage(bench, database), "GATEHOUSE_INSTANCES": "2"}
                with bench.server(carriers, "one", settings=shared) as one, \
                        bench.server(carriers, "two", settings=shared) as two:
                    book = lose(bench, "two", carriers, [one, two], Phone, OPERATIONS)
                compare(bench, "two", book, SharedStore(database))
        except NotInstalled as error:
            bench.skip(str(error))


def lose(bench: Bench, name: str, carriers: Carriers, servers: Sequence[Gatehouse], kind: type[Phone],
         count: int) -> Book:
    network, book = Network(servers), Book()
    phones = [kind(f"{name}{number}", carriers, network, book) for number in range(PHONES)]
    began = time.monotonic()
    crowd(PHONES, lambda number: phones[number].work(count // PHONES), threads=PHONES)
    bench.figure(f"{name}_s", time.monotonic() - began)
    bench.figure(f"{name}_operations", sum(book.counts.values()) - book.counts["repeated"] - book.counts["linked"])
    bench.figure(f"{name}_lost", network.lost)
    bench.note(f"{name}: " + "  ".join(f"{what} {times}" for what, times in sorted(book.counts.items())))
    bench.state(are_right(name, book.wrong))
    look_around(bench, name, servers, phones, book)
    return book


def are_right(name: str, wrong: Sequence[str]) -> Claim:
    return Claim(not wrong, f"{name}: every answer that arrives is the right one ({tally(wrong)})")


def look_around(bench: Bench, name: str, servers: Sequence[Gatehouse], phones: Sequence[Phone], book: Book) -> None:
    """Compares what there is with what phones were told."""
    locked, second = 0, 0
    for phone in phones:
        if phone.tokens is None:
            continue
        with Client(servers[-1].port) as client:
            listed = client.call("GET", "/users/me/sessions", bearer=phone.tokens["access_token"])
            if listed.status != 200:
                locked += 1
                continue
            there = {session["session_id"] for session in json.loads(listed.body)}
            second += there != book.sessions[claims(phone.tokens["access_token"])["sub"]]
    bench.state(*is_as_told(name, locked, second))


def is_as_told(name: str, locked: int, second: int) -> list[Claim]:
    """What must be true of how many users can't look, and of how many have other sessions than those they know."""
    return [Claim(locked == 0, f"{name}: nobody is locked out ({locked} are)"),
            Claim(second == 0, f"{name}: no user has a session that no phone knows, or lacks one ({second} do)")]


def compare(bench: Bench, name: str, book: Book, store: Store) -> None:
    """Compares what the audit trail counts with what was done, with no server running."""
    expected = {"user_created": len(book.users), "identity_linked": book.counts["linked"],
                "refresh_token_reused": 0, "app_code_reused": 0}
    for kind, count in expected.items():
        found = store.events(kind)
        bench.state(is_counted(name, kind, found, count))


def is_counted(name: str, kind: str, found: int, count: int) -> Claim:
    return Claim(found == count, f"{name}: {kind} {found} times, and not {count}")


def self_test() -> None:
    shows([are_right("file", [])], ("look:401×1", [are_right("file", ["look:401"])]))
    shows(is_as_told("file", 0, 0),
          ("locked out (1 are)", is_as_told("file", 1, 0)), ("lacks one (1 do)", is_as_told("file", 0, 1)))
    shows([is_counted("file", "user_created", 2, 2)],
          ("3 times, and not 2", [is_counted("file", "user_created", 3, 2)]))
    book = Book()
    one, two = (f"h.{jose.encoded(json.dumps({'sub': user, 'sid': 'a'}).encode())}.s" for user in ("1", "2"))
    book.signed_in("ann", one, is_new=True)
    good = are_right("file", list(book.wrong))
    book.signed_in("ann", two)
    book.signed_in("bob", one, is_new=True)
    shows([good], ("a second account×1 new and known are mixed up×1", [are_right("file", book.wrong)]))
