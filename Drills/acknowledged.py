"""What the server has said is stored: users and sessions that must be there ever after."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from bench import Bench, crowd
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.client import LOST, Answer


@dataclass
class Session:
    user: int
    token: str
    # None once it was shown and no answer came.
    refresh: str | None
    # Whether its end has been asked for.
    ending: bool = False

    @classmethod
    def opened(cls, answer: Answer) -> "Session":
        session = answer.json
        return cls(session["user"]["user_id"], session["token"], session["refresh_token"])


class Acknowledged:
    """Signs in, and remembers what was acknowledged. `server` may be replaced by a later one on the same store."""

    server: Gatehouse

    def __init__(self, server: Gatehouse | None = None) -> None:
        if server is not None:
            self.server = server
        self.lock = threading.Lock()
        self.sessions: list[Session] = []

    def sign_in(self, subscriber: str, issuer: str = "aurora", body: dict[str, str] | None = None) -> Answer:
        """The answer; raises one of `LOST` when none came."""
        body = body or self.server.carriers.authorize(subscriber, issuer)
        answer = self.server.call("POST", "/auth/signin", body=body)
        if answer.status == 200:
            session = Session.opened(answer)
            with self.lock:
                self.sessions.append(session)
        return answer

    def refresh(self, session: Session) -> Answer | None:
        """Renews a session. It forgets its refresh token first: without an answer nobody knows whether it is spent."""
        with self.lock:
            token, session.refresh = session.refresh, None
        if token is None:
            return None
        answer = self.server.call("POST", "/auth/token", form={"grant_type": "refresh_token", "refresh_token": token})
        if answer.status == 200:
            session.token, session.refresh = answer.json["token"], answer.json["refresh_token"]
        elif answer.status == 503:
            session.refresh = token
        return answer

    def any_token(self) -> str:
        return self.sessions[0].token

    def is_there(self, session: Session) -> bool:
        try:
            answer = self.server.user(session.token)
        except LOST:
            return False
        return answer.status == 200 and answer.json.get("user_id") == session.user

    def check(self, bench: Bench, when: str, newest: int | None = None) -> None:
        """States that every acknowledged session, or the newest so many, is there."""
        sessions = self.sessions[-newest:] if newest else list(self.sessions)
        bench.state(are_there(when, crowd(len(sessions), lambda number: self.is_there(sessions[number]), threads=8)))


def are_there(when: str, found: Sequence[bool]) -> Claim:
    return Claim(all(found), f"{when}, every acknowledged session is there ({found.count(False)} lost)")


def self_test() -> None:
    shows([are_there("at the end", [True, True])], ("(1 lost)", [are_there("at the end", [True, False])]))
