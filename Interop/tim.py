"""The whole life of TIM's clients against Gatehouse alone: issuer and key service, with a restart in between. Run by
scripts/check-clients."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator

import requests

from checks import Checks
from configuration import PLAIN
from testbed.carriers import carriers
from testbed.ports import free_ports
from testbed.process import running
from tim_client import TIM, Entry
from tim_key_service import ANDROID, IOS, TIMError
from tls import certificate, terminating

NAME = "TIM's clients"
REALM = "/auth/realms/acme"
PASSWORD, WRONG = "271828", "314159"
# No grace: were a refresh token replaced, a client with the former one would be out at once.
CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}, lameDuckSeconds: 0}}
admin: {{host: 127.0.0.1, port: 0}}
storage: {{url: "file:{database}"}}
session: {{issuer: "{issuer}", refreshGraceSeconds: 0}}
keyService: {{enabled: true, basePath: "{realm}/keyservice/v1"}}
providers: [plain]
provider:
""" + PLAIN + """\
apps: [tim, rotating]
app:
  tim:
    clientID: tim-app
    redirectURIs: ["acme:/"]
    refreshTokens: reusable
    inactivityDays: 30
    absoluteDays: 365
  rotating:
    clientID: rotating-app
    redirectURIs: ["acme:/"]
    offlineAccess: always
"""


class Service:
    """A Gatehouse that can be stopped and started again, behind TLS."""

    def __init__(self, binaries: str, folder: str) -> None:
        self.binaries, self.folder = binaries, folder
        self.port, self.tls_port = free_ports(2)
        self.issuer = f"https://localhost:{self.tls_port}"
        self.database, self.starts = f"{folder}/gatehouse.db", 0
        self.stack = contextlib.ExitStack()

    @contextlib.contextmanager
    def serving(self) -> Iterator[Service]:
        os.makedirs(self.folder, exist_ok=True)
        files = certificate(self.folder)
        os.environ["REQUESTS_CA_BUNDLE"] = files[0]
        callbacks = [f"{self.issuer}/auth/plain/callback"]
        with carriers(self.binaries, self.folder, redirect_uris=callbacks) as simulated, \
                terminating(files, self.tls_port, self.port):
            with open(f"{self.folder}/gatehouse.yaml", "w", encoding="utf-8") as file:
                file.write(CONFIGURATION.format(
                    port=self.port, database=self.database, issuer=self.issuer, realm=REALM, **simulated.urls))
            self.start()
            try:
                yield self
            finally:
                self.stack.close()

    def start(self) -> None:
        self.starts += 1
        self.stack.enter_context(running(
            [f"{self.binaries}/gatehouse", "serve", "--config", f"{self.folder}/gatehouse.yaml"], self.port,
            f"{self.folder}/gatehouse-{self.starts}.log", {"GATEHOUSE_LOG_LEVEL": "trace"}))

    def restart(self) -> None:
        self.stack.close()
        self.start()

    def client(
            self, platform: str, keychain: dict[str, Entry], base: str | None = None,
            client_id: str = "tim-app") -> TIM:
        """By the constructor that takes both addresses, or by the one that makes them of a base."""
        issuer = f"{base}{REALM}" if base else self.issuer
        keys = f"{base or self.issuer}{REALM}/keyservice/v1"
        return TIM(platform, issuer, keys, client_id, "acme:/",
                   {"provider": "plain", "login_hint": "jane"}, keychain)


def ended(checks: Checks, claim: str, error: str, action: Callable[[], object]) -> None:
    """That something ends with an error that the app gets to see."""
    try:
        action()
    except TIMError as raised:
        checks.equal(claim, raised.error, error)
    else:
        checks.expect(claim, False, "it went well")


def run(checks: Checks, binaries: str, folder: str) -> None:
    with Service(binaries, folder).serving() as service:
        for platform in (IOS, ANDROID):
            whole_life(checks, service, platform, None)
        # A base with a slash at its end doubles it before the realm on Android.
        whole_life(checks, service, IOS, service.issuer)
        whole_life(checks, service, ANDROID, f"{service.issuer}/")
        lost_answers(checks, service)
        replaced_tokens(checks, service)


