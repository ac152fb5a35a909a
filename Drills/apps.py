"""Apps that keep account of what was acknowledged to them, to the letter."""

import concurrent.futures
import random
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Unpack

from fleet import CutOff, Reached
from testbed import jose
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Content

# In a drill nothing expires by itself, who has lost an answer gets the same again to its end, and old tokens are tried
# in numbers.
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_REFRESH_GRACE_SECONDS": "3600",
            "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0"}
NEWCOMERS = 0.5


def generation(refresh_token: str) -> int:
    """Which one of its session a refresh token is."""
    return int(jose.claims(refresh_token)["gen"])


class Told(NamedTuple):
    """An answer, and the instance that gave it."""

    answer: Answer
    at: str


@dataclass
class Session:
    user: int
    token: str
    refresh: str
    # Who said so.
    at: str
    # The refresh tokens that the newest has replaced.
    replaced: list[str] = field(default_factory=list)


class Answers:
    """What all apps were answered."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        # How often there was which answer; what was not as it should be; how long the longest took.
        self.counts: dict[str, int] = {}
        self.wrong: list[str] = []
        self.slowest = 0.0
        self.cut_off = self.refused = 0
        # Codes that were posted to two instances and have opened a session.
        self.copied = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def note(self, what: str, answer: Answer, seconds: float) -> None:
        with self.lock:
            key = f"{what}:{answer.status}"
            self.counts[key] = self.counts.get(key, 0) + 1
            # A copy waits for the first, which a database that has gone away may have left in the middle.
            if what != "code-twice":
                self.slowest = max(self.slowest, seconds)

    def blame(self, sentence: str) -> None:
        with self.lock:
            self.wrong.append(sentence)


def is_refused(answer: Answer) -> bool:
    """Whether the store is said to be away, and when to come again."""
    return answer.status == 503 and answer.error == "storage_unavailable" and "retry-after" in answer.headers


class App:
    """One thing at a time, so that it knows what it may expect. Its users are its own."""

    def __init__(self, name: str, carriers: Carriers, fleet: Reached, answers: Answers) -> None:
        self.name, self.carriers, self.fleet, self.answers = name, carriers, fleet, answers
        # User ids by subscriber; None of those of whom nobody knows whether they are there.
        self.users: dict[str, int | None] = {}
        # What is to be there.
        self.sessions: list[Session] = []
        # Access tokens of sessions that are to be over, and who said so.
        self.ended: list[tuple[str, str]] = []
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.actions: list[tuple[Callable[[], None], int]] = [
            (self.look_up, 40), (self.refresh, 20), (self.sign_in, 15), (self.sign_out, 5),
            (self.refresh_twice, 5), (self.sign_in_twice, 5)]

    def work(self, over: threading.Event) -> None:
        """Does one thing after the other until an event is set."""
        actions, weights = zip(*self.actions, strict=True)
        while not over.is_set():
            random.choices(actions, weights)[0]()

    def ask(self, what: str, expected: Collection[int], method: str, path: str, at: str | None = None,
            **content: Unpack[Content]) -> Told | None:
        """The answer and who gave it; None where none is expected: cut off, or the store is away."""
        at = at or self.fleet.pair()[0]
        began = time.monotonic()
        try:
            answer = self.fleet.call(at, method, path, **content)
        except CutOff:
            with self.answers.lock:
                self.answers.cut_off += 1
            return None
        except LOST as error:
            self.answers.blame(f"{what}:{type(error).__name__}")
            return None
        self.answers.note(what, answer, time.monotonic() - began)
        if is_refused(answer):
            with self.answers.lock:
                self.answers.refused += 1
        elif answer.status in expected:
            return Told(answer, at)
        else:
            self.answers.blame(f"{what}:{answer}")
        return None

    def at_both(self, what: str, expected: Collection[int], method: str, path: str,
                **content: Unpack[Content]) -> list[Told | None]:
        """The same request of two instances at once."""
        calls = [self.pool.submit(self.ask, what, expected, method, path, name, **content)
                 for name in self.fleet.pair()]
        return [call.result() for call in calls]

    def somebody(self) -> str:
        """A subscriber who is new, or has been there."""
        if self.users and random.random() > NEWCOMERS:
            return random.choice(list(self.users))
        return f"{self.name}n{len(self.users)}"

    def sign_in(self) -> None:
        subscriber = self.somebody()
        body = self.carriers.authorize(subscriber)
        self.signed_in(subscriber, self.ask("sign-in", {200}, "POST", "/auth/signin", body=body))

    def sign_in_twice(self) -> None:
        """A code that is posted to two instances at once opens one session."""
        subscriber = self.somebody()
        body = self.carriers.authorize(subscriber)
        found = self.at_both("code-twice", {200, 400, 401, 409, 503}, "POST", "/auth/signin", body=body)
        # A copy that has waited in vain says nothing of the first.
        known = [told for told in found if told and told.answer.status != 503]
        by_token = {told.answer.json["refresh_token"]: told for told in known if told.answer.status == 200}
        opened: list[Told | None] = list(by_token.values())
        with self.answers.lock:
            self.answers.copied += len(opened)
        if len(opened) > 1 or not opened and len(known) == len(found):
            self.answers.blame(f"a code opens {len(opened)} sessions")
        for told in opened or [None]:
            self.signed_in(subscriber, told)

    def signed_in(self, subscriber: str, told: Told | None) -> None:
        if told is None:
            self.users.setdefault(subscriber, None)
            return
        opened = told.answer.json
        user, is_new = opened["user"]["user_id"], opened["new_user"]
        if subscriber not in self.users:
            is_right = is_new
        else:
            is_right = self.users[subscriber] is None or not is_new and user == self.users[subscriber]
        if not is_right:
            self.answers.blame("somebody is taken for another, or for new")
        self.users[subscriber] = user
        self.sessions.append(Session(user, opened["token"], opened["refresh_token"], told.at))

    def look_up(self) -> None:
        if self.sessions:
            session = random.choice(self.sessions)
            told = self.ask("users/me", {200}, "GET", "/users/me", bearer=session.token)
            if told and told.answer.json["user_id"] != session.user:
                self.answers.blame("a session is another's")

    def refresh(self) -> None:
        if self.sessions:
            session = random.choice(self.sessions)
            self.refreshed(session, [self.ask("refresh", {200}, "POST", "/auth/token", form=self.form(session))])

    def refresh_twice(self) -> None:
        """A refresh token that is shown to two instances at once has one successor."""
        if self.sessions:
            session = random.choice(self.sessions)
            found = self.at_both("refresh-twice", {200}, "POST", "/auth/token", form=self.form(session))
            self.refreshed(session, found)

    def form(self, session: Session) -> dict[str, str]:
        return {"grant_type": "refresh_token", "refresh_token": session.refresh}

    def refreshed(self, session: Session, found: Iterable[Told | None]) -> None:
        """Where no answer came, the same token is shown again another time, and has the successor that it had."""
        before = session.refresh
        for told in found:
            if told is None:
                continue
            session.token, session.refresh = told.answer.json["token"], told.answer.json["refresh_token"]
            session.at = told.at
            if generation(session.refresh) != generation(before) + 1:
                self.answers.blame("a refresh token has two successors")
        if session.refresh != before:
            session.replaced.append(before)

    def sign_out(self) -> None:
        if self.sessions:
            session = self.sessions.pop(random.randrange(len(self.sessions)))
            told = self.ask("sign-out", {200, 204}, "DELETE", "/auth/token", bearer=session.token)
            if told:
                self.ended.append((session.token, told.at))
