"""A provider that costs next to nothing: nginx with ID tokens that were signed beforehand, for those who measure
the rest."""

import concurrent.futures
import json
import os
import shutil
import subprocess
import time

from testbed import jose
from testbed.client import LOST, Client
from testbed.ports import free_port
from testbed.process import Process

PEOPLE = 4096
CLIENT, SECRET, REDIRECT = "ready-made", "ready-made-secret", "https://app.example/cb"
# Any code is taken, and stands for anybody: digits of a number that nginx draws for each request.
CONFIGURATION = """\
daemon off;
worker_processes 1;
error_log {folder}/nginx-error.log;
pid {folder}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600;
    default_type application/json;
    map_hash_max_size 65536;
    map_hash_bucket_size 2048;
    map $request_id $person {{ "~^(?<digits>{digits})" $digits; }}
    map $person $id_token {{
{tokens}
    }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location = /.well-known/openid-configuration {{ return 200 '{document}'; }}
        location = /jwks {{ return 200 '{keys}'; }}
        location = /token {{
            return 200 '{{"access_token":"ready-made","token_type":"Bearer","expires_in":3600,"id_token":"$id_token"}}';
        }}
    }}
}}
"""


class NotInstalled(Exception):
    """A program that it takes is not to be had here."""


def programs(*names: str) -> None:
    for name in names:
        if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin"):
            raise NotInstalled(f"{name} is not installed")


def subject(number: int) -> str:
    return f"person-{number:07d}"


class ReadyMade(Process):
    def __init__(self, folder: str, population: int, people: int = PEOPLE, name: str = "ready",
                 client: str = CLIENT) -> None:
        """`population` is out of how many people those who sign in are taken, at equal distances, and `people` how many
        these are, a power of sixteen; `name` is that of the section, and `client` what we are called there."""
        programs("nginx", "openssl")
        os.makedirs(folder)
        self.folder, self.port, self.name, self.client = folder, free_port(), name, client
        self.digits = (people.bit_length() - 1) // 4
        self.issuer = f"http://127.0.0.1:{self.port}"
        # What a server's configuration wants to know of carriers.
        self.urls = {"discovery": f"{self.issuer}/discovery", "plain": self.issuer}
        self.people = [subject(number * max(1, population // people)) for number in range(people)]
        self.key = f"{folder}/key.pem"
        self.tool("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.key)
        with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
            file.write(self.configuration())
        os.chmod(folder, 0o755)
        super().__init__(["nginx", "-c", f"{folder}/nginx.conf"], f"{folder}/nginx.log")
        self.await_answer()

    def tool(self, *words: str, given: bytes | None = None) -> bytes:
        return subprocess.run(["openssl", *words], check=True, capture_output=True, input=given).stdout

    def configuration(self) -> str:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            tokens = list(pool.map(self.token, self.people))
        # A single user has no digit at all.
        lines = "\n".join(
            f'        "{number:0{self.digits}x}" "{token}";' if self.digits else f'        default "{token}";'
            for number, token in enumerate(tokens))
        modulus = self.tool("rsa", "-in", self.key, "-noout", "-modulus").decode().strip().partition("=")[2]
        keys = {"keys": [{"kty": "RSA", "kid": "ready", "use": "sig", "alg": "RS256",
                          "n": jose.encoded(bytes.fromhex(modulus)), "e": "AQAB"}]}
        document = {
            "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/jwks",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"]}
        return CONFIGURATION.format(
            folder=self.folder, port=self.port, digits="." * self.digits, tokens=lines, document=json.dumps(document),
            keys=json.dumps(keys))

    def token(self, person: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": person, "aud": self.client, "iat": now, "exp": now + 14_400,
                  "auth_time": now, "email": f"{person}@example.com", "email_verified": True, "name": "Ready Made"}
        head = jose.encoded(json.dumps({"alg": "RS256", "typ": "JWT", "kid": "ready"}).encode())
        signed = f"{head}.{jose.encoded(json.dumps(claims).encode())}"
        return f"{signed}.{jose.encoded(self.tool('dgst', '-sha256', '-sign', self.key, given=signed.encode()))}"

    def await_answer(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                with Client(self.port) as client:
                    if client.call("GET", "/jwks").status == 200:
                        return
            except LOST:
                time.sleep(0.05)
        raise RuntimeError("nginx does not answer")

    def settings(self) -> dict[str, str]:
        """Of a server that nothing but this provider is behind, and that limits nobody."""
        return {"GATEHOUSE_PROVIDERS": self.name, **self.section(), "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "0",
                "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "0", "GATEHOUSE_LOG_LEVEL": "notice"}

    def section(self) -> dict[str, str]:
        settings = {
            "PROFILE": "openid", "ISSUER": self.issuer, "CLIENT_ID": self.client, "CLIENT_SECRET": SECRET,
            "REDIRECT_URIS": REDIRECT, "ALLOW_LOOPBACK_HTTP": "true", "PKCE": "enforced", "IN_FLIGHT": "20000",
            "CONNECTIONS_PER_HOST": "2000", "USERINFO": "optional"}
        return {f"GATEHOUSE_PROVIDER_{self.name.upper()}_{key}": value for key, value in settings.items()}
