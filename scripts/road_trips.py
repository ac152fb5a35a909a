"""The seven roads through a server, each as a client goes it. Drills/ has the clients, and the simulated carriers."""

from __future__ import annotations

import asyncio
import os
import pathlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Unpack

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Drills"))

import browsers
import native
from testbed.carriers import Carriers, carriers
from testbed.client import Answer, Client, Content
from testbed.process import Process

ROOT = pathlib.Path(__file__).resolve().parents[1]
LISTENING = re.compile(r" listening address=127\.0\.0\.1:(\d+)")
SUBSCRIBER = "ada"

# What goes the road, when all that it takes is there.
Drive = Callable[[], object]


class Server(Process):
    """The server of the demonstration, with two providers more."""

    def __init__(self, binaries: pathlib.Path, folder: pathlib.Path, carriers: Carriers) -> None:
        plain = carriers.urls["plain"]
        settings = {
            **native.settings(carriers),
            # No other provider's, or an app would have to say which of them answered.
            "GATEHOUSE_PROVIDER_AUTH0_REDIRECT_URIS": "com.example.app:/auth0",
            "GATEHOUSE_APPS": browsers.SETTINGS["GATEHOUSE_APPS"],
            "GATEHOUSE_APP_DRILL_CLIENT_ID": browsers.SETTINGS["GATEHOUSE_APP_DRILL_CLIENT_ID"],
            "GATEHOUSE_APP_DRILL_REDIRECT_URIS": browsers.SETTINGS["GATEHOUSE_APP_DRILL_REDIRECT_URIS"],
            "GATEHOUSE_SESSION_ISSUER": browsers.ISSUER,
            "GATEHOUSE_STORAGE_URL": f"file:{folder}/road.db",
            "GATEHOUSE_HTTP_PORT": "0",
            # One loop, so that a second connection finds what the first has left.
            "GATEHOUSE_HTTP_LOOPS": "1",
            "GATEHOUSE_ADMIN_PORT": "0",
            "GATEHOUSE_PROVIDER_ZENKEY_DISCOVERY_URL": carriers.urls["discovery"],
            "GATEHOUSE_PROVIDER_PLAIN_ISSUER": plain,
            "GATEHOUSE_PROVIDER_PLAIN_EVENTS": "risc",
            "GATEHOUSE_PROVIDER_PLAIN_EVENT_CONFIGURATION_URL": f"{plain}/.well-known/risc-configuration",
            "LLVM_PROFILE_FILE": f"{folder}/gatehouse-%c.profraw",
        }
        command = [str(binaries / "gatehouse"), "serve", "--config", str(ROOT / "Config/gatehouse.demo.yaml")]
        super().__init__(command, str(folder / "gatehouse.log"), settings)
        self.port = int(self.await_line(LISTENING)[1])


class Phone(native.Phones):
    """Of somebody who signs in again and again."""

    def subscriber(self) -> str:
        return SUBSCRIBER


class Trips:
    """The roads by their names. Each is prepared, which is not measured, and then driven, which is."""

    def __init__(self, server: Server, carriers: Carriers, app: Client) -> None:
        self.server = server
        self.carriers = carriers
        self.app = app
        self.phone = Phone(carriers)
        self.by_name: dict[str, Callable[[], Drive]] = {
            "sign-in": self.sign_in, "native": self.native, "refresh": self.refresh, "user": self.user,
            "browser": self.browser, "event": self.event, "erasure": self.erasure}

    def sign_in(self) -> Drive:
        body = self.carriers.authorize(SUBSCRIBER)
        return lambda: self.call(200, "POST", "/auth/signin", body=body)

    def native(self) -> Drive:
        with Client(self.phone.port) as client:
            body = self.phone.with_id_token(client)
        return lambda: self.call(200, "POST", "/auth/signin", body=body)

    def refresh(self) -> Drive:
        form = {"grant_type": "refresh_token", "refresh_token": self.session()["refresh_token"]}
        return lambda: self.call(200, "POST", "/auth/token", form=form)

    def user(self) -> Drive:
        token = self.session()["token"]
        return lambda: self.call(200, "GET", "/users/me", bearer=token)

    def browser(self) -> Drive:
        def drive() -> None:
            statuses = asyncio.run(browsers.sign_in(0, self.server.port))
            if statuses != [303, 303, 303, 200]:
                sys.exit(f"a browser's sign-in was answered {statuses}")

        return drive

    def event(self) -> Drive:
        self.session(issuer="plain")
        told = self.carriers.call(
            "POST", "/control/event", issuer="plain",
            body={"dialect": "risc", "subscriber": SUBSCRIBER, "event": "account-disabled", "reason": "hijacking"})
        headers = {"Content-Type": "application/secevent+jwt"}
        return lambda: self.call(202, "POST", "/auth/plain/events", text=told.json["token"], headers=headers)

    def erasure(self) -> Drive:
        token = self.session("grace")["token"]
        return lambda: self.call(200, "DELETE", "/users/me", bearer=token)

    def session(self, subscriber: str = SUBSCRIBER, issuer: str = "aurora") -> dict[str, str]:
        """A session that has just begun, as the app is told of it."""
        # What begins in the second in which the road before has ended the user's sessions is over with them.
        for _ in range(3):
            body = self.carriers.authorize(subscriber, issuer)
            if issuer == "plain":
                body["provider"] = "plain"
            answer = self.app.call("POST", "/auth/signin", body=body)
            if answer.status != 401:
                break
            time.sleep(1)
        if answer.status != 200:
            sys.exit(f"a sign-in was answered {answer.status}: {answer.body.decode(errors='replace')}")
        session: dict[str, str] = answer.json
        return session

    def call(self, expected: int, method: str, path: str, **content: Unpack[Content]) -> Answer:
        answer = self.app.call(method, path, **content)
        if answer.status != expected:
            sys.exit(f"{method} {path} was answered {answer.status}: {answer.body.decode(errors='replace')}")
        return answer


@contextmanager
def running(binaries: pathlib.Path, folder: pathlib.Path) -> Iterator[Trips]:
    """The roads of a server that runs as long as they are used."""
    # The carriers are built with counters too, which nobody reads.
    os.environ["LLVM_PROFILE_FILE"] = "/dev/null"
    callbacks = [f"{browsers.ISSUER}/auth/zenkey/callback"]
    with carriers(str(binaries), str(folder), redirect_uris=callbacks) as simulated:
        server = Server(binaries, folder, simulated)
        try:
            with Client(server.port) as app:
                yield Trips(server, simulated, app)
        finally:
            server.stop()
