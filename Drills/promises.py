"""What a server has acknowledged, from when on and until when it must be so: to ask what was so at a moment."""

from __future__ import annotations

import dataclasses
import math
import random
import threading
import time
from collections.abc import Iterable
from typing import Unpack

from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Content
from testbed.jose import claims

# How often an app does what.
SIGN_IN, REFRESH, SIGN_OUT, ERASE, LINK = 50, 25, 8, 10, 7
# Somebody who is there signs in once more, instead of a newcomer.
AGAIN = 0.2
# The longest that an app waits before it does the next thing, in seconds.
LONGEST_PAUSE = 0.04


@dataclasses.dataclass(eq=False)
class Promise:
    """Holds from the moment at which its answer is here until something is begun that may end it. Moments are in
    nanoseconds; of the rest it has what its kind speaks of."""

    kind: str
    user: int | None = None
    token: str = ""
    id: bytes = b""
    generation: int = 0
    since: float = dataclasses.field(default_factory=time.monotonic_ns)
    until: float = math.inf

    def again(self, since: float) -> Promise:
        """The same from a later moment on."""
        return dataclasses.replace(self, since=since, until=math.inf)

    def end(self) -> None:
        self.until = min(self.until, time.monotonic_ns())

    def holds(self, moment: float) -> bool:
        """Whether it was acknowledged before a moment, and nothing that may end it had begun."""
        return self.since < moment <= self.until


@dataclasses.dataclass(eq=False)
class User:
    """`promises` are those that end with the user."""

    id: int
    promises: list[Promise] = dataclasses.field(default_factory=list)
    sessions: list[Session] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Session:
    """`promises` are those that end with it, of which `renewal` is that of the refresh token."""

    user: User
    token: str
    refresh: str
    renewal: Promise
    promises: list[Promise] = dataclasses.field(default_factory=list)


def session_id(refresh_token: str) -> bytes:
    """The number of a session as the store has it."""
    return bytes.fromhex(claims(refresh_token)["sid"])


class PromisedApp:
    """Signs in, renews, links, leaves, one thing at a time, and keeps what it was promised. Its users are its own."""

    def __init__(self, name: str, carriers: Carriers) -> None:
        self.name, self.carriers = name, carriers
        self.promises: list[Promise] = []
        # Users by subscriber.
        self.users: dict[str, User] = {}
        self.number = 0
        # Numbers of those whose erasure was asked for. Without an answer nobody knows whether they are there.
        self.leaving: set[int] = set()
        self.wrong: list[str] = []
        self.count = 0

    def work(self, server: Gatehouse, over: threading.Event) -> None:
        """Does one thing after the other until an event is set, or the server goes away."""
        actions = [self.sign_in, self.refresh, self.sign_out, self.erase, self.link]
        weights = [SIGN_IN, REFRESH, SIGN_OUT, ERASE, LINK]
        self.client = server.client()
        with self.client:
            while not over.is_set():
                time.sleep(random.uniform(0, LONGEST_PAUSE))
                try:
                    random.choices(actions, weights)[0]()
                except LOST:
                    return

    def ask(self, expected: int, method: str, path: str, **content: Unpack[Content]) -> Answer | None:
        """The answer, where it is the one that is expected."""
        answer = self.client.call(method, path, **content)
        self.count += 1
        if answer.status == expected:
            return answer
        self.wrong.append(f"{method} {path}: {answer}")
        return None

    def promise(self, promise: Promise, *ends_with: list[Promise]) -> Promise:
        """Remembers what was acknowledged just now; `ends_with` are lists of promises that end together."""
        for promises in (self.promises, *ends_with):
            promises.append(promise)
        return promise

    def sign_in(self) -> None:
        if self.users and random.random() < AGAIN:
            subscriber = random.choice(list(self.users))
        else:
            self.number += 1
            subscriber = f"{self.name}n{self.number}"
        body = self.carriers.authorize(subscriber)
        answer = self.ask(200, "POST", "/auth/signin", body=body)
        if answer:
            user = self.users.setdefault(subscriber, User(answer.json["user"]["user_id"]))
            token, refresh = answer.json["token"], answer.json["refresh_token"]
            promises: list[Promise] = []
            renewal = self.promised(user, promises, token, refresh)
            user.sessions.append(Session(user, token, refresh, renewal, promises))

    def promised(self, user: User, promises: list[Promise], token: str, refresh: str) -> Promise:
        """Remembers what the tokens of a session promise; the promise of its refresh token."""
        generation = claims(refresh)["gen"]
        self.promise(Promise("session", user.id, token, session_id(refresh), generation), promises, user.promises)
        return self.promise(Promise("renewal", user.id, refresh, generation=generation), promises, user.promises)

    def any_session(self) -> Session | None:
        sessions = [session for user in self.users.values() for session in user.sessions]
        return random.choice(sessions) if sessions else None

    def refresh(self) -> None:
        if (session := self.any_session()) is None:
            return
        session.renewal.end()
        form = {"grant_type": "refresh_token", "refresh_token": session.refresh}
        # Where no answer comes the same token is shown again later, and has the successor that it had.
        if answer := self.ask(200, "POST", "/auth/token", form=form):
            session.token, session.refresh = answer.json["token"], answer.json["refresh_token"]
            session.renewal = self.promised(session.user, session.promises, session.token, session.refresh)

    def sign_out(self) -> None:
        if (session := self.any_session()) is None:
            return
        session.user.sessions.remove(session)
        end(session.promises)
        if self.ask(200, "DELETE", "/auth/token", bearer=session.token):
            self.ended(session, session.user.promises)

    def ended(self, session: Session, *ends_with: list[Promise]) -> None:
        """Remembers that a session is over."""
        self.promise(Promise("ended", token=session.token, id=session_id(session.refresh)), *ends_with)

    def erase(self) -> None:
        if (session := self.any_session()) is None:
            return
        user = session.user
        self.users = {name: other for name, other in self.users.items() if other is not user}
        self.leaving.add(user.id)
        end(promise for promise in user.promises if promise.kind != "ended")
        if self.ask(200, "DELETE", "/users/me", bearer=session.token):
            self.promise(Promise("erased", user.id))
            for other in user.sessions:
                self.ended(other)

    def link(self) -> None:
        if (session := self.any_session()) is None:
            return
        self.number += 1
        body = {**self.carriers.authorize(f"{self.name}n{self.number}", "plain"), "provider": "plain",
                "iss": self.carriers.urls["plain"]}
        if self.ask(201, "POST", "/users/me/identities", body=body, bearer=session.token):
            self.promise(Promise("linked", session.user.id), session.user.promises)


def end(promises: Iterable[Promise]) -> None:
    for promise in promises:
        promise.end()
