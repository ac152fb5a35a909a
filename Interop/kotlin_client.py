"""Servers for the checks of the client for apps in Kotlin: a simulated provider, a Gatehouse, and another one that gives no grace to
lost answers. Run by scripts/check-app-clients; what is behind -- is the program of the checks."""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile

from carriers import PLAIN, carriers_urls
from process import free_port, running

GRACE_SECONDS = 60
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: 0}}
storage: {{url: "file:{database}"}}
rateLimit: {{signInsPerMinutePerAddress: 0, failedRefreshesPerMinutePerAddress: 0}}
session: {{issuer: "https://sign-in.example", refreshGraceSeconds: {grace}}}
providers: [plain, auth0]
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
"""


@contextlib.contextmanager
def gatehouse(binaries, folder, urls, grace):
    port, name = free_port(), f"gatehouse-{grace}"
    configuration = f"{folder}/{name}.yaml"
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(port=port, database=f"{folder}/{name}.db", grace=grace, **urls))
    with running([f"{binaries}/gatehouse", "serve", "--config", configuration], port, f"{folder}/{name}.log"):
        yield f"http://127.0.0.1:{port}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("program", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    log = f"{folder}/carrier-simulator.log"
    with running([f"{arguments.binaries}/carrier-simulator", "--host", "127.0.0.1", "--port", "0"], None, log):
        carriers_urls(log)
        urls = carriers_urls(log, awaited="auth0")
        with gatehouse(arguments.binaries, folder, urls, GRACE_SECONDS) as lenient, \
                gatehouse(arguments.binaries, folder, urls, 0) as strict:
            places = {"GATEHOUSE_URL": lenient, "GATEHOUSE_WITHOUT_GRACE_URL": strict, "PLAIN_URL": urls["plain"],
                      "AUTH0_URL": urls["auth0"]}
            ran = subprocess.run(arguments.program, env={**os.environ, **places})
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
