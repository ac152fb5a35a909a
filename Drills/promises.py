"""What a server has acknowledged, from when on and until when it must be so: to ask what was so at a moment."""

import base64
import json
import math
import random
import time

from testbed.client import LOST, Client

# How often an app does what.
SIGN_IN, REFRESH, SIGN_OUT, ERASE, LINK = 50, 25, 8, 10, 7
# Somebody who is there signs in once more, instead of a newcomer.
AGAIN = 0.2
# The longest that an app waits before it does the next thing, in seconds.
LONGEST_PAUSE = 0.04


class Promise:
    """Holds from the moment at which its answer is here until something is begun that may end it."""

    def __init__(self, kind, what, since=None):
        self.kind, self.what = kind, what
        self.since, self.until = since or time.monotonic_ns(), math.inf

    def __getattr__(self, name):
        try:
            return self.what[name]
        except KeyError:
            raise AttributeError(name) from None

    def again(self, since):
        """The same from a later moment on."""
        return Promise(self.kind, self.what, since)

    def end(self):
        self.until = min(self.until, time.monotonic_ns())

    def holds(self, moment):
        """Whether it was acknowledged before a moment, and nothing that may end it had begun."""
        return self.since < moment <= self.until


def claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


def session_id(refresh_token):
    """The number of a session as the store has it."""
    return bytes.fromhex(claims(refresh_token)["sid"])


class PromisedApp:
    """Signs in, renews, links, leaves, one thing at a time, and keeps what it was promised. Its users are its own."""

    def __init__(self, name, carriers):
        self.name, self.carriers = name, carriers
        self.promises = []
        # Users by subscriber: a number, promises that end with them, and sessions.
        self.users, self.number = {}, 0
        # Numbers of those whose erasure was asked for. Without an answer nobody knows whether they are there.
        self.leaving = set()
        self.wrong, self.count = [], 0

    def work(self, server, over):
        """Does one thing after the other until an event is set, or the server goes away."""
        actions = [self.sign_in, self.refresh, self.sign_out, self.erase, self.link]
        weights = [SIGN_IN, REFRESH, SIGN_OUT, ERASE, LINK]
        self.client = Client(server.port)
        with self.client:
            while not over.is_set():
                time.sleep(random.uniform(0, LONGEST_PAUSE))
                try:
                    random.choices(actions, weights)[0]()
                except LOST:
                    return

    def ask(self, expected, method, path, **content):
        """The answer, where it is the one that is expected."""
        answer = self.client.call(method, path, **content)
        self.count += 1
        if answer.status == expected:
            return answer
        self.wrong.append(f"{method} {path}: {answer}")
        return None

    def promise(self, ends_with, kind, **what):
        """Remembers what was acknowledged just now; `ends_with` are lists of promises that end together."""
        promise = Promise(kind, what)
        for promises in [self.promises, *ends_with]:
            promises.append(promise)
        return promise

    def sign_in(self):
        if self.users and random.random() < AGAIN:
            subscriber = random.choice(list(self.users))
        else:
            self.number += 1
            subscriber = f"{self.name}n{self.number}"
        body = self.carriers.authorize(subscriber)
        answer = self.ask(200, "POST", "/auth/signin", body=body)
        if answer:
            user = self.users.setdefault(
                subscriber, {"id": answer.json["user"]["user_id"], "promises": [], "sessions": []})
            session = {"user": user, "token": answer.json["token"], "promises": []}
            user["sessions"].append(session)
            self.renewed(session, answer)

    def renewed(self, session, answer):
        session["token"], session["refresh"] = answer.json["token"], answer.json["refresh_token"]
        lists, id = [session["promises"], session["user"]["promises"]], session_id(session["refresh"])
        user, generation = session["user"]["id"], claims(session["refresh"])["gen"]
        self.promise(lists, "session", user=user, token=session["token"], id=id, generation=generation)
        session["renewal"] = self.promise(lists, "renewal", user=user, token=session["refresh"], generation=generation)

    def any_session(self):
        sessions = [session for user in self.users.values() for session in user["sessions"]]
        return random.choice(sessions) if sessions else None

    def refresh(self):
        if (session := self.any_session()) is None:
            return
        session["renewal"].end()
        form = {"grant_type": "refresh_token", "refresh_token": session["refresh"]}
        # Where no answer comes the same token is shown again later, and has the successor that it had.
        if answer := self.ask(200, "POST", "/auth/token", form=form):
            self.renewed(session, answer)

    def sign_out(self):
        if (session := self.any_session()) is None:
            return
        session["user"]["sessions"].remove(session)
        end(session["promises"])
        if self.ask(200, "DELETE", "/auth/token", bearer=session["token"]):
            user, id = session["user"], session_id(session["refresh"])
            self.promise([user["promises"]], "ended", token=session["token"], id=id)

    def erase(self):
        if (session := self.any_session()) is None:
            return
        user = session["user"]
        self.users = {name: other for name, other in self.users.items() if other is not user}
        self.leaving.add(user["id"])
        end([promise for promise in user["promises"] if promise.kind != "ended"])
        if self.ask(200, "DELETE", "/users/me", bearer=session["token"]):
            self.promise([], "erased", user=user["id"])
            for other in user["sessions"]:
                self.promise([], "ended", token=other["token"], id=session_id(other["refresh"]))

    def link(self):
        if (session := self.any_session()) is None:
            return
        self.number += 1
        body = {**self.carriers.authorize(f"{self.name}n{self.number}", "plain"), "provider": "plain",
                "iss": self.carriers.urls["plain"]}
        if self.ask(201, "POST", "/users/me/identities", body=body, bearer=session["token"]):
            self.promise([session["user"]["promises"]], "linked", user=session["user"]["id"])


def end(promises):
    for promise in promises:
        promise.end()
