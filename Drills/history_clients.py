"""A client that does all that an app does, some of it with users and sessions of others, each operation in the log."""

import random
import threading
import time
from collections.abc import Callable
from typing import Unpack

from history_log import OK, REFUSED, UNKNOWN, Facts, Operation
from history_world import TIMEOUT, Request, Session, Subject, World, digest, read_refreshed, read_tokens
from testbed.carriers import PLAIN_CLIENT, ZENKEY_CLIENT
from testbed.client import LOST, Client, Content, JSONObject

# How much is done with what all share, and how many of those who sign in are new.
SHARED, NEWCOMERS = 0.25, 0.35
# How many sessions a client keeps in use. How old a refresh token's successor is at most when the token is shown
# again, in seconds: far from the minute beyond which repeats are late, and bounded.
KEPT, LONGEST_REPEAT = 12, 20


# A sign-in or a registration: its kind, the request, whose it is, and what it asks for.
Opening = tuple[str, Request, Subject, Facts]


class Person:
    """One client. It does one thing at a time."""

    def __init__(self, name: str, world: World) -> None:
        self.name, self.world, self.log = name, world, world.log
        # Its sessions in use, some that should be over, the subjects it knows, and requests that it may send again.
        self.sessions: list[Session] = []
        self.ended: list[Session] = []
        self.subjects: list[Subject] = []
        self.sent: list[Opening] = []
        self.count = 0
        self.actions: list[tuple[Callable[[], None], int]] = [
            (self.look, 34), (self.look_at_ended, 6), (self.refresh, 20), (self.sign_in, 16), (self.show_parent, 5),
            (self.show_spent, 1), (self.sign_out, 5), (self.end_all, 2), (self.erase, 2), (self.link, 4),
            (self.merge, 3), (self.send_again, 2), (self.sign_in_late, 2)]

    def work(self, over: threading.Event) -> None:
        actions, weights = zip(*self.actions, strict=True)
        while not over.is_set():
            random.choices(actions, weights)[0]()

    def session(self) -> Session | None:
        """One of its own or of those that all share, or None."""
        shared = self.world.shared
        with self.world.lock:
            if shared and (random.random() < SHARED or not self.sessions):
                return random.choice(shared)
        return random.choice(self.sessions) if self.sessions else None

    def over(self, session: Session) -> None:
        """Uses a session no more, but to see that it is over."""
        with self.world.lock:
            if session in self.world.shared:
                self.world.shared.remove(session)
        if session in self.sessions:
            self.sessions.remove(session)
        self.ended = [*self.ended[-9:], session]

    def of_session(self, kind: str, method: str, path: str, session: Session,
                   read: Callable[[JSONObject], Facts] | None = None, more: Facts | None = None,
                   **content: Unpack[Content]) -> Operation:
        content["bearer"] = session.token
        operation, _ = self.world.ask(
            self.name, kind, (method, path, content),
            {"session": session.id, "user": session.user, **(more or {})}, read)
        if operation.outcome == REFUSED and operation.told["error"] == "invalid_token" and kind != "merge":
            self.over(session)
        return operation

    def look(self) -> None:
        if session := self.session():
            self.look_at(session)

    def look_at(self, session: Session) -> None:
        self.of_session("look", "GET", "/users/me", session, lambda told: {"user": told.get("user_id")})

    def look_at_ended(self) -> None:
        if self.ended:
            self.look_at(random.choice(self.ended))

    # Signing in

    def somebody(self) -> Subject:
        """Who signs in: issuer and subscriber."""
        if random.random() < SHARED:
            return random.choice(self.world.common)
        if self.subjects and random.random() > NEWCOMERS:
            return random.choice(self.subjects)
        self.count += 1
        return "aurora", f"{self.world.name}-{self.name}n{self.count}"

    def authorized(self, issuer: str, subscriber: str) -> tuple[dict[str, str], float] | None:
        """What an app posts, and when its sign-in was seen to begin; None where the service gave no challenge."""
        try:
            with Client(self.world.service.port(), timeout=TIMEOUT) as connection:
                answer = connection.call("POST", "/auth/challenge", body={})
        except LOST:
            return None
        begun = self.log.now()
        if answer.status != 200:
            return None
        body = self.world.carriers.authorize(subscriber, issuer, nonce=answer.json["nonce"])
        return ({**body, "iss": self.world.carriers.urls["plain"]} if issuer == "plain" else body), begun

    def sign_in(self) -> None:
        self.sign_in_as(self.somebody())

    def sign_in_as(self, subject: Subject, between: Callable[[], None] | None = None) -> None:
        """`between` is done when the sign-in has begun, and before it is posted."""
        if found := self.authorized(*subject):
            body, begun = found
            opening: Opening = ("sign-in", ("POST", "/auth/signin", {"body": body}), subject,
                                {"subject": "/".join(subject), "code": digest(body["code"]), "begun": begun})
            if between:
                between()
            self.open(*opening)

    def sign_in_late(self) -> None:
        """A sign-in that has begun when its user ends all sessions, is erased, or becomes part of another."""
        session, other = self.session(), self.session()
        if session:
            self.sign_in_as(session.subject, random.choice([
                lambda: self.end("end-all", "DELETE", "/users/me/sessions", session),
                lambda: self.end("erase", "DELETE", "/users/me", session), lambda: self.merge(other, session)]))

    def open(self, kind: str, request: Request, subject: Subject, asked: Facts) -> None:
        """Opens a session, and sends the same again where no answer comes; phones do."""
        for _ in range(2):
            operation, told = self.world.ask(self.name, kind, request, asked, read_tokens)
            if operation.outcome != UNKNOWN:
                break
        self.sent = [*self.sent[-4:], (kind, request, subject, asked)]
        if operation.outcome == OK and told is not None:
            self.opened(operation.told, told, subject)
        elif told and told.get("link_ticket"):
            client = PLAIN_CLIENT if subject[0] == "plain" else ZENKEY_CLIENT
            body = {"client_id": client, "link_ticket": told["link_ticket"], "name": "Ann"}
            self.open("register", ("POST", "/users", {"body": body}), subject,
                      {"subject": "/".join(subject), "code": digest(told["link_ticket"])})

    def send_again(self) -> None:
        if self.sent:
            self.open(*random.choice(self.sent))

    def opened(self, told: Facts, tokens: JSONObject, subject: Subject) -> None:
        session = self.world.opened(told, tokens, subject)
        if subject in self.world.common and random.random() < 0.5:
            with self.world.lock:
                self.world.shared.append(session)
                del self.world.shared[:-KEPT]
        elif session not in self.sessions:
            self.sessions = [*self.sessions[-(KEPT - 1):], session]
        if subject not in self.world.common and subject not in self.subjects:
            self.subjects.append(subject)

    # Refresh tokens

    def refresh(self) -> None:
        if (session := self.session()) and not self.show(session, session.generation):
            self.show(session, session.generation)

    def show_parent(self) -> None:
        """As if the answer to the last refresh had been lost."""
        session = self.session()
        if session is None or session.generation - 1 not in session.refresh:
            return
        if time.monotonic() - session.renewed < LONGEST_REPEAT:
            self.show(session, session.generation - 1)

    def show_spent(self) -> None:
        """A refresh token that has been replaced twice: its session is over."""
        if (session := self.session()) and session.generation - 2 in session.refresh:
            self.show(session, session.generation - 2)
            self.over(session)

    def show(self, session: Session, generation: int) -> bool:
        """Whether an answer came."""
        form = {"grant_type": "refresh_token", "refresh_token": session.refresh[generation]}
        operation, told = self.world.ask(
            self.name, "refresh", ("POST", "/auth/token", {"form": form}),
            {"session": session.id, "user": session.user, "generation": generation}, read_refreshed)
        if operation.outcome == OK and told is not None and operation.told["session"] == session.id:
            session.renew(operation.told["generation"], told)
        elif operation.outcome == REFUSED and operation.told["error"] == "invalid_grant":
            self.over(session)
        return operation.outcome != UNKNOWN

    # What ends sessions, and moves identities

    def sign_out(self) -> None:
        self.end("sign-out", "DELETE", "/auth/token")

    def end_all(self) -> None:
        self.end("end-all", "DELETE", "/users/me/sessions")

    def erase(self) -> None:
        self.end("erase", "DELETE", "/users/me")

    def end(self, kind: str, method: str, path: str, session: Session | None = None) -> None:
        if session := session or self.session():
            operation = self.of_session(kind, method, path, session)
            if operation.outcome == OK:
                self.over(session)

    def link(self) -> None:
        """One more identity, which others may want as well."""
        if session := self.session():
            self.count += 1
            subject = "plain", f"{self.world.name}-{self.name}n{self.count}"
            if random.random() < SHARED:
                subject = random.choice(self.world.contested)
            if found := self.authorized(*subject):
                operation = self.of_session(
                    "link", "POST", "/users/me/identities", session, more={"subject": "/".join(subject)},
                    body={**found[0], "provider": "plain"})
                if operation.outcome == OK:
                    with self.world.lock:
                        self.world.subjects.add(subject)
                    if subject not in self.subjects:
                        self.subjects.append(subject)

    def merge(self, session: Session | None = None, other: Session | None = None) -> None:
        """Of two users the second becomes part of the first."""
        session, other = session or self.session(), other or self.session()
        if session and other and session.user != other.user:
            operation = self.of_session(
                "merge", "POST", "/users/me/merge", session, more={"other": other.id, "absorbed": other.user},
                body={"token": other.token})
            if operation.outcome == OK:
                self.over(other)
