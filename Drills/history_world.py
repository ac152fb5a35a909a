"""What the clients of a history share: the service, the log, subjects and sessions, and how they ask."""

import hashlib
import threading
import time
from collections.abc import Callable
from typing import Protocol

from history_log import OK, REFUSED, UNKNOWN, Facts, Log, Operation
from testbed import jose
from testbed.carriers import Carriers
from testbed.client import LOST, Client, Content, JSONObject

# Longer than any answer takes where nothing is wrong; who waits longer takes it for lost.
TIMEOUT = 6
SHARED_SUBJECTS = 6


# Issuer and subscriber.
Subject = tuple[str, str]
# Method, path and content.
Request = tuple[str, str, Content]


class Reachable(Protocol):
    def port(self) -> int:
        """That of any instance."""


def digest(text: str) -> str:
    """What stands for a secret in the log."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Session:
    """What an app holds of one: several clients may use it at once."""

    def __init__(self, told: Facts, tokens: JSONObject, subject: Subject) -> None:
        self.id: str = told["session"]
        self.user: int = told["user"]
        self.subject = subject
        self.lock = threading.Lock()
        self.token: str = tokens["token"]
        self.generation: int = told["generation"]
        # Refresh tokens by generation, and when the newest one came.
        self.refresh: dict[int, str] = {self.generation: tokens["refresh_token"]}
        self.renewed = time.monotonic()

    def renew(self, generation: int, tokens: JSONObject) -> None:
        with self.lock:
            self.refresh[generation] = tokens["refresh_token"]
            if generation > self.generation:
                self.token, self.generation, self.renewed = tokens["token"], generation, time.monotonic()


class World:
    """What all clients share: the service, the log, some subjects and sessions, and all that was acknowledged."""

    def __init__(self, name: str, carriers: Carriers, service: Reachable, log: Log) -> None:
        self.name, self.carriers, self.service, self.log = name, carriers, service, log
        self.lock = threading.Lock()
        self.sessions: dict[str, Session] = {}
        self.shared: list[Session] = []
        self.subjects: set[Subject] = set()
        # Those whom several clients sign in, and those whom several link.
        self.common = [("aurora", f"{name}-shared{number}") for number in range(SHARED_SUBJECTS)]
        self.contested = [("plain", f"{name}-contested{number}") for number in range(SHARED_SUBJECTS)]

    def opened(self, told: Facts, tokens: JSONObject, subject: Subject) -> Session:
        """The session that was told, which others may have been told before."""
        with self.lock:
            self.subjects.add(subject)
            if told["session"] not in self.sessions:
                self.sessions[told["session"]] = Session(told, tokens, subject)
            return self.sessions[told["session"]]

    def ask(self, client: str, kind: str, request: Request, asked: Facts,
            read: Callable[[JSONObject], Facts] | None = None) -> tuple[Operation, JSONObject | None]:
        """Sends a request to any instance and logs it: the operation, and what was answered, or None.

        `read` makes of an answer what it tells.
        """
        method, path, content = request
        port = self.service.port()
        operation = self.log.invoke(client, kind, **asked)
        try:
            with Client(port, timeout=TIMEOUT) as connection:
                answer = connection.call(method, path, **content)
        except ConnectionRefusedError:
            self.log.end(operation, REFUSED, error="unreached")
            return operation, None
        except LOST:
            return operation, None
        if answer.status in (200, 201, 204):
            self.log.end(operation, OK, **(read(answer.json) if read else {}))
        elif answer.status >= 500:
            self.log.end(operation, UNKNOWN)
        else:
            self.log.end(operation, REFUSED, error=answer.error or str(answer.status))
        return operation, answer.json


def read_tokens(told: JSONObject) -> Facts:
    """A registration tells no user but in its token, and makes a new one."""
    user = told["user"]["user_id"] if "user" in told else int(jose.claims(told["refresh_token"])["uid"])
    return {**read_refreshed(told), "user": user, "is_new": told.get("new_user", True)}


def read_refreshed(told: JSONObject) -> Facts:
    refresh = jose.claims(told["refresh_token"])
    return {"session": jose.claims(told["token"])["sid"], "generation": refresh["gen"],
            "token": digest(told["refresh_token"])}
