#!/usr/bin/env python3
"""Puts Gatehouse's browser sign-in through the OpenID Foundation's relying-party tests: an app's authorization request for each
test, at a provider that misbehaves as the test has it, and what comes back to the app.

usage: browser_conformance.py --gatehouse BINARY --conformance DIR [--work DIR] [--only TEST ...]

DIR of --conformance has run.py, whose table of tests this takes over, and the test provider, rp_test_op.py. The provider's
packages are where run.py has installed them, in the folder that both have as --work. Ends with "N passed, N failed", and
with status 1 when one failed.
"""

import argparse
import ast
import base64
import contextlib
import hashlib
import http.cookiejar
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

APP, APP_ADDRESS = "conformance-app", "https://app.example/callback"
CLIENT, SECRET = "swift-rp", "swift-rp-secret-0123456789abcdef-0123456789"
MOST_STEPS = 20
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


def table(path):
    """The tests as run.py has them. It is a program and no module, so its assignments are taken out of it."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    wanted = [
        node for node in tree.body if isinstance(node, ast.Assign)
        and {name.id for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name)} & {"OK", "TESTS"}]
    names = {}
    exec(compile(ast.Module(wanted, []), path, "exec"), names)
    return names["TESTS"]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    """Keeps cookies, and is told where it is sent instead of going there."""

    def __init__(self):
        self.opener = urllib.request.build_opener(
            NoRedirect, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def send(self, url, body=None, media_type="application/x-www-form-urlencoded", headers=None):
        """Status, address that it is sent on to, and content."""
        request = urllib.request.Request(url, body, {**({"Content-Type": media_type} if body else {}), **(headers or {})})
        try:
            with self.opener.open(request, timeout=70) as answer:
                return answer.status, None, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers.get("location"), answer.read()

    def follow(self, url):
        """The parameters that come back to the app; a page instead of them is an error of the run."""
        for _ in range(MOST_STEPS):
            status, location, content = self.send(url)
            if location is None:
                raise RuntimeError(f"status {status} instead of a redirect: {content[:200]!r}")
            url = urllib.parse.urljoin(url, location)
            if url.startswith(APP_ADDRESS + "?"):
                return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        raise RuntimeError("redirects for ever")


@contextlib.contextmanager
def running(command, log, ready, seconds):
    """A server, from when the address answers."""
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError):
                if Browser().send(ready)[0] < 500:
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} does not answer; see {log}")
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def section(test, algorithm, issuer, callback):
    """A provider's section of the configuration; where the test needs settings of its own, of a client registered for it."""
    client, secret = CLIENT, SECRET
    if algorithm:
        # The advertised address, even where the document lies about its issuer.
        metadata = json.loads(Browser().send(f"{issuer}/.well-known/openid-configuration")[2])
        name, _, value = algorithm.rpartition(":")
        wish = "userinfo_signed_response_alg" if name == "userinfo" else "id_token_signed_response_alg"
        registration = {"redirect_uris": [callback], "response_types": ["code"], "contacts": ["rp@example.com"],
                        "token_endpoint_auth_method": "client_secret_basic", wish: value}
        status, _, content = Browser().send(
            metadata["registration_endpoint"], json.dumps(registration).encode(), "application/json")
        if status not in (200, 201):
            raise RuntimeError(f"{test}: registration answered {status}")
        registered = json.loads(content)
        client, secret = registered["client_id"], registered["client_secret"]
    return SECTION.format(name=provider_name(test), issuer=issuer, client=client, secret=secret,
                          algorithm="ES256" if algorithm == "ES256" else "RS256")


def provider_name(test):
    return test.replace("_", "-")


