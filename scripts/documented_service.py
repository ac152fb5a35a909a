"""A service with users and carriers for the commands of the documentation, and what they need beside it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from testbed.carriers import PLAIN_CLIENT, Carriers, carriers
from testbed.client import Client
from testbed.process import Process

ADMIN = re.compile(r"notice admin listening address=127\.0\.0\.1:(\d+)")
SERVING = re.compile(r"notice listening address=127\.0\.0\.1:(\d+)")
USERS = 12
PATIENCE = 60


@dataclass
class Service:
    """A configuration with its store, and the server on it where one runs."""

    binaries: str
    folder: pathlib.Path
    carriers: Carriers
    server: Process | None = None
    words: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> pathlib.Path:
        return self.folder / "gatehouse.yaml"

    def configure(self, config: pathlib.Path, store: str) -> None:
        def section(display_name: str, carrier: str) -> str:
            client, path = (PLAIN_CLIENT, "callback") if carrier == "plain" else (carrier, carrier)
            return f"""{{displayName: {display_name}, profile: openid, issuer: "{self.carriers.urls[carrier]}",
    allowLoopbackHTTP: true, clientID: {client}, clientSecret: demo-secret-plain,
    redirectURIs: ["com.example.app:/{path}"]}}"""

        config.write_text(f"""
http: {{port: 0}}
admin: {{port: 0, openOnLoopback: true}}
log: {{format: text}}
storage: {{url: "file:{store}"}}
providers: [example, okta, google]
provider:
  example: {section("Example", "plain")}
  okta: {section("Okta", "aurora")}
  google: {section("Google", "borealis")}
""", encoding="utf-8")

    def start(self, config: pathlib.Path) -> None:
        self.server = Process(
            [f"{self.binaries}/gatehouse", "serve", "--config", str(config)], str(self.folder / "server.log"))
        self.server.await_line(ADMIN)

    def stop(self) -> None:
        if self.server:
            self.server.stop()
            os.remove(self.folder / "server.log")
        self.server = None

    def port(self) -> int:
        assert self.server
        return int(self.server.await_line(SERVING)[1])

    def run(self, command: str, standard_input: str = "") -> subprocess.CompletedProcess[str]:
        for name, value in self.words.items():
            command = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w.-])", value.replace("\\", r"\\"), command)
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder, input=standard_input, text=True,
            capture_output=True, timeout=PATIENCE, check=False,
            env={**os.environ, "PATH": f"{self.binaries}:{os.environ['PATH']}"})


def first_users(service: Service) -> None:
    """One user with nine identities and eleven with one: the documentation speaks of users and identities by number."""
    plain = service.carriers.urls["plain"]
    with open(service.folder / "users.jsonl", "w", encoding="utf-8") as file:
        for number in range(1, USERS + 1):
            subjects = [f"subject-{number}-{one}" for one in range(9 if number == 1 else 1)]
            identities = [{"provider": "example", "issuer": plain, "subject": subject} for subject in subjects]
            profile = {"email": f"user{number}@example.com"}
            print(json.dumps({"identities": identities, "profile": profile}), file=file)


def firebase(service: Service) -> None:
    users = [{"localId": "a", "providerUserInfo": [{"providerId": "oidc.work", "rawId": "subject-of-work"}]},
             {"localId": "b", "providerUserInfo": [{"providerId": "google.com", "rawId": "110169484474386276334"}]}]
    (service.folder / "users.json").write_text(json.dumps({"users": users}), encoding="utf-8")
    # Known without --map by its issuer, which here is the carriers'.
    service.words["--dry-run"] = "--dry-run --map google.com=google --map oidc.work=okta"
    service.words["--skip-unmapped"] = "--skip-unmapped --map google.com=google"


def failed_sign_in(service: Service) -> None:
    """What a user who can't sign in reads from the app; the count is written once a minute, or as the server ends."""
    body = service.carriers.authorize("john", "plain")
    with Client(service.port()) as client:
        answer = client.call("POST", "/auth/signin", body={**body, "code": "no-such-code"})
    service.words["jlrv2qg4mqoldkp"] = str(answer.json["request_id"])
    service.stop()
    service.start(service.config)


def signed_in(service: Service) -> None:
    body = service.carriers.authorize("john", "plain")
    with Client(service.port()) as client:
        answer = client.call("POST", "/auth/signin", body=body)
        if answer.status != 200:
            sys.exit(f"a sign-in is answered with {answer}: {answer.json}")
    claims = str(answer.json["access_token"]).split(".")[1]
    service.words["reference"] = json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]


def id_token(service: Service) -> None:
    body = service.carriers.authorize("john", "plain")
    form = {**body, "grant_type": "authorization_code", "client_secret": "demo-secret-plain"}
    with Client(service.carriers.ports["plain"]) as client:
        token = client.call("POST", "/token", form=form).json["id_token"]
        configuration = client.call("GET", "/.well-known/openid-configuration").json
        keys = client.call("GET", "/" + configuration["jwks_uri"].split("/", 3)[3]).body
    (service.folder / "token").write_text(token, encoding="utf-8")
    (service.folder / "keys.json").write_bytes(keys)
    service.words |= {"https://login.example.com": service.carriers.urls["plain"], "your-client-id": PLAIN_CLIENT}


def own_code(service: Service) -> None:
    body = service.carriers.authorize("john", "plain")
    service.words |= {"CODE": body["code"], "VERIFIER": body["code_verifier"]}


def signing_key(service: Service) -> None:
    told = json.loads(service.run("gatehouse keys list --json --config FILE").stdout)
    service.words["KID"] = str(told["signing_keys"][0]["kid"])


def stopped(service: Service) -> None:
    service.stop()


def new_master_key(service: Service) -> None:
    service.run("openssl rand 32 | openssl base64 -A | tr '+/' '-_' | tr -d '=' > NEW.key && chmod 0400 NEW.key")
    service.words["NEW"] = "NEW.key"


def other_machine(service: Service) -> None:
    """The backup, the ledger and the master key, on a machine of their own."""
    other = service.folder / "other"
    other.mkdir()
    for name in ["backup.db", "gatehouse.db-ledger"]:
        (other / name).write_bytes((service.folder / name).read_bytes())
    (other / "restored.db.key").write_bytes((service.folder / "gatehouse.db.key").read_bytes())
    (other / "restored.db.key").chmod(0o600)
    service.configure(service.folder / "drill.yaml", str(other / "restored.db"))


def restored(service: Service) -> None:
    service.start(service.folder / "drill.yaml")


@contextlib.contextmanager
def service(binaries: str) -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder, carriers(binaries, folder) as served:
        made = Service(binaries, pathlib.Path(folder), served)
        made.words = {"FILE": str(made.config), "/etc/gatehouse/gatehouse.yaml": str(made.config),
                      "URL": served.urls["plain"]}
        made.configure(made.config, str(made.folder / "gatehouse.db"))
        made.start(made.config)
        try:
            yield made
        finally:
            made.stop()