def whole_life(checks: Checks, service: Service, platform: str, base: str | None) -> None:
    keychain: dict[str, Entry] = {}
    name = f"{platform}, {'both addresses' if base is None else 'base ' + base[-6:]}"
    phone = service.client(platform, keychain, base)
    user = phone.login()
    checks.equal(f"{name}: signed in by the browser, the tokens are this user's", phone.user(), user)
    checks.equal(f"{name}: the access token is good", userinfo(service, phone).status_code, 200)
    first = phone.refresh
    phone.store(PASSWORD)
    phone.enable_biometrics(PASSWORD, user)

    service.restart()
    phone = service.client(platform, keychain, base)
    for _ in range(4):
        phone.login_with_password(user, PASSWORD)
        checks.equal(f"{name}: unlocked by password, refreshed, the same user", phone.user(), user)
    phone.login_with_biometrics(user)
    checks.equal(f"{name}: unlocked by the long secret", phone.user(), user)
    phone.expires = 0
    checks.expect(f"{name}: refreshes in memory when the access token runs out", phone.access_token())
    phone.login_with_password(user, PASSWORD, stores=False)
    checks.equal(f"{name}: the stored token is good still", userinfo(service, phone).status_code, 200)
    checks.equal(f"{name}: it is the first one for ever", phone.refresh, first)

    for attempt in range(3):
        for _ in range(2):
            ended(checks, f"{name}: a wrong password", "badPassword",
                  lambda: phone.login_with_password(user, WRONG))
        phone.login_with_password(user, PASSWORD)
        checks.expect(f"{name}: a right one after two wrong ones starts the count anew ({attempt})", phone.access)
    for error in ("badPassword", "badPassword", "keyLocked", "keyLocked"):
        ended(checks, f"{name}: wrong passwords in a row: {error}", error,
              lambda: phone.login_with_password(user, WRONG))
    ended(checks, f"{name}: locked for the right one", "keyLocked", lambda: phone.login_with_password(user, PASSWORD))
    ended(checks, f"{name}: and for the long secret", "keyLocked", lambda: phone.login_with_biometrics(user))
    service.restart()
    ended(checks, f"{name}: locked after a restart", "keyLocked", lambda: phone.login_with_password(user, PASSWORD))

    checks.equal(f"{name}: signed in by the browser again, the same user", phone.login(), user)
    phone.store(PASSWORD)
    phone.login_with_password(user, PASSWORD)
    checks.expect(f"{name}: a new key, a new password", phone.access)
    revoked = requests.post(f"{service.issuer}/auth/revoke",
                            {"token": phone.refresh, "client_id": phone.client_id}, timeout=30)
    checks.equal(f"{name}: revoked", revoked.status_code, 200)
    ended(checks, f"{name}: then its refresh token has expired", "refreshTokenExpired",
          lambda: phone.login_with_password(user, PASSWORD))
    phone.logout()
    ended(checks, f"{name}: logged out", "userNotLoggedIn", phone.access_token)
    keychain[user]["key_id"] = "0" * 32
    ended(checks, f"{name}: a key that is not there", "keyMissing", lambda: phone.login_with_password(user, PASSWORD))
    phone.clear(user)
    checks.equal(f"{name}: cleared", keychain, {})


def userinfo(service: Service, phone: TIM) -> requests.Response:
    return requests.get(f"{service.issuer}/auth/userinfo", timeout=30,
                        headers={"Authorization": f"Bearer {phone.access_token()}"})


def lost_answers(checks: Checks, service: Service) -> None:
    """TIM for iOS tries once more where an answer got lost, so that one attempt may come twice."""
    phone = service.client(IOS, {})
    user = phone.login()
    phone.keys.losing = 1
    phone.store(PASSWORD)
    phone.login_with_password(user, PASSWORD)
    checks.expect("a key that was made twice: the second one is good", phone.access)
    phone.keys.losing = 1
    phone.login_with_password(user, PASSWORD)
    checks.expect("an unlocking that came twice is one", phone.access)
    phone.keys.losing = 1
    ended(checks, "a wrong password that came twice counts twice", "badPassword",
          lambda: phone.login_with_password(user, WRONG))
    ended(checks, "so that the next wrong one locks", "keyLocked", lambda: phone.login_with_password(user, WRONG))


def replaced_tokens(checks: Checks, service: Service) -> None:
    """What becomes of TIM for Android where refresh tokens are replaced: the reason for those that are not."""
    phone = service.client(ANDROID, {}, client_id="rotating-app")
    user = phone.login()
    phone.store(PASSWORD)
    phone.login_with_password(user, PASSWORD)
    ended(checks, "an app whose refresh tokens are replaced is out at its second unlocking", "refreshTokenExpired",
          lambda: phone.login_with_password(user, PASSWORD))
    with contextlib.closing(sqlite3.connect(f"file:{service.database}?mode=ro", uri=True)) as store:
        uses, reused = (
            store.execute(
                "SELECT coalesce(sum(coalesce(count, 1)), 0) FROM audit WHERE event = ?", (kind,)).fetchone()[0]
            for kind in ("reusable_refresh_token_used", "refresh_token_reused"))
    # What goes on within a minute is told at its end.
    checks.expect("uses of tokens that stay good are audited", uses > 5, uses)
    checks.equal("and the one that was replaced, as reuse", reused, 1)
