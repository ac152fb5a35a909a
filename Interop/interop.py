"""Real sign-ins through a built Gatehouse at providers that others have written. Run by scripts/interop."""

import argparse
import base64
import hashlib
import json
import os
import secrets
import sys
import tempfile

from browser import Browser
from canaille import CLIENTS, SECRET as CANAILLE_SECRET, canaille
from checks import Checks
from glewlwyd import CLIENT, SECRET as GLEWLWYD_SECRET, glewlwyd
from process import free_port, running

REDIRECT_URI = "com.example.app:/callback"


class App:
    """What an app does between the provider and Gatehouse."""

    def __init__(self, port, provider, authorize):
        self.browser, self.provider, self.authorize = Browser("127.0.0.1", port), provider, authorize

    def code(self):
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        answer = self.authorize({
            "state": "state", "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256"})
        body = {"provider": self.provider, "redirect_uri": REDIRECT_URI, "code_verifier": verifier, "nonce": nonce}
        body.update({name: answer[name] for name in ("code", "iss") if name in answer})
        return body

    def post(self, body):
        page = self.browser.send("POST", "/auth/signin", json.dumps(body), {"Content-Type": "application/json"})
        return page.status, json.loads(page.text)


def sign_ins(checks, app, is_new, log):
    """What must come of codes at one provider. A user of the same issuer and subject is the same user."""
    name = app.provider
    body = app.code()
    status, first = app.post(body)
    checks.expect(f"{name}: a user signs in", status == 200 and first.get("new_user") is is_new, (status, first))
    user = first.get("user", {})
    checks.expect(
        f"{name}: with name and e-mail address", (user.get("name"), user.get("email")) == ("Jane Doe", "jane@example.com"),
        user)
    status, again = app.post(app.code())
    checks.expect(
        f"{name}: and is known the next time",
        status == 200 and again.get("new_user") is False and again["user"]["user_id"] == user.get("user_id"),
        (status, again))
    status, used = app.post(body)
    checks.expect(f"{name}: a code works once", (status, used.get("error")) == (401, "invalid_grant"), (status, used))
    # The provider itself has to say no to these.
    for what, change in [
        ("a made-up code", {"code": secrets.token_hex(16)}), ("another verifier", {"code_verifier": secrets.token_urlsafe(48)}),
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
    checks.expect(f"{name}: the log tells the provider's words", f'provider={name}' in text and "provider_error=" in text, "")
    checks.expect(
        f"{name}: and nothing that was sent", not any(body[part] in text for part in ("code", "code_verifier", "nonce")), "")


def section(name, issuer, client, secret_file, more):
    lines = [
        "profile: openid", f"issuer: {issuer}", f"clientID: {client}", f"clientSecretFile: {secret_file}",
        f"redirectURIs: ['{REDIRECT_URI}']", "allowLoopbackHTTP: true", *more]
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in lines)


def written(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def main():
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
        eddsa = ["algorithms: [EdDSA]"]
        # Both take identifier and secret as they are. Under EdDSA, glewlwyd hashes with SHA-256.
        sections = [
            section("glewlwyd-eddsa", first.issuer("eddsa"), CLIENT, glewlwyd_secret,
                    ["basicEncoding: raw", "atHashOfEdDSA: sha256", *eddsa]),
            section("glewlwyd-rsa", first.issuer("rsa"), CLIENT, glewlwyd_secret, ["basicEncoding: raw"]),
            section("canaille-eddsa", second.issuer, CLIENTS["EdDSA"], canaille_secret, ["basicEncoding: raw", *eddsa]),
            section("canaille-rsa", second.issuer, CLIENTS["RS256"], canaille_secret, ["basicEncoding: raw"]),
        ]
        apps = [
            ("glewlwyd-eddsa", True, lambda parameters: first.code("eddsa", REDIRECT_URI, parameters)),
            ("glewlwyd-rsa", True, lambda parameters: first.code("rsa", REDIRECT_URI, parameters)),
            ("canaille-eddsa", True, lambda parameters: second.code("EdDSA", REDIRECT_URI, parameters)),
            ("canaille-rsa", False, lambda parameters: second.code("RS256", REDIRECT_URI, parameters)),
        ]
        usual = "glewlwyd-usual-hash"
        sections.append(section(usual, first.issuer("eddsa"), CLIENT, glewlwyd_secret, ["basicEncoding: raw", *eddsa]))
        port, admin_port = free_port(), free_port()
        configuration = written(f"{folder}/gatehouse.yaml", "".join([
            f"http: {{port: {port}}}\nadmin: {{port: {admin_port}}}\n",
            f"storage: {{url: 'file:{folder}/users.db'}}\n",
            f"providers: [{', '.join([name for name, _, _ in apps] + [usual])}]\nprovider:\n", *sections]))
        log = f"{folder}/gatehouse.log"
        with running([arguments.gatehouse, "serve", "--config", configuration], port, log):
            for name, is_new, authorize in apps:
                try:
                    sign_ins(checks, App(port, name, authorize), is_new, log)
                except (RuntimeError, OSError, ValueError, KeyError) as error:
                    checks.expect(f"{name}: could be tried to the end", False, repr(error))
            hashed = App(port, usual, apps[0][2])
            status, refused = hashed.post(hashed.code())
            checks.expect(
                f"{usual}: without atHashOfEdDSA the hash is found out", (status, refused.get("reason")) == (401, "at_hash"),
                (status, refused))
    if checks.failed:
        print(f"Logs: {folder}")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
