"""Real sign-ins through a built Gatehouse at providers that others have written. Run by scripts/interop."""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

from app import Authorize, CodeApp, Parameters, User
from canaille import CLIENTS, canaille
from canaille import SECRET as CANAILLE_SECRET
from checks import Checks
from configuration import REDIRECT_URI, configuration, section, written
from glewlwyd import CLIENT, glewlwyd
from glewlwyd import SECRET as GLEWLWYD_SECRET
from native_tokens import APP, SDK, STRANGER, NativeTokens
from signed_clients import SignedClients
from testbed.ports import free_ports
from testbed.process import running


def sign_ins(checks: Checks, app: CodeApp, is_new: bool, log: str) -> None:
    """What must come of codes at one provider. A user of the same issuer and subject is the same user."""
    name = app.provider
    body = app.code()
    status, first = app.post(body)
    checks.expect(f"{name}: a user signs in", status == 200 and first.get("new_user") is is_new, (status, first))
    user: User = first.get("user", {})
    checks.expect(
        f"{name}: with name and e-mail address",
        (user.get("name"), user.get("email")) == ("Jane Doe", "jane@example.com"), user)
    status, again = app.post(app.code())
    checks.expect(
        f"{name}: and is known the next time",
        status == 200 and again.get("new_user") is False and again["user"].get("user_id") == user.get("user_id"),
        (status, again))
    # An app that has lost the answer and can prove what the sign-in takes has it again, without the provider.
    status, same = app.post(body)
    checks.expect(f"{name}: a sign-in that is sent again gets the same answer",
                  status == 200 and (same.get("user"), same.get("new_user")) == (user, is_new), (status, same))
    # The provider itself has to say no to these.
    for what, change in [
        ("a code that was used", {"code": body["code"]}), ("a made-up code", {"code": secrets.token_hex(16)}),
        ("another verifier", {"code_verifier": secrets.token_urlsafe(48)}),
    ]:
        status, refused = app.post({**app.code(), **change})
        checks.expect(
            f"{name}: {what} is refused as the code's fault", (status, refused.get("error")) == (401, "invalid_grant"),
            (status, refused))
    status, wrong = app.post({**app.code(), "nonce": "another"})
    checks.expect(
        f"{name}: another nonce is found out", (status, wrong.get("reason")) == (401, "nonce"), (status, wrong))
    with open(log, encoding="utf-8") as file:
        text = file.read()
    checks.expect(f"{name}: the log tells the provider's words",
                  f"provider={name}" in text and "provider_error=" in text, "")
    checks.expect(
        f"{name}: and nothing that was sent",
        not any(body[part] in text for part in ("code", "code_verifier", "nonce")), "")


@contextlib.contextmanager
def tried(checks: Checks, name: str) -> Iterator[None]:
    """What comes after is tried all the same."""
    try:
        yield
    except (RuntimeError, OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        checks.expect(f"{name}: could be tried to the end", False, repr(error))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gatehouse", required=True)
    parser.add_argument("--canaille", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    checks = Checks()
    with glewlwyd(f"{folder}/glewlwyd", REDIRECT_URI) as first, \
            canaille(f"{folder}/canaille", arguments.canaille, REDIRECT_URI) as second:
        glewlwyd_secret = written(f"{folder}/glewlwyd.secret", GLEWLWYD_SECRET)
        canaille_secret = written(f"{folder}/canaille.secret", CANAILLE_SECRET)
        port, admin_port = free_ports(2)
        # Both take identifier and secret as they are. Under EdDSA, glewlwyd hashes with SHA-256.
        at_first = [f"clientSecretFile: {glewlwyd_secret}", "basicEncoding: raw"]
        at_second = [f"clientSecretFile: {canaille_secret}", "basicEncoding: raw"]
        eddsa = ["algorithms: [EdDSA]"]
        usual = "glewlwyd-usual-hash"
        sections = [
            section("glewlwyd-eddsa", first.issuer("eddsa"), CLIENT, [*at_first, "atHashOfEdDSA: sha256", *eddsa]),
            section("glewlwyd-rsa", first.issuer("rsa"), CLIENT, at_first),
            section("canaille-eddsa", second.issuer, CLIENTS["EdDSA"], [*at_second, *eddsa]),
            section("canaille-rsa", second.issuer, CLIENTS["RS256"], at_second),
            section(usual, first.issuer("eddsa"), CLIENT, [*at_first, *eddsa]),
        ]
        apps: list[tuple[str, bool, Authorize]] = [
            ("glewlwyd-eddsa", True, lambda parameters: first.code("eddsa", parameters)),
            ("glewlwyd-rsa", True, lambda parameters: first.code("rsa", parameters)),
            ("canaille-eddsa", True, lambda parameters: second.code(CLIENTS["EdDSA"], parameters)),
            ("canaille-rsa", False, lambda parameters: second.code(CLIENTS["RS256"], parameters)),
        ]
        signed = SignedClients(first, second, folder, port, (glewlwyd_secret, canaille_secret))
        for client in (APP, STRANGER):
            first.register(client, "client_secret_basic")

        def sdk(key: str) -> SDK:
            def authorize(client: str, parameters: Parameters) -> Parameters:
                return first.code(key, parameters, client)

            return SDK(first.issuer(key), GLEWLWYD_SECRET, authorize)

        native = NativeTokens(port, {
            **{f"glewlwyd-native-{key}": sdk(key) for key in ("rsa", "eddsa")},
            "canaille-native": SDK(second.issuer, CANAILLE_SECRET, second.code),
        }, {
            "glewlwyd-native-rsa": (CLIENT, at_first), "glewlwyd-native-eddsa": (CLIENT, [*at_first, *eddsa]),
            "canaille-native": (CLIENTS["RS256"], at_second),
        })
        file = configuration(
            folder, port, admin_port, [*(name for name, _, _ in apps), usual, *signed.names, *native.names],
            sections + signed.sections + native.sections)
        log = f"{folder}/gatehouse.log"

        def command(*words: str) -> None:
            subprocess.run(
                [arguments.gatehouse, *words[:2], "--config", file, *words[2:]], check=True, capture_output=True)

        with running([arguments.gatehouse, "serve", "--config", file], port, log):
            for name, is_new, authorize in apps:
                with tried(checks, name):
                    sign_ins(checks, CodeApp(port, name, authorize), is_new, log)
            with tried(checks, usual):
                hashed = CodeApp(port, usual, apps[0][2])
                status, refused = hashed.post(hashed.code())
                checks.expect(
                    f"{usual}: without atHashOfEdDSA the hash is found out",
                    (status, refused.get("reason")) == (401, "at_hash"), (status, refused))
            with tried(checks, "native tokens"):
                native.sign_ins(checks, log)
            with tried(checks, "clients that sign"):
                signed.sign_ins(checks, log)
                signed.rotates(checks, command)
    if checks.failed:
        print(f"Logs: {folder}")
    return checks.ended()


if __name__ == "__main__":
    sys.exit(main())
