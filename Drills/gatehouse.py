"""The server under drill, in a process of its own."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Protocol, TypedDict, Unpack

from testbed.carriers import PLAIN_CLIENT, PLAIN_REDIRECT, ZENKEY_CLIENT, ZENKEY_REDIRECT, Carriers
from testbed.client import Answer, Client, Content
from testbed.process import Process

LISTENING = re.compile(r" listening address=127\.0\.0\.1:(\d+)")
ADMIN_LISTENING = re.compile(r"admin listening address=127\.0\.0\.1:(\d+)")
# The name of the service stays when its port does not, so that sessions outlive a restart.
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: 0, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: 0, openOnLoopback: true}}
storage: {{url: "file:{database}"}}
rateLimit: {{signInsPerMinutePerAddress: 0}}
session: {{issuer: "https://sign-in.example"}}
providers: [zenkey, plain]
provider:
  zenkey:
    profile: zenkey
    discoveryURL: {urls[discovery]}
    clientID: {zenkey[0]}
    clientSecret: demo-secret
    redirectURIs: ["{zenkey[1]}"]
    trustedIssuers: ["127.0.0.1"]
    allowLoopbackHTTP: true
  plain:
    profile: openid
    issuer: {urls[plain]}
    clientID: {plain[0]}
    clientSecret: demo-secret-plain
    redirectURIs: ["{plain[1]}"]
    algorithms: [RS256, ES256]
    allowLoopbackHTTP: true
"""


class Providers(Protocol):
    @property
    def urls(self) -> Mapping[str, str]:
        """Where `discovery` of the carriers is, and `plain`."""


class Options(TypedDict, total=False):
    """`settings` are environment variables, which win over the configuration, such as GATEHOUSE_HTTP_LOOPS;
    `executable` is another version than the one under drill, and `kept` are descriptors that it gets."""

    database: str | None
    settings: Mapping[str, str] | None
    limits: Mapping[int, int] | None
    awaits: bool
    executable: str | None
    kept: Sequence[int]


class Gatehouse(Process):
    def __init__(self, binaries: str, folder: str, providers: Providers, **options: Unpack[Options]) -> None:
        os.makedirs(folder, exist_ok=True)
        self.providers = providers
        self.settings = options.get("settings") or {}
        self.database = options.get("database") or f"{folder}/gatehouse.db"
        configuration = f"{folder}/gatehouse.yaml"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                database=self.database, urls=providers.urls, zenkey=(ZENKEY_CLIENT, ZENKEY_REDIRECT),
                plain=(PLAIN_CLIENT, PLAIN_REDIRECT)))
        # A log of its own for each start, or the port of the last one would be found.
        starts = len([name for name in os.listdir(folder) if name.startswith("gatehouse-")])
        super().__init__([options.get("executable") or f"{binaries}/gatehouse", "serve", "--config", configuration],
                         f"{folder}/gatehouse-{starts}.log", self.settings, options.get("limits"),
                         options.get("kept", ()))
        # Not known before it listens.
        self.port = 0
        if options.get("awaits", True):
            self.await_listening()

    @property
    def carriers(self) -> Carriers:
        """Whose subscribers sign in here."""
        if not isinstance(self.providers, Carriers):
            raise TypeError("this server's provider has no subscribers")
        return self.providers

    def await_listening(self, seconds: float = 30) -> None:
        self.port = int(self.await_line(LISTENING, seconds)[1])

    @property
    def admin_port(self) -> int:
        return int(self.await_line(ADMIN_LISTENING)[1])

    def client(self) -> Client:
        return Client(self.port)

    def call(self, method: str, path: str, **content: Unpack[Content]) -> Answer:
        """One request on a connection of its own."""
        with self.client() as client:
            return client.call(method, path, **content)

    def sign_in(self, subscriber: str, issuer: str = "aurora", misbehave: str | None = None) -> Answer:
        """Approves on the phone and signs in."""
        return self.call("POST", "/auth/signin", body=self.carriers.authorize(subscriber, issuer, misbehave))

    def refresh(self, token: str) -> Answer:
        return self.call("POST", "/auth/token", form={"grant_type": "refresh_token", "refresh_token": token})

    def user(self, token: str) -> Answer:
        return self.call("GET", "/users/me", bearer=token)

    def database_size(self) -> int:
        """Bytes of the database and its log."""
        return sum(os.path.getsize(self.database + end) for end in ("", "-wal") if os.path.exists(self.database + end))

    def own_descriptors(self) -> int:
        """Descriptors without the connections to carriers, which are kept open for the next call."""
        return self.descriptors(apart_from=set(self.carriers.ports.values()))

    def settled_descriptors(self) -> int:
        """The same when connections that have just been closed are gone."""
        count, since = self.own_descriptors(), time.monotonic()
        while time.monotonic() - since < 0.5:
            time.sleep(0.05)
            now = self.own_descriptors()
            if now != count:
                count, since = now, time.monotonic()
        return count