class App:
    """A public app; each sign-in is in a browser of its own."""

    def __init__(self, issuer):
        self.issuer = issuer

    def sign_in(self, provider):
        """What came of it: the error that the app was told, or None; what it was told besides; what was wrong with that."""
        verifier, state, nonce = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        answer = Browser().follow(f"{self.issuer}/auth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": APP, "redirect_uri": APP_ADDRESS, "provider": provider,
            "scope": "openid profile email", "state": state, "nonce": nonce, "code_challenge": challenge,
            "code_challenge_method": "S256"}))
        faults = [name for name, value in (("state", state), ("iss", self.issuer)) if answer.get(name) != value]
        if "code" in answer and "error" in answer:
            faults.append("code and error")
        if "code" in answer:
            faults += self.redeem(answer["code"], verifier, nonce)
        elif "error" not in answer:
            faults.append("neither code nor error")
        return answer.get("error"), answer.get("error_description", ""), faults

    def redeem(self, code, verifier, nonce):
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": APP_ADDRESS, "client_id": APP,
                "code_verifier": verifier}
        status, _, content = Browser().send(f"{self.issuer}/auth/token", urllib.parse.urlencode(form).encode())
        if status != 200:
            return [f"the code is answered with {status}"]
        tokens = json.loads(content)
        payload = tokens["id_token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        status, _, content = Browser().send(
            f"{self.issuer}/auth/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
        wrong = []
        if (claims["aud"], claims["nonce"]) != (APP, nonce):
            wrong.append("ID token")
        if status != 200 or json.loads(content)["sub"] != claims["sub"]:
            wrong.append("userinfo")
        return wrong


def wanted(status, error, reason):
    """What the app is told of what a posted code is answered with: an error of OAuth, and a word in its description."""
    if status == 200:
        return None, ""
    # The provider's fault, whatever it was: nothing that the app or its user could mend.
    return "server_error", f"({reason})" if reason else {
        "userinfo_mismatch": "userinfo", "provider_error": "discovery"}[error]


def main():
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
    provider_port, port, admin_port = free_port(), free_port(), free_port()
    issuer, base = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{provider_port}/gatehouse"
    callbacks = {test: f"{issuer}/auth/{provider_name(test)}/callback" for test in tests}
    provider = [f"{arguments.work}/venv/bin/python", "-B", f"{arguments.conformance}/rp_test_op.py", str(provider_port),
                "--redirect", *callbacks.values()]
    passed = failed = 0
    with running(provider, f"{folder}/provider.log", f"{base}/rp-response_type-code/.well-known/openid-configuration", 60):
        with open(f"{folder}/gatehouse.yaml", "w", encoding="utf-8") as file:
            file.write(f"http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}\n"
                       f"admin: {{host: 127.0.0.1, port: {admin_port}}}\n"
                       f"storage: {{url: 'file:{folder}/users.db'}}\nsession: {{issuer: '{issuer}'}}\nlog: {{level: trace}}\n"
                       f"apps: [conformance]\napp:\n  conformance: {{clientID: {APP}, redirectURIs: ['{APP_ADDRESS}']}}\n"
                       f"providers: [{', '.join(map(provider_name, tests))}]\nprovider:\n")
            for test, (_, _, algorithm) in tests.items():
                file.write(section(test, algorithm, f"{base}/{test}", callbacks[test]))
        gatehouse = [arguments.gatehouse, "serve", "--config", f"{folder}/gatehouse.yaml"]
        with running(gatehouse, f"{folder}/gatehouse.log", f"{issuer}/healthz", 20):
            app = App(issuer)
            for test, (answer, times, _) in tests.items():
                error, word = wanted(*answer)
                is_right, seen = True, ""
                for _ in range(times):
                    told, description, faults = app.sign_in(provider_name(test))
                    is_right = is_right and told == error and word in description and not faults
                    seen = " ".join([f"{told}: {description}" if told else "code, redeemed", *(f"WRONG: {fault}" for fault in faults)])
                passed, failed = passed + is_right, failed + (not is_right)
                print(f"{'pass' if is_right else 'FAIL'}  {test:40} {seen}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
