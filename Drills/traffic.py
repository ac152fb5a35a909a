"""What apps and strangers do all day, one thing at a time and at random."""

import itertools
import os
import random
import threading
from collections.abc import Collection

from acknowledged import Acknowledged, Session
from gatehouse import Gatehouse
from testbed.client import Answer
from wire import connect, read_status, reset

# As many strings are looked for in the log.
SECRETS_KEPT = 20_000
SESSIONS_KEPT = 2_000
PROVIDER_ERRORS = {"provider_error", "provider_unavailable", "provider_timeout"}


class Traffic:
    def __init__(self, server: Gatehouse) -> None:
        self.server = server
        self.carriers = server.carriers
        self.known = Acknowledged(server)
        self.is_calm = threading.Event()
        self.numbers = itertools.count()
        self.counts: dict[str, int] = {}
        # Answers by what is to be said of them, and what kind of error there was in place of one.
        self.explained: list[str] = []
        self.unexplained: list[str] = []
        self.wrong: list[str] = []
        self.lost: list[str] = []
        self.secrets: list[str] = []
        # The resident set of the server after each time of faults.
        self.samples: list[int] = []
        self.actions = [(self.sign_in, 30), (self.read, 30), (self.refresh, 12), (self.sign_out, 8),
                        (self.migrate, 5), (self.use_code_twice, 5), (self.send_garbage, 5), (self.abort, 5)]

    def one(self) -> None:
        """Does something."""
        actions, weights = zip(*self.actions, strict=True)
        random.choices(actions, weights)[0]()

    def carriers_are_well(self) -> bool:
        number = next(self.numbers)
        return all(self.server.sign_in(f"well{number}", issuer).status == 200
                   for issuer in ("aurora", "borealis", "plain"))

    def judge(self, what: str, answer: Answer, expected: Collection[int], was_calm: bool) -> bool:
        """Counts an answer, and keeps what is neither expected nor explained by a fault."""
        self.counts[f"{what}:{answer.status}"] = self.counts.get(f"{what}:{answer.status}", 0) + 1
        if answer.status in expected:
            return True
        is_explained = answer.error in PROVIDER_ERRORS and not (was_calm and self.is_calm.is_set())
        # A document or key set that a fault has spoilt makes a token invalid, too.
        is_explained = is_explained or (not was_calm and answer.error in ("invalid_id_token", "userinfo_mismatch"))
        place = self.explained if is_explained else self.unexplained if answer.status >= 500 else self.wrong
        place.append(f"{what}:{answer}")
        return False

    def keep_secret(self, *strings: str) -> None:
        if len(self.secrets) < SECRETS_KEPT:
            self.secrets.extend(strings)

    def authorized(self, subscriber: str, issuer: str) -> dict[str, str]:
        body = self.carriers.authorize(subscriber, issuer)
        self.keep_secret(body["code"], body["code_verifier"])
        return body

    def sign_in(self, subscriber: str | None = None, issuer: str | None = None) -> Answer | None:
        """A newcomer, or somebody who has been there before."""
        issuer = issuer or random.choice(["aurora", "borealis", "plain"])
        subscriber = subscriber or f"soak{issuer}{random.choice([next(self.numbers), random.randrange(100)])}"
        was_calm = self.is_calm.is_set()
        answer = self.known.sign_in(subscriber, body=self.authorized(subscriber, issuer))
        if not self.judge("sign-in", answer, {200}, was_calm):
            return None
        self.keep_secret(answer.json["token"], answer.json["refresh_token"])
        with self.known.lock:
            if len(self.known.sessions) > SESSIONS_KEPT:
                del self.known.sessions[:SESSIONS_KEPT // 2]
        return answer

    def some_session(self) -> Session | None:
        with self.known.lock:
            return random.choice(self.known.sessions) if self.known.sessions else None

    def expected_for(self, session: Session) -> set[int]:
        """Somebody else may have ended it between choosing and asking; being dropped from the list ends nothing."""
        return {200, 401} if session.ending else {200}

    def read(self) -> None:
        session = self.some_session()
        if session:
            answer = self.server.user(session.token)
            self.judge("users/me", answer, self.expected_for(session), True)

    def refresh(self) -> None:
        session = self.some_session()
        if session and (answer := self.known.refresh(session)):
            self.judge("refresh", answer, self.expected_for(session), True)

    def sign_out(self) -> None:
        with self.known.lock:
            if not self.known.sessions:
                return
            session = self.known.sessions.pop(random.randrange(len(self.known.sessions)))
            session.ending = True
        token = session.token
        self.judge("sign-out", self.server.call("DELETE", "/auth/token", bearer=token), {200, 204}, True)
        self.judge("signed-out", self.server.user(token), {401}, True)

    def migrate(self) -> None:
        subscriber = f"mover{next(self.numbers)}"
        before = self.sign_in(subscriber, "aurora")
        if not before:
            return
        # The migration is going to end the session of the old carrier. Its tokens may have been renewed since.
        with self.known.lock:
            user = before.json["user"]["user_id"]
            for session in self.known.sessions:
                if session.user == user:
                    session.ending = True
            self.known.sessions = [session for session in self.known.sessions if not session.ending]
        self.carriers.port(subscriber, "borealis")
        after = self.sign_in(subscriber, "borealis")
        if after and not (after.json["migrated"] and after.json["user"]["user_id"] == before.json["user"]["user_id"]):
            self.wrong.append("migration:another user")

    def use_code_twice(self) -> None:
        was_calm = self.is_calm.is_set()
        body = self.authorized(f"twice{next(self.numbers)}", "aurora")
        first = self.known.sign_in("", body=body)
        if self.judge("sign-in", first, {200}, was_calm):
            self.judge("again", self.server.call(
                "POST", "/auth/signin", body={**body, "correlation_id": "thief"}), {401}, was_calm)

    def send_garbage(self) -> None:
        connection = connect(self.server.port)
        connection.sendall(os.urandom(random.randrange(1, 4000)) + b"\r\n\r\n")
        status = read_status(connection)
        connection.close()
        if status not in (None, 400, 408, 414, 431, 501, 505):
            self.wrong.append(f"garbage:{status}")

    def abort(self) -> None:
        """Goes away with a reset: before the request is whole, or while it is answered."""
        connection = connect(self.server.port)
        head = b"POST /auth/signin HTTP/1.1\r\nHost: drill\r\nContent-Length: 2\r\n\r\n{}"
        connection.sendall(head[:random.randrange(1, len(head) + 1)])
        reset(connection)
