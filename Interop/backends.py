"""Backends that take our access tokens, as Documentation/Backends.md writes them: each of its blocks is run as it
stands there, with the address of a server of ours in the place of YOUR-ADDRESS. Run by scripts/check-backends."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import hmac
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

import requests
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey

from appauth import Application
from checks import Checks
from service import Service, service
from testbed import jose
from testbed.ports import free_port
from testbed.process import running
from tokens import Claims, Header, claims_of, header_of, segment

# Shows a token to a backend, which gives what it makes of it, or raises.
Take = Callable[[str], object]

FORMATS = [("at+jwt", "ES256"), ("JWT", "RS256")]
AUDIENCE = "https://api.example.com"
# Long enough to show every backend the token before it expires, and then it is waited for.
SECONDS = 20
# What is written for tokens by RFC 9068, and refuses others as it should.
ONLY_AT_JWT = {"Authlib"}
APACHE = """\
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
Mutex posixsem
ErrorLog {folder}/apache.log
LogLevel warn
User www-data
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authn_core_module modules/mod_authn_core.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_user_module modules/mod_authz_user.so
DocumentRoot {folder}/pages
<Directory {folder}/pages>
    Require all granted
</Directory>
{recipe}
# Our certificate is the run's own.
OIDCOAuthSSLValidateServer Off
"""


def blocks(document: str, language: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each block of a language."""
    heading = ""
    for match in re.finditer(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", document, re.M | re.S):
        if match[1]:
            heading = match[1]
        elif match[2] == language:
            yield heading, match[3]


class Recipes:
    def __init__(self, root: str, issuer: str) -> None:
        with open(f"{root}/Documentation/Backends.md", encoding="utf-8") as file:
            document = file.read().replace("https://YOUR-ADDRESS", issuer)
        self.python = list(blocks(document, "python"))
        self.apache = next(text for _, text in blocks(document, "apache"))

    def library(self, line: str) -> Take:
        """The function of the block that has this line, which gives the claims or raises."""
        text = next(text for _, text in self.python if line in text)
        names: dict[str, Take] = {}
        exec(compile(text, line, "exec"), names)  # The text is our own.
        return names["claims"]

    @property
    def fastapi(self) -> str:
        return next(text for heading, text in self.python if heading == "FastAPI")


def over_http(address: str) -> Take:
    """Gives what the backend answers to the token; raises when it refuses."""

    def take(token: str) -> object:
        request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            content: object = answer.read()
            return content

    return take


@contextlib.contextmanager
def fastapi(recipes: Recipes, folder: str) -> Iterator[Take]:
    with open(f"{folder}/api.py", "w", encoding="utf-8") as file:
        file.write(recipes.fastapi)
    port = free_port()
    command = [sys.executable, "-B", "-m", "uvicorn", "--app-dir", folder, "--port", str(port), "api:app"]
    with running(command, port, f"{folder}/fastapi.log"):
        yield over_http(f"http://127.0.0.1:{port}/api/me")


@contextlib.contextmanager
def apache(recipes: Recipes, folder: str) -> Iterator[Take]:
    # Its workers are another user's.
    place = tempfile.mkdtemp(prefix="gatehouse-apache-")
    os.chmod(place, 0o755)
    os.makedirs(f"{place}/pages/api", mode=0o755)
    os.chmod(f"{place}/pages", 0o755)
    os.chmod(f"{place}/pages/api", 0o755)
    with open(f"{place}/pages/api/me", "w", encoding="utf-8") as file:
        file.write("a request that came this far")
    os.chmod(f"{place}/pages/api/me", 0o644)
    os.symlink("/usr/lib/apache2/modules", f"{place}/modules")
    port = free_port()
    with open(f"{place}/apache.conf", "w", encoding="utf-8") as file:
        file.write(APACHE.format(folder=place, port=port, recipe=recipes.apache))
    try:
        with running(["apache2", "-f", f"{place}/apache.conf", "-D", "FOREGROUND"], port, f"{folder}/apache-start.log"):
            yield over_http(f"http://127.0.0.1:{port}/api/me")
    finally:
        subprocess.run(["rm", "-rf", place], check=True)


def tokens_of(gatehouse: Service) -> tuple[str, str]:
    """The access token that an app gets for the backend, and its ID token."""
    application = Application(gatehouse)
    code, verifier, _ = application.code()
    answer: dict[str, str] = application.post({
        "grant_type": "authorization_code", "code": code, "redirect_uri": application.app.redirect_uri,
        "code_verifier": verifier, "resource": AUDIENCE}).json()
    return answer["access_token"], answer["id_token"]


def attacks(token: str, id_token: str, gatehouse: Service) -> Iterator[tuple[str, str]]:
    """What nobody may take, by what it is."""
    header, payload, signature = token.split(".")
    claims, head = claims_of(token), header_of(token)
    algorithm = head["alg"]
    stranger = ECKey.generate_key("P-256") if algorithm == "ES256" else RSAKey.generate_key(2048)
    yield "of another key by the same name", jwt.encode(head, claims, stranger, algorithms=[algorithm])
    changed = segment({**claims, "sub": "1", "exp": claims["exp"] + 60})
    yield "whose claims were changed", f"{header}.{changed}.{signature}"
    yield "without a signature", f"{segment({**head, 'alg': 'none'})}.{payload}."
    keys = requests.get(f"{gatehouse.issuer}/.well-known/jwks.json", timeout=30).json()
    key = next(key for key in keys["keys"] if key["kid"] == head["kid"])
    public = KeySet.import_key_set({"keys": [key]}).keys[0].as_pem(private=False)
    yield "signed with the public key as a secret", forged(head, claims, public)
    yield "which is an ID token", id_token


def forged(head: Header, claims: Claims, secret: bytes) -> str:
    text = f"{segment({**head, 'alg': 'HS256'})}.{segment(claims)}"
    tag = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return f"{text}.{jose.encoded(tag)}"


def taken(take: Take, token: str) -> tuple[bool, object]:
    """Whether it was, and what the backend said."""
    try:
        return True, take(token)
    except Exception as error:  # Which class it is, is the backend's to say.
        return False, repr(error)


def try_format(checks: Checks, binaries: str, root: str, folder: str, kind: str, algorithm: str) -> None:
    session = f', audience: "{AUDIENCE}", tokenType: "{kind}", signing: {algorithm}, accessTokenSeconds: {SECONDS}'
    with service(binaries, folder, session) as gatehouse, contextlib.ExitStack() as stack:
        # What Python's own library trusts, here and in the backend that is another process.
        os.environ["SSL_CERT_FILE"] = os.environ["REQUESTS_CA_BUNDLE"]
        recipes = Recipes(root, gatehouse.issuer)
        backends: dict[str, Take] = {
            "PyJWT in FastAPI": stack.enter_context(fastapi(recipes, folder)),
            "mod_auth_openidc": stack.enter_context(apache(recipes, folder)),
            "joserfc": recipes.library("from joserfc import jwt"),
            "python-jose": recipes.library("from jose import jwt"),
            "Authlib": recipes.library("from authlib.oauth2.rfc9068 import"),
        }
        token, id_token = tokens_of(gatehouse)
        signed_until = time.time() + SECONDS
        checks.equal(f"{kind}, {algorithm}: that is what the header says",
                     {name: header_of(token).get(name) for name in ("typ", "alg")}, {"typ": kind, "alg": algorithm})
        for name, take in backends.items():
            fits = kind == "at+jwt" or name not in ONLY_AT_JWT
            was_taken, said = taken(take, token)
            checks.expect(f"{kind}, {algorithm}: {name} takes it" if fits else f"{kind}: {name} refuses another type",
                          was_taken == fits, said)
        checks.expect("all of them in time", time.time() < signed_until)
        for what, wrong in attacks(token, id_token, gatehouse):
            for name, take in backends.items():
                checks.expect(f"{kind}, {algorithm}: {name} refuses one {what}", not taken(take, wrong)[0])
        # A minute's leeway is nobody's default here.
        time.sleep(max(0, signed_until + 2 - time.time()))
        for name, take in backends.items():
            checks.expect(f"{kind}, {algorithm}: {name} refuses it once it has expired", not taken(take, token)[0])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    checks = Checks()
    for kind, algorithm in FORMATS:
        try_format(checks, arguments.binaries, arguments.root, tempfile.mkdtemp(dir=arguments.work), kind, algorithm)
    print()
    return checks.ended()


if __name__ == "__main__":
    sys.exit(main())
