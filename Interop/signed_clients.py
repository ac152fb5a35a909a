"""Clients that prove who they are by assertions (RFC 7523), at providers that take nothing else of them."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import Protocol

from app import CodeApp, KeySet, Parameters
from canaille import Canaille
from checks import Checks
from configuration import section, written
from glewlwyd import Glewlwyd

# Of 32 bytes or more, which HS256 asks for.
SECRET = "a secret that never leaves this side"
# At glewlwyd: one whose keys it reads at our address, those whose keys it was given, and those with a secret.
READ, GIVEN, STRANGER = "gatehouse-read", "gatehouse-given", "gatehouse-stranger"
SHARING, MISTAKEN = "gatehouse-sharing", "gatehouse-mistaken"
WAIT_SECONDS = 20


class Command(Protocol):
    """Runs gatehouse with the configuration of the server."""

    def __call__(self, *words: str) -> None: ...


@dataclass
class Trial:
    """A provider of Gatehouse's, and whether its client is taken for who it says."""
    name: str
    client: str
    lines: list[str]
    what: str
    is_taken: bool = True


class SignedClients:
    def __init__(
            self, glewlwyd: Glewlwyd, canaille: Canaille, folder: str, port: int,
            secret_files: tuple[str, str]) -> None:
        self.glewlwyd, self.canaille, self.folder, self.port = glewlwyd, canaille, folder, port
        file = f"{folder}/client.key"
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file],
            check=True, stderr=subprocess.DEVNULL)
        own = ["clientAuthentication: private_key_jwt", f"clientKeyFile: {file}", "clientKeyID: by-hand"]
        by_secret = [f"clientSecretFile: {written(f'{folder}/client.secret', SECRET)}"]
        password, known = (f"clientSecretFile: {file}" for file in secret_files)
        self.trials = [
            Trial("glewlwyd-rs256", READ, ["clientAuthentication: private_key_jwt"], "RS256, by jwks_uri"),
            Trial("glewlwyd-es256", READ, ["clientAuthentication: private_key_jwt", "assertionAlgorithm: ES256"],
                  "ES256, by jwks_uri"),
            Trial("glewlwyd-file", GIVEN, own, "a key of the provider's own, by jwks"),
            Trial("glewlwyd-secret", SHARING, ["clientAuthentication: client_secret_jwt", *by_secret],
                  "HS256 under the secret"),
            Trial("glewlwyd-basic", READ, [password, "basicEncoding: raw"], "its password in Basic", False),
            Trial("glewlwyd-post", READ, [password, "clientAuthentication: client_secret_post"],
                  "its password in the form", False),
            Trial("glewlwyd-wrong-method", SHARING, own, "a key, where it has a secret", False),
            Trial("glewlwyd-wrong-key", STRANGER, own, "a key that is not the client's", False),
            Trial("glewlwyd-wrong-secret", MISTAKEN, ["clientAuthentication: client_secret_jwt", *by_secret],
                  "a secret that is not the client's", False),
            Trial("canaille-file", canaille.SIGNING, own, "a key of the provider's own, by jwks"),
            Trial("canaille-basic", canaille.SIGNING, [known, "basicEncoding: raw"], "its secret in Basic", False),
        ]

    @property
    def names(self) -> list[str]:
        return [trial.name for trial in self.trials]

    @property
    def sections(self) -> list[str]:
        def issuer(trial: Trial) -> str:
            return self.canaille.issuer if trial.client == self.canaille.SIGNING else self.glewlwyd.issuer("rsa")

        return [section(trial.name, issuer(trial), trial.client, trial.lines) for trial in self.trials]

    def register(self, keys: KeySet) -> None:
        """Tells the providers what Gatehouse, which runs, publishes."""
        by_hand = {"keys": [key for key in keys["keys"] if key["kid"] == "by-hand"]}
        others = {"keys": [key for key in keys["keys"] if key["kid"] != "by-hand"]}
        uri = f"http://127.0.0.1:{self.port}/auth/client-jwks.json"
        self.glewlwyd.register(READ, "private_key_jwt", jwks_uri=uri)
        self.glewlwyd.register(GIVEN, "private_key_jwt", jwks=by_hand)
        self.glewlwyd.register(STRANGER, "private_key_jwt", jwks=others)
        self.glewlwyd.register(SHARING, "client_secret_jwt", client_secret=SECRET)
        self.glewlwyd.register(MISTAKEN, "client_secret_jwt", client_secret=SECRET[::-1])
        self.canaille.register_key(json.dumps(by_hand))

    def app(self, trial: Trial) -> CodeApp:
        def authorize(parameters: Parameters) -> Parameters:
            if trial.client == self.canaille.SIGNING:
                return self.canaille.code(trial.client, parameters)
            return self.glewlwyd.code("rsa", parameters, trial.client)

        return CodeApp(self.port, trial.name, authorize)

    def sign_ins(self, checks: Checks, log: str) -> None:
        keys = self.app(self.trials[0]).client_keys()
        checks.equal("clients that sign: their keys are published, the shared ones and the file's",
                     sorted((key["kty"], key["kid"] == "by-hand") for key in keys["keys"]),
                     [("EC", False), ("EC", True), ("RSA", False)])
        self.register(keys)
        for trial in self.trials:
            app = self.app(trial)
            for times in (["", ", and once more"] if trial.is_taken else [""]):
                status, answer = app.post(app.code())
                if trial.is_taken:
                    checks.expect(f"{trial.name}: {trial.what}: a user signs in{times}",
                                  status == 200 and "user_id" in answer.get("user", {}), (status, answer))
                else:
                    checks.expect(f"{trial.name}: {trial.what}: the client is refused",
                                  (status, answer.get("error")) == (502, "provider_error"), (status, answer))
        for provider in ("glewlwyd-basic", "glewlwyd-post", "canaille-basic"):
            checks.expect(f"{provider}: the log tells that it was the client", self.is_told(log, provider))
        with open(log, encoding="utf-8") as file:
            text = file.read()
        # Of a wrong assertion glewlwyd tells nobody but its own log.
        seen = self.glewlwyd.log()
        for client in (SHARING, STRANGER, MISTAKEN):
            checks.expect(f"{client}: glewlwyd refused the client, not the code",
                          f"Authorization invalid for client_id {client} " in seen)
        checks.expect("clients that sign: Gatehouse's log has no assertion and no secret",
                      not any(word in text for word in ("eyJ", "client_assertion=", SECRET)))

    @staticmethod
    def is_told(log: str, provider: str) -> bool:
        """Whether the log has it: its lines are written by a thread of their own, behind the answers."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            with open(log, encoding="utf-8") as file:
                if any(f"provider={provider} " in line and "our client was refused with" in line for line in file):
                    return True
            time.sleep(0.05)
        return False

    def rotates(self, checks: Checks, command: Command) -> None:
        """`command` runs gatehouse beside the server. The old keys are withdrawn, so that only the new ones can
        serve."""
        app = self.app(self.trials[0])
        old = {key["kid"] for key in app.client_keys()["keys"]} - {"by-hand"}
        command("keys", "rotate", "--client", "--now")
        for kid in sorted(old):
            command("keys", "retire", "--", kid)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            kids = {key["kid"] for key in app.client_keys()["keys"]} - {"by-hand"}
            if len(kids) == len(old) and not kids & old:
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"{sorted(kids)} are published, and before it was {sorted(old)}")
            time.sleep(0.2)
        for trial in self.trials[:2]:
            app = self.app(trial)
            status, answer = app.post(app.code())
            checks.expect(f"{trial.name}: {trial.what}: a user signs in with the next key, the old one withdrawn",
                          status == 200, (status, answer))
