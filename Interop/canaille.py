"""canaille, as PyPI has it: one provider with a client for each signature algorithm, and one that signs who it is."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Protocol

from browser import Browser, Page
from native_tokens import APP, STRANGER
from testbed.ports import free_port
from testbed.process import running

CLIENTS = {"EdDSA": "gatehouse-eddsa", "RS256": "gatehouse-rs256"}
SECRET = "s3cret+/&= with a blank"
USER, PASSWORD = "jane", "correct horse 7 battery"


class Command(Protocol):
    """Runs canaille's own program, and returns what that prints."""

    def __call__(self, *arguments: str, configured: bool = True) -> str: ...


class Canaille:
    # The client that has to sign.
    SIGNING = "gatehouse-signing"

    def __init__(self, port: int, redirect_uri: str, command: Command) -> None:
        self.port, self.redirect_uri, self.command = port, redirect_uri, command
        self.issuer = f"http://127.0.0.1:{port}"

    def register_key(self, keys: str) -> None:
        """The one key of the client that has to sign, as a JWK set: canaille does not choose by `kid`."""
        self.command("set", "client", self.SIGNING, "--jwks", keys, "--quiet")

    def code(self, client: str, parameters: Mapping[str, str]) -> dict[str, str]:
        """Signs the user in, consents, and gives what comes back to the app."""
        # Two access tokens of one second are the same to it, which its database refuses.
        time.sleep(1.1)
        browser = Browser("127.0.0.1", self.port)
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": self.redirect_uri,
            "scope": "openid profile email", **parameters})
        answer = browser.follow(browser.send("GET", f"/oauth/authorize?{query}"), self.redirect_uri)
        for fields in [{"login": USER}, {"password": PASSWORD}, {"answer": "accept"}]:
            if not isinstance(answer, Page):
                break
            answer = browser.follow(browser.post(answer.url, {**answer.form(), **fields}), self.redirect_uri)
        if isinstance(answer, Page):
            raise RuntimeError(f"canaille shows a page with status {answer.status} instead of sending the user back")
        return answer


@contextlib.contextmanager
def canaille(folder: str, program: str, redirect_uri: str) -> Iterator[Canaille]:
    os.makedirs(folder)
    port = free_port()
    environment = {"CANAILLE_CONFIG": f"{folder}/config.toml"}

    def command(*arguments: str, configured: bool = True) -> str:
        done = subprocess.run(
            [program, *arguments], cwd=folder, capture_output=True, text=True,
            env={**os.environ, **(environment if configured else {})})
        if done.returncode != 0:
            raise RuntimeError(f"canaille {arguments[0]} {arguments[1]} fails: {done.stderr[-2000:]}")
        return done.stdout

    keys = [json.loads(command("jwk", "create", kind, configured=False)) for kind in ("okp", "rsa")]
    with open(environment["CANAILLE_CONFIG"], "w", encoding="utf-8") as file:
        file.write(configuration(folder, port, keys))
    command("install")
    command(
        "create", "user", "--user-name", USER, "--password", PASSWORD, "--family-name", "Doe", "--given-name", "Jane",
        "--formatted-name", "Jane Doe", "--emails", "jane@example.com", "--quiet")
    for client, method, algorithm in [
        *((client, "client_secret_basic", algorithm) for algorithm, client in CLIENTS.items()),
        *((client, "client_secret_basic", "RS256") for client in (APP, STRANGER)),
        (Canaille.SIGNING, "private_key_jwt", "RS256"),
    ]:
        command(
            "create", "client", "--client-id", client, "--client-secret", SECRET, "--client-name", client,
            "--redirect-uris", redirect_uri, "--token-endpoint-auth-method", method,
            "--grant-types", "authorization_code", "--response-types", "code",
            "--scope", "openid", "--scope", "profile", "--scope", "email",
            "--id-token-signed-response-alg", algorithm, "--quiet")
        # A client that was registered at its endpoint is its own audience; one that was made here is so when told.
        command("set", "client", client, "--audience", client, "--quiet")
    with running([program, "run", "--bind", f"127.0.0.1:{port}"], port, f"{folder}/canaille.log", environment):
        yield Canaille(port, redirect_uri, command)


def configuration(folder: str, port: int, keys: list[dict[str, object]]) -> str:
    def inline(table: dict[str, object]) -> str:
        return "{" + ", ".join(f"{name} = {json.dumps(value)}" for name, value in table.items()) + "}"

    return f"""\
SECRET_KEY = "{os.urandom(24).hex()}"
SERVER_NAME = "127.0.0.1:{port}"
PREFERRED_URL_SCHEME = "http"
[CANAILLE]
DATABASE = "sql"
[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{folder}/canaille.db"
[CANAILLE_OIDC]
ACTIVE_JWKS = [{", ".join(inline(key) for key in keys)}]
"""
