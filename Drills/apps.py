"""Apps that keep account of what was acknowledged to them, to the letter."""

import base64
import concurrent.futures
import json
import random
import threading
import time

from fleet import CutOff
from testbed.client import LOST

# In a drill nothing expires by itself, who has lost an answer gets the same again to its end, and old tokens are tried
# in numbers.
SETTINGS = {"GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_REFRESH_GRACE_SECONDS": "3600",
            "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0"}
NEWCOMERS = 0.5


def generation(refresh_token):
    """Which one of its session a refresh token is."""
    payload = refresh_token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["gen"]


class Answers:
    """What all apps were answered."""

    def __init__(self):
        self.lock = threading.Lock()
        # How often there was which answer; what was not as it should be; how long the longest took.
        self.counts, self.wrong, self.slowest = {}, [], 0.0
        self.cut_off = self.refused = 0
        # Codes that were posted to two instances and have opened a session.
        self.copied = 0

    @property
    def total(self):
        return sum(self.counts.values())

    def note(self, what, answer, seconds):
        with self.lock:
            key = f"{what}:{answer.status}"
            self.counts[key] = self.counts.get(key, 0) + 1
            # A copy waits for the first, which a database that has gone away may have left in the middle.
            if what != "code-twice":
                self.slowest = max(self.slowest, seconds)

    def blame(self, sentence):
        with self.lock:
            self.wrong.append(sentence)


def is_refused(answer):
    """Whether the store is said to be away, and when to come again."""
    return answer.status == 503 and answer.error == "storage_unavailable" and "retry-after" in answer.headers


class App:
    """One thing at a time, so that it knows what it may expect. Its users are its own."""

    def __init__(self, name, carriers, fleet, answers):
        self.name, self.carriers, self.fleet, self.answers = name, carriers, fleet, answers
        # User ids by subscriber; None of whom nobody knows whether he is there.
        self.users = {}
        # What is to be there: user, token, refresh token, those that it has replaced, and who said so.
        self.sessions = []
        # Access tokens of sessions that are to be over, and who said so.
        self.ended = []
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.actions = [(self.look_up, 40), (self.refresh, 20), (self.sign_in, 15), (self.sign_out, 5),
                        (self.refresh_twice, 5), (self.sign_in_twice, 5)]

    def work(self, over):
        """Does one thing after the other until an event is set."""
        actions, weights = zip(*self.actions)
        while not over.is_set():
            random.choices(actions, weights)[0]()

    def ask(self, what, expected, method, path, at=None, **content):
        """The answer and who gave it; twice None where none is expected: cut off, or the store is away."""
        at = at or self.fleet.pair()[0]
        began = time.monotonic()
        try:
            answer = self.fleet.call(at, method, path, **content)
        except CutOff:
            with self.answers.lock:
                self.answers.cut_off += 1
            return None, None
        except LOST as error:
            self.answers.blame(f"{what}:{type(error).__name__}")
            return None, None
        self.answers.note(what, answer, time.monotonic() - began)
        if is_refused(answer):
            with self.answers.lock:
                self.answers.refused += 1
        elif answer.status in expected:
            return answer, at
        else:
            self.answers.blame(f"{what}:{answer}")
        return None, None

    def at_both(self, *request, **content):
        """The same request of two instances at once."""
        calls = [self.pool.submit(self.ask, *request, at=name, **content) for name in self.fleet.pair()]
        return [call.result() for call in calls]

    def somebody(self):
        """A subscriber who is new, or has been there."""
        if self.users and random.random() > NEWCOMERS:
            return random.choice(list(self.users))
        return f"{self.name}n{len(self.users)}"

    def sign_in(self):
        subscriber = self.somebody()
        body = self.carriers.authorize(subscriber)
        self.signed_in(subscriber, *self.ask("sign-in", {200}, "POST", "/auth/signin", body=body))

    def sign_in_twice(self):
        """A code that is posted to two instances at once opens one session."""
        subscriber = self.somebody()
        body = self.carriers.authorize(subscriber)
        found = self.at_both("code-twice", {200, 400, 401, 409, 503}, "POST", "/auth/signin", body=body)
        # A copy that has waited in vain says nothing of the first.
        found = [(None, None) if answer and answer.status == 503 else (answer, at) for answer, at in found]
        opened = {answer.json["refresh_token"]: (answer, at) for answer, at in found if answer and answer.status == 200}
        opened = list(opened.values())
        with self.answers.lock:
            self.answers.copied += len(opened)
        if len(opened) > 1 or not opened and None not in (answer for answer, _ in found):
            self.answers.blame(f"a code opens {len(opened)} sessions")
        for answer, at in opened or [(None, None)]:
            self.signed_in(subscriber, answer, at)

    def signed_in(self, subscriber, answer, at):
        if answer is None:
            self.users.setdefault(subscriber, None)
            return
        user, is_new = answer.json["user"]["user_id"], answer.json["new_user"]
        if subscriber not in self.users:
            is_right = is_new
        else:
            is_right = self.users[subscriber] is None or not is_new and user == self.users[subscriber]
        if not is_right:
            self.answers.blame("somebody is taken for another, or for new")
        self.users[subscriber] = user
        self.sessions.append({"user": user, "token": answer.json["token"], "refresh": answer.json["refresh_token"],
                              "replaced": [], "at": at})

    def look_up(self):
        if self.sessions:
            session = random.choice(self.sessions)
            answer, _ = self.ask("users/me", {200}, "GET", "/users/me", bearer=session["token"])
            if answer and answer.json["user_id"] != session["user"]:
                self.answers.blame("a session is another's")

    def refresh(self):
        if self.sessions:
            session = random.choice(self.sessions)
            self.refreshed(session, [self.ask("refresh", {200}, "POST", "/auth/token", form=self.form(session))])

    def refresh_twice(self):
        """A refresh token that is shown to two instances at once has one successor."""
        if self.sessions:
            session = random.choice(self.sessions)
            self.refreshed(session, self.at_both("refresh-twice", {200}, "POST", "/auth/token", form=self.form(session)))

    def form(self, session):
        return {"grant_type": "refresh_token", "refresh_token": session["refresh"]}

    def refreshed(self, session, found):
        """Where no answer came, the same token is shown again another time, and has the successor that it had."""
        before = session["refresh"]
        for answer, at in found:
            if answer is None:
                continue
            session["token"], session["refresh"], session["at"] = answer.json["token"], answer.json["refresh_token"], at
            if generation(session["refresh"]) != generation(before) + 1:
                self.answers.blame("a refresh token has two successors")
        if session["refresh"] != before:
            session["replaced"].append(before)

    def sign_out(self):
        if self.sessions:
            session = self.sessions.pop(random.randrange(len(self.sessions)))
            answer, at = self.ask("sign-out", {200, 204}, "DELETE", "/auth/token", bearer=session["token"])
            if answer:
                self.ended.append((session["token"], at))
