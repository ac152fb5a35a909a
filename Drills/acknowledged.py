"""What the server has said is stored: users and sessions that must be there ever after."""

import threading

from bench import crowd
from testbed.client import LOST


class Acknowledged:
    """Signs in, and remembers what was acknowledged. `server` may be replaced by a later one on the same store."""

    def __init__(self, server):
        self.server = server
        self.lock = threading.Lock()
        # User id, access token and refresh token by session; a session whose refresh got no answer has no more of it.
        self.sessions = []

    def sign_in(self, subscriber, issuer="aurora", body=None):
        """The answer; raises one of `LOST` when none came."""
        body = body or self.server.carriers.authorize(subscriber, issuer)
        answer = self.server.call("POST", "/auth/signin", body=body)
        if answer.status == 200:
            session = {"user": answer.json["user"]["user_id"], "token": answer.json["token"],
                       "refresh": answer.json["refresh_token"]}
            with self.lock:
                self.sessions.append(session)
        return answer

    def refresh(self, session):
        """Renews a session. Its refresh token is forgotten first: without an answer nobody knows whether it is spent."""
        token = session.pop("refresh", None)
        if token is None:
            return None
        answer = self.server.call("POST", "/auth/token", form={"grant_type": "refresh_token", "refresh_token": token})
        if answer.status == 200:
            session["token"], session["refresh"] = answer.json["token"], answer.json["refresh_token"]
        elif answer.status == 503:
            session["refresh"] = token
        return answer

    def any_token(self):
        return self.sessions[0]["token"]

    def is_there(self, session):
        try:
            answer = self.server.user(session["token"])
        except LOST:
            return False
        return answer.status == 200 and answer.json.get("user_id") == session["user"]

    def check(self, bench, when, newest=None):
        """States that every acknowledged session, or the newest so many, is there."""
        sessions = self.sessions[-newest:] if newest else list(self.sessions)
        found = crowd(len(sessions), lambda number: self.is_there(sessions[number]), threads=8)
        bench.claim(all(found), f"{when}, every acknowledged session is there ({found.count(False)} lost)")
