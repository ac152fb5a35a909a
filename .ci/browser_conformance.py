#!/usr/bin/env python3
"""Puts Gatehouse's browser sign-in through the OpenID Foundation's relying-party tests: an app's authorization request
for each test, at a provider that misbehaves as the test has it, and what comes back to the app.

usage: browser_conformance.py --gatehouse BINARY --conformance DIR [--work DIR] [--only TEST ...]

DIR of --conformance has run.py, whose table of tests this takes over, and the test provider, rp_test_op.py. The
provider's packages are where run.py has installed them, in the folder that both have as --work. Ends with "N passed, N
failed", and with status 1 when one failed. Each run first shows each way to fail failing. """

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from typing import cast

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

from conformance_app import APP, APP_ADDRESS, Answer, App, Browser, self_test

from testbed.ports import free_ports
from testbed.process import running

CLIENT, SECRET = "swift-rp", "swift-rp-secret-0123456789abcdef-0123456789"
# What the app must be told, how often it signs in, and what the client is registered with where the test needs that.
Row = tuple[Answer, int, str | None]
SECTION = """\
  {name}:
    profile: openid
    issuer: {issuer}
    clientID: "{client}"
    clientSecret: "{secret}"
    redirectURIs: ["com.example.app:/cb"]
    algorithms: [{algorithm}]
    allowLoopbackHTTP: true
    timeoutSeconds: 30
    signInTimeoutSeconds: 60
"""


def table(path: str) -> dict[str, Row]:
    """The tests as run.py has them. It is a program and no module, so its assignments are taken out of it."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    wanted: list[ast.stmt] = [
        node for node in tree.body if isinstance(node, ast.Assign)
        and {name.id for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name)} & {"OK", "TESTS"}]
    names: dict[str, object] = {}
    exec(compile(ast.Module(wanted, []), path, "exec"), names)
    # The program is not ours, so what its rows are is taken on trust.
    return cast("dict[str, Row]", names["TESTS"])


def answers(url: str) -> bool:
    with contextlib.suppress(OSError):
        return Browser().send(url).status < 500
    return False


@contextlib.contextmanager
def serving(command: list[str], log: str, ready: str, seconds: float) -> Iterator[None]:
    """A server, from when the address answers."""
    with running(command, None, log) as process:
        process.awaited(lambda: answers(ready) or None, seconds, f"is of one that does not answer {ready}")
        yield


def section(test: str, algorithm: str | None, issuer: str, callback: str) -> str:
    """A provider's section of the configuration; where the test needs settings of its own, of a client registered for
    it."""
    client, secret = CLIENT, SECRET
    if algorithm:
        # The advertised address, even where the document lies about its issuer.
        metadata = json.loads(Browser().send(f"{issuer}/.well-known/openid-configuration").content)
        name, _, value = algorithm.rpartition(":")
        wish = "userinfo_signed_response_alg" if name == "userinfo" else "id_token_signed_response_alg"
        registration = {"redirect_uris": [callback], "response_types": ["code"], "contacts": ["rp@example.com"],
                        "token_endpoint_auth_method": "client_secret_basic", wish: value}
        page = Browser().send(
            metadata["registration_endpoint"], json.dumps(registration).encode(), "application/json")
        if page.status not in (200, 201):
            raise RuntimeError(f"{test}: registration answered {page.status}")
        registered = json.loads(page.content)
        client, secret = registered["client_id"], registered["client_secret"]
    return SECTION.format(name=provider_name(test), issuer=issuer, client=client, secret=secret,
                          algorithm="ES256" if algorithm == "ES256" else "RS256")


def provider_name(test: str) -> str:
    return test.replace("_", "-")


def main() -> int:
    self_test()
    parser = argparse.ArgumentParser()
    parser.add_argument("--gatehouse", required=True)
    parser.add_argument("--conformance", required=True)
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "gatehouse-rp-tests"))
    parser.add_argument("--only", nargs="*")
    arguments = parser.parse_args()
    tests = {name: row for name, row in table(f"{arguments.conformance}/run.py").items()
             if not arguments.only or name in arguments.only}
    folder = f"{arguments.work}/browser"
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(f"{folder}/{name}")
    provider_port, port, admin_port = free_ports(3)
    issuer, base = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{provider_port}/gatehouse"
    callbacks = {test: f"{issuer}/auth/{provider_name(test)}/callback" for test in tests}
    provider = [f"{arguments.work}/venv/bin/python", "-B", f"{arguments.conformance}/rp_test_op.py", str(provider_port),
                "--redirect", *callbacks.values()]
    passed = failed = 0
    ready = f"{base}/rp-response_type-code/.well-known/openid-configuration"
    with serving(provider, f"{folder}/provider.log", ready, 60):
        with open(f"{folder}/gatehouse.yaml", "w", encoding="utf-8") as file:
            file.write(f"http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}\n"
                       f"admin: {{host: 127.0.0.1, port: {admin_port}}}\n"
                       f"storage: {{url: 'file:{folder}/users.db'}}\nsession: {{issuer: '{issuer}'}}\n"
                       f"log: {{level: trace}}\napps: [conformance]\napp:\n"
                       f"  conformance: {{clientID: {APP}, redirectURIs: ['{APP_ADDRESS}']}}\n"
                       f"providers: [{', '.join(map(provider_name, tests))}]\nprovider:\n")
            for test, (_, _, algorithm) in tests.items():
                file.write(section(test, algorithm, f"{base}/{test}", callbacks[test]))
        gatehouse = [arguments.gatehouse, "serve", "--config", f"{folder}/gatehouse.yaml"]
        with serving(gatehouse, f"{folder}/gatehouse.log", f"{issuer}/healthz", 20):
            app = App(issuer)
            for test, (answer, times, _) in tests.items():
                outcomes = [app.sign_in(provider_name(test)) for _ in range(times)]
                is_right, seen = all(outcome.is_as(answer) for outcome in outcomes), outcomes[-1]
                passed, failed = passed + is_right, failed + (not is_right)
                print(f"{'pass' if is_right else 'FAIL'}  {test:40} {seen}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
