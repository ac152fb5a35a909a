"""Servers for the checks of the client for apps in Kotlin: simulated providers, a Gatehouse, another one that gives no
grace to lost answers, and one with registration by ticket. Run by scripts/check-app-clients; what is behind -- is the
program of the checks."""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

from configuration import PLAIN
from testbed.carriers import carriers
from testbed.ports import free_port
from testbed.process import running

GRACE_SECONDS = 60
PUBLIC = "https://sign-in.example"
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: 0}}
storage: {{url: "file:{database}"}}
rateLimit: {{signInsPerMinutePerAddress: 0, failedRefreshesPerMinutePerAddress: 0}}
session: {{issuer: "{public}", refreshGraceSeconds: {grace}}}
registration: {registration}
providers: [plain, auth0, zenkey]
apps: [shop]
app:
  shop:
    clientID: shop-android
    redirectURIs: ["https://shop.example/cb"]
    providers: [plain]
    scopes: [openid, profile, email, offline_access, account.read, account.identities, transactions]
provider:
""" + PLAIN + """\
  auth0:
    profile: auth0
    issuer: "{auth0}/"
    clientID: gatehouse-auth0
    clientSecret: demo-secret-auth0
    redirectURIs: ["com.example.app:/callback"]
    audiences: [gatehouse-auth0-app]
    nativeNonce: raw
    allowLoopbackHTTP: true
  zenkey:
    profile: zenkey
    discoveryURL: "{discovery}"
    clientID: ccid-0123456789abcdef
    clientSecret: demo-secret
    redirectURIs: ["ccid-0123456789abcdef://com.xci.provider.sdk"]
    trustedIssuers: ["127.0.0.1"]
    allowLoopbackHTTP: true
"""


@contextlib.contextmanager
def gatehouse(
        binaries: str, folder: str, urls: Mapping[str, str], grace: int, registration: str = "automatic",
) -> Iterator[tuple[str, str]]:
    """Gives where it listens, and its configuration."""
    port, name = free_port(), f"gatehouse-{grace}-{registration}"
    configuration = f"{folder}/{name}.yaml"
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(
            port=port, database=f"{folder}/{name}.db", grace=grace, registration=registration, public=PUBLIC, **urls))
    with running([f"{binaries}/gatehouse", "serve", "--config", configuration], port, f"{folder}/{name}.log"):
        yield f"http://127.0.0.1:{port}", configuration


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    with carriers(arguments.binaries, folder, redirect_uris=[f"{PUBLIC}/auth/plain/callback"]) as simulated:
        urls = simulated.urls
        with gatehouse(arguments.binaries, folder, urls, GRACE_SECONDS) as (lenient, configuration), \
                gatehouse(arguments.binaries, folder, urls, 0) as (strict, _), \
                gatehouse(arguments.binaries, folder, urls, GRACE_SECONDS, "ticket") as (by_ticket, _):
            places = {
                "GATEHOUSE_URL": lenient, "GATEHOUSE_WITHOUT_GRACE_URL": strict, "GATEHOUSE_BY_TICKET_URL": by_ticket,
                "PLAIN_URL": urls["plain"], "AUTH0_URL": urls["auth0"], "CARRIER_URL": urls["aurora"],
                "PUBLIC_URL": PUBLIC, "GATEHOUSE": f"{arguments.binaries}/gatehouse", "CONFIGURATION": configuration}
            ran = subprocess.run(arguments.program, env={**os.environ, **places})
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
