"""A Gatehouse with apps and a resource server of its own, behind TLS, and the carriers of its users."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

from configuration import PLAIN
from testbed.carriers import carriers
from testbed.ports import free_ports
from testbed.process import running
from tls import certificate, terminating

# What everybody else tries is far below it, and who tries to be stopped goes beyond.
FAILURES_A_MINUTE = 150
# The secret has what Basic authentication needs an encoding for, which not every library does.
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: 0}}
storage: {{url: "file:{database}"}}
rateLimit: {{failedRefreshesPerMinutePerAddress: {failures}}}
session: {{issuer: "{issuer}"{session}}}
providers: [zenkey, plain]
provider:
  zenkey:
    profile: zenkey
    discoveryURL: {discovery}
    clientID: ccid-0123456789abcdef
    clientSecret: demo-secret
    redirectURIs: ["ccid-0123456789abcdef://com.xci.provider.sdk"]
    trustedIssuers: ["127.0.0.1"]
    allowLoopbackHTTP: true
""" + PLAIN + """\
apps: [device, web]
app:
  device:
    clientID: device-app
    redirectURIs: ["http://127.0.0.1/callback"]
    audiences: ["https://api.example.com"]
    postLogoutRedirectURIs: ["com.example.device:/signed-out"]
  web:
    clientID: web-app
    secret: "{secret}"
    redirectURIs: ["https://app.example/callback"]
    postLogoutRedirectURIs: ["https://app.example/signed-out"]
resourceServers: [api]
resourceServer:
  api: {{id: api, secret: "{api_secret}"}}
"""


@dataclass(frozen=True)
class App:
    """A client as it is configured, and with whom its user signs in."""
    client_id: str
    secret: str | None
    redirect_uri: str
    signed_out_uri: str
    sign_in: dict[str, str]


class Metadata(TypedDict):
    """What is used of a discovery document."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    end_session_endpoint: str


@dataclass(frozen=True)
class Service:
    issuer: str
    database: str
    device: App
    web: App
    # Of the service that takes access tokens.
    api: tuple[str, str]

    @property
    def metadata_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"


@contextlib.contextmanager
def service(binaries: str, folder: str, session: str = "") -> Iterator[Service]:
    """`session` is what else is said of sessions."""
    # Known before the carriers are started, which compare the address that users are sent back to.
    port, tls_port, app_port = free_ports(3)
    issuer = f"https://localhost:{tls_port}"
    files = certificate(folder)
    os.environ["REQUESTS_CA_BUNDLE"] = files[0]
    callbacks = [f"{issuer}/auth/{provider}/callback" for provider in ("zenkey", "plain")]
    database = f"{folder}/gatehouse.db"
    secret, api_secret = secrets.token_hex(8) + "+/%41=", secrets.token_hex(16)
    with carriers(binaries, folder, redirect_uris=callbacks) as simulated:
        configuration = f"{folder}/gatehouse.yaml"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                port=port, database=database, issuer=issuer, session=session, secret=secret, api_secret=api_secret,
                failures=FAILURES_A_MINUTE, **simulated.urls))
        gatehouse = [f"{binaries}/gatehouse", "serve", "--config", configuration]
        with running(gatehouse, port, f"{folder}/gatehouse.log", {"GATEHOUSE_LOG_LEVEL": "trace"}), \
                terminating(files, tls_port, port):
            yield Service(
                issuer, database,
                # RFC 8252 §7.3: an app on a device takes the port that is free just then.
                device=App("device-app", None, f"http://127.0.0.1:{app_port}/callback",
                           "com.example.device:/signed-out",
                           {"provider": "plain", "login_hint": "jane"}),
                web=App("web-app", secret, "https://app.example/callback", "https://app.example/signed-out",
                        {"provider": "zenkey", "mccmnc": "310410", "login_hint": "jane"}),
                api=("api", api_secret))
