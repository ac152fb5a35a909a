"""A proxy that does to a service's answers what the service must never do, so that it is known that the checker sees
it."""

import http.server
import json
import random
import socket
import socketserver
import threading
from collections.abc import Mapping

from history_checker import DOUBLE, LOST, STALE
from testbed import jose
from testbed.client import LOST as NO_ANSWER
from testbed.client import Answer, Client

# How many of the requests that it concerns are tampered with.
SHARE = 0.3


Headers = Mapping[str, str]


class Plant:
    """One fault. `planted` are the sessions that it has concerned."""

    # Of the anomaly that it is.
    name: str

    def __init__(self, port: int) -> None:
        self.port = port
        self.planted: set[str] = set()
        self.lock = threading.Lock()

    def forward(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        with Client(self.port) as client:
            return client.call(method, path, text=text, headers=headers)

    def plant(self, token: str) -> None:
        with self.lock:
            self.planted.add(jose.claims(token)["sid"])

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        return self.forward(method, path, headers, text)


def bearer(headers: Headers) -> str:
    return headers.get("Authorization", " ").split(" ")[1]


class EndedSession(Plant):
    """A session that is told is ended behind the client's back."""

    name = LOST

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        answer = self.forward(method, path, headers, text)
        if path == "/auth/signin" and answer.status == 200 and random.random() < SHARE:
            self.forward("DELETE", "/auth/token", {"Authorization": f"Bearer {answer.json['token']}"}, None)
            self.plant(answer.json["token"])
        return answer


class RememberedUser(Plant):
    """Who was a session's user once is so for ever."""

    name = STALE

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.known: dict[str, Answer] = {}

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
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

    def __init__(self, port: int) -> None:
        super().__init__(port)
        # A refresh token, and the answer that it is to be given to another.
        self.second: tuple[str, Answer] | None = None

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        if path != "/auth/token" or method != "POST":
            return self.forward(method, path, headers, text)
        with self.lock:
            second, self.second = self.second, None
        if second and f"refresh_token={second[0]}" not in (text or b"").decode():
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

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        if (method, path) == ("DELETE", "/auth/token") and random.random() < SHARE:
            self.plant(bearer(headers))
            return Answer(200, [("content-type", "application/json")], b"{}")
        return self.forward(method, path, headers, text)


class OtherNumber(Plant):
    """Somebody is told the number of somebody else."""

    name = DOUBLE

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.last: int | None = None

    def answer(self, method: str, path: str, headers: Headers, text: bytes | None) -> Answer:
        answer = self.forward(method, path, headers, text)
        if path == "/auth/signin" and answer.status == 200:
            told = answer.json
            number, before, self.last = told["user"]["user_id"], self.last, told["user"]["user_id"]
            if before not in (None, number) and random.random() < SHARE:
                told["user"]["user_id"] = before
                self.plant(told["token"])
                return Answer(200, answer.headers.items(), json.dumps(told).encode())
        return answer


PLANTS: dict[str, type[Plant]] = {
    "lost-session": EndedSession, "remembered-user": RememberedUser, "other-successor": OtherSuccessor,
    "swallowed-sign-out": SwallowedSignOut, "other-number": OtherNumber}


class Proxy(http.server.ThreadingHTTPServer):
    """Stands before an instance, with a plant in it, and is asked as the instance is."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, plant: Plant) -> None:
        super().__init__(("127.0.0.1", 0), lambda *request: Handler(plant, *request))
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def port(self) -> int:
        return int(self.server_address[1])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, plant: Plant, request: socket.socket, client: tuple[str, int],
                 server: socketserver.BaseServer) -> None:
        self.plant = plant
        super().__init__(request, client, server)

    def pass_on(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers}
        try:
            answer = self.plant.answer(self.command, self.path, headers, text)
        except NO_ANSWER:
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("content-type", "application/json"))
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_DELETE = pass_on

    def log_message(self, *_: object) -> None:
        pass
