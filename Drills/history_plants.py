"""A proxy that does to a service's answers what the service must never do, so that it is known that the checker sees it."""

import http.server
import json
import random
import threading

from history_checker import DOUBLE, LOST, STALE
from history_world import claims
from testbed.client import LOST as NO_ANSWER
from testbed.client import Answer, Client

# How many of the requests that it concerns are tampered with.
SHARE = 0.3


class Plant:
    """One fault. `planted` are the sessions that it has concerned."""

    name = None

    def __init__(self, port):
        self.port, self.planted = port, set()
        self.lock = threading.Lock()

    def forward(self, method, path, headers, text):
        with Client(self.port) as client:
            return client.call(method, path, text=text, headers=headers)

    def plant(self, token):
        with self.lock:
            self.planted.add(claims(token)["sid"])

    def answer(self, *request):
        return self.forward(*request)


def bearer(headers):
    return headers.get("Authorization", " ").split(" ")[1]


class EndedSession(Plant):
    """A session that is told is ended behind the client's back."""

    name = LOST

    def answer(self, method, path, headers, text):
        answer = self.forward(method, path, headers, text)
        if path == "/auth/signin" and answer.status == 200 and random.random() < SHARE:
            self.forward("DELETE", "/auth/token", {"Authorization": f"Bearer {answer.json['token']}"}, None)
            self.plant(answer.json["token"])
        return answer


class RememberedUser(Plant):
    """Whoever was a session's user once is so for ever."""

    name = STALE

    def __init__(self, port):
        super().__init__(port)
        self.known = {}

    def answer(self, method, path, headers, text):
        answer = self.forward(method, path, headers, text)
        if (method, path) == ("GET", "/users/me"):
            if answer.status == 200:
                self.known[bearer(headers)] = answer
            elif answer.status == 401 and bearer(headers) in self.known:
                self.plant(bearer(headers))
                return self.known[bearer(headers)]
        return answer


class OtherSuccessor(Plant):
    """A refresh is sent twice, and its second answer is given to another session's."""

    name = DOUBLE

    def __init__(self, port):
        super().__init__(port)
        self.second = None

    def answer(self, method, path, headers, text):
        if path != "/auth/token" or method != "POST":
            return self.forward(method, path, headers, text)
        with self.lock:
            second, self.second = self.second, None
        if second and f"refresh_token={second[0]}" not in text.decode():
            self.plant(second[1].json["token"])
            return second[1]
        answer = self.forward(method, path, headers, text)
        if answer.status == 200 and random.random() < SHARE:
            again = self.forward(method, path, headers, text)
            if again.status == 200:
                self.second = again.json["refresh_token"], again
        return answer


class SwallowedSignOut(Plant):
    """A sign-out is acknowledged, and not done."""

    name = STALE

    def answer(self, method, path, headers, text):
        if (method, path) == ("DELETE", "/auth/token") and random.random() < SHARE:
            self.plant(bearer(headers))
            return Answer(200, [("content-type", "application/json")], b"{}")
        return self.forward(method, path, headers, text)


class OtherNumber(Plant):
    """Somebody is told the number of somebody else."""

    name = DOUBLE

    def __init__(self, port):
        super().__init__(port)
        self.last = None

    def answer(self, method, path, headers, text):
        answer = self.forward(method, path, headers, text)
        if path == "/auth/signin" and answer.status == 200:
            told = answer.json
            number, before, self.last = told["user"]["user_id"], self.last, told["user"]["user_id"]
            if before not in (None, number) and random.random() < SHARE:
                told["user"]["user_id"] = before
                self.plant(told["token"])
                return Answer(200, answer.headers.items(), json.dumps(told).encode())
        return answer


PLANTS = {"lost-session": EndedSession, "remembered-user": RememberedUser, "other-successor": OtherSuccessor,
          "swallowed-sign-out": SwallowedSignOut, "other-number": OtherNumber}


class Proxy(http.server.ThreadingHTTPServer):
    """Stands before an instance, with a plant in it, and is asked as the instance is."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, plant):
        self.plant = plant
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def port(self):
        return self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers}
        try:
            answer = self.server.plant.answer(self.command, self.path, headers, text)
        except NO_ANSWER:
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("content-type", "application/json"))
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_DELETE = pass_on

    def log_message(self, *_):
        pass
