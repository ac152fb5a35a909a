"""glewlwyd, as Debian has it: one server with two providers, one signing with EdDSA and one with RS256, and as many
clients as are registered."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import sqlite3
import subprocess
import urllib.parse
from collections.abc import Iterator, Mapping

from browser import Browser, Page
from testbed.ports import free_port
from testbed.process import running

DOCUMENTATION = "/usr/share/doc/glewlwyd"
CLIENT, SECRET = "gatehouse", "s3cret+/&= with a blank"
USER, PASSWORD = "jane", "correct horse 7"


class Glewlwyd:
    def __init__(self, port: int, redirect_uri: str, log: str) -> None:
        self.port, self.redirect_uri, self.log_file = port, redirect_uri, log
        self.admin = Browser("127.0.0.1", port)
        # The credentials that the packaged database begins with.
        api(self.admin, "POST", "/auth/", {"username": "admin", "password": "password"})

    def issuer(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/api/{name}"

    def log(self) -> str:
        with open(self.log_file, encoding="utf-8") as file:
            return file.read()

    def register(self, client: str, method: str, **properties: object) -> None:
        """A client that may prove itself by this one method. The password is known to all of them, so that one who is
        refused with it is refused for the method."""
        api(self.admin, "POST", "/client/", {
            "client_id": client, "name": client, "confidential": True, "enabled": True, "password": SECRET,
            "scope": ["openid"], "redirect_uri": [self.redirect_uri], "authorization_type": ["code"],
            "token_endpoint_auth_method": [method], **properties})

    def code(self, name: str, parameters: Mapping[str, str], client: str = CLIENT) -> dict[str, str]:
        """Signs the user in, grants the scope, and gives what comes back to the app."""
        browser = Browser("127.0.0.1", self.port)
        api(browser, "POST", "/auth/", {"username": USER, "password": PASSWORD})
        api(browser, "PUT", f"/auth/grant/{client}", {"scope": "openid"})
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": client, "redirect_uri": self.redirect_uri, "scope": "openid",
            "g_continue": "", **parameters})
        answer = browser.follow(browser.send("GET", f"/api/{name}/auth?{query}"), self.redirect_uri)
        if isinstance(answer, Page):
            raise RuntimeError(f"glewlwyd shows a page with status {answer.status} instead of sending the user back")
        return answer


def api(browser: Browser, method: str, path: str, body: Mapping[str, object]) -> None:
    page = browser.send(method, "/api" + path, json.dumps(body), {"Content-Type": "application/json"})
    if page.status != 200:
        raise RuntimeError(f"glewlwyd answers {page.status} to {method} {path}: {page.text}")


@contextlib.contextmanager
def glewlwyd(folder: str, redirect_uri: str) -> Iterator[Glewlwyd]:
    os.makedirs(folder)
    port = free_port()
    configuration = configure(folder, port)
    log = f"{folder}/glewlwyd.log"
    with running(["glewlwyd", f"--config-file={configuration}"], port, log):
        server = Glewlwyd(port, redirect_uri, log)
        for name, algorithm, options in [
            ("eddsa", "eddsa", ["-algorithm", "ed25519"]),
            ("rsa", "rsa", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
        ]:
            private, public = keys(folder, name, options)
            api(server.admin, "POST", "/mod/plugin/", provider(server.issuer(name), name, algorithm, private, public))
        api(server.admin, "POST", "/user/", {
            "username": USER, "name": "Jane Doe", "email": "jane@example.com", "password": PASSWORD,
            "scope": ["openid"], "enabled": True})
        server.register(CLIENT, "client_secret_basic")
        yield server


def configure(folder: str, port: int) -> str:
    database = f"{folder}/glewlwyd.db"
    with gzip.open(f"{DOCUMENTATION}/database/init.sqlite3.sql.gz", "rt", encoding="utf-8") as script, \
            contextlib.closing(sqlite3.connect(database)) as connection:
        connection.executescript(script.read())
    with gzip.open(f"{DOCUMENTATION}/glewlwyd.conf.sample.gz", "rt", encoding="utf-8") as sample:
        text = sample.read()
    for pattern, value in [
        (r"^#?\s*port=.*$", f"port={port}"), (r"^#?\s*bind_address=.*$", 'bind_address="127.0.0.1"'),
        (r"^#?\s*external_url=.*$", f'external_url="http://127.0.0.1:{port}"'),
        (r"^#?\s*cookie_domain=.*$", 'cookie_domain="127.0.0.1"'), (r"^#?\s*cookie_secure=.*$", "cookie_secure=0"),
        (r'path\s*=\s*"[^"]*glewlwyd\.db"', f'path = "{database}"'),
    ]:
        text, count = re.subn(pattern, value, text, count=1, flags=re.MULTILINE)
        if count == 0:
            raise RuntimeError(f"glewlwyd's sample configuration has nothing like {pattern}")
    path = f"{folder}/glewlwyd.conf"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def keys(folder: str, name: str, options: list[str]) -> tuple[str, str]:
    private, public = f"{folder}/{name}.key", f"{folder}/{name}.pub"
    subprocess.run(["openssl", "genpkey", *options, "-out", private], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    with open(private, encoding="utf-8") as first, open(public, encoding="utf-8") as second:
        return first.read(), second.read()


def provider(issuer: str, name: str, algorithm: str, private: str, public: str) -> dict[str, object]:
    return {"module": "oidc", "name": name, "display_name": name, "enabled": True, "parameters": {
        "iss": issuer, "jwt-type": algorithm, "jwt-key-size": "256", "key": private, "cert": public,
        "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
        "refresh-token-rolling": True, "auth-type-code-enabled": True, "auth-type-refresh-enabled": True,
        "allow-non-oidc": False, "pkce-allowed": True, "pkce-method-plain-allowed": False,
        "subject-type": "public", "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no",
        # Where a client's keys are looked for; without the first none are.
        "request-parameter-allow": True, "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
        "claims": [], "jwks-show": True, "scope": [{"name": "openid", "refresh-token-rolling": True}]}}
