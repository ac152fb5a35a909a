"""Apps that sign their users in at a built Gatehouse with OAuth client libraries of others, and what it says of itself to
providers, read by such libraries. Run by scripts/check-clients."""

import argparse
import os
import sys
import tempfile
import time

import appauth
import assertions
import tim
import with_authlib
import with_google_auth_oauthlib
import with_requests_oauth2client
from checks import Checks
from service import service


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = tempfile.mkdtemp(dir=arguments.work)
    checks = Checks()
    start = time.monotonic()
    with service(arguments.binaries, folder) as gatehouse:
        for suite in (with_requests_oauth2client, with_google_auth_oauthlib, with_authlib, appauth):
            print(f"\n{suite.NAME}")
            try:
                suite.run(checks, gatehouse)
            except Exception as error:  # A library may raise whatever it likes; the others are tried all the same.
                checks.expect(f"{suite.NAME} could be tried to the end", False, repr(error))
    # Against servers of their own: these providers are no good for users, and those clients meet a server that is
    # restarted.
    for suite, place in ((assertions, "assertions"), (tim, "tim")):
        print(f"\n{suite.NAME}")
        try:
            suite.run(checks, arguments.binaries, f"{folder}/{place}")
        except Exception as error:
            checks.expect(f"{suite.NAME} could be tried to the end", False, repr(error))
    if checks.failed:
        print(f"Logs: {folder}")
    print(f"\n{time.monotonic() - start:.1f} s")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
