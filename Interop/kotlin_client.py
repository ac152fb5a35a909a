"""Runs the tests of the client in Clients/Kotlin against two servers of ours, one of which gives no answer twice, and the carriers of
their users. Run by scripts/check-app-clients."""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile

from carriers import PLAIN, carriers_urls
from process import free_port, running

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
    port = free_port()
    configuration = f"{folder}/grace-{grace}.yaml"
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(port=port, database=f"{folder}/grace-{grace}.db", grace=grace, **urls))
    with running([f"{binaries}/gatehouse", "serve", "--config", configuration], port, f"{folder}/grace-{grace}.log"):
        yield f"http://127.0.0.1:{port}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True, help="where gatehouse and carrier-simulator are")
    parser.add_argument("--work", required=True, help="where the logs go")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the tests")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    log = f"{folder}/carrier-simulator.log"
    with running([f"{arguments.binaries}/carrier-simulator", "--host", "127.0.0.1", "--port", "0"], None, log):
        urls = carriers_urls(log, awaited="auth0")
        with gatehouse(arguments.binaries, folder, urls, grace=60) as url, \
                gatehouse(arguments.binaries, folder, urls, grace=0) as url_without_grace:
            servers = {"GATEHOUSE_URL": url, "GATEHOUSE_WITHOUT_GRACE_URL": url_without_grace,
                       "PLAIN_URL": urls["plain"], "AUTH0_URL": urls["auth0"]}
            sys.exit(subprocess.run(arguments.command, env={**os.environ, **servers}, check=False).returncode)


if __name__ == "__main__":
    main()
