"""Apps that sign their users in at a built Gatehouse with OAuth client libraries of others, and what it says of itself
to providers, read by such libraries. Run by scripts/check-clients."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

import appauth
import assertions
import tim
import with_authlib
import with_google_auth_oauthlib
import with_requests_oauth2client
from checks import Checks
from service import service


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    checks = Checks()
    start = time.monotonic()
    with service(arguments.binaries, folder) as gatehouse:
        for name, run in ((with_requests_oauth2client.NAME, with_requests_oauth2client.run),
                          (with_google_auth_oauthlib.NAME, with_google_auth_oauthlib.run),
                          (with_authlib.NAME, with_authlib.run), (appauth.NAME, appauth.run)):
            checks.tried(name, run, checks, gatehouse)
    # Against servers of their own: these providers are no good for users, and those clients meet a server that is
    # restarted.
    for name, place, run_alone in ((assertions.NAME, "assertions", assertions.run), (tim.NAME, "tim", tim.run)):
        checks.tried(name, run_alone, checks, arguments.binaries, f"{folder}/{place}")
    if checks.failed:
        print(f"Logs: {folder}")
    print(f"\n{time.monotonic() - start:.1f} s")
    return checks.ended()


if __name__ == "__main__":
    sys.exit(main())
