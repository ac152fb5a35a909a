"""Ten incidents, each worked through by its section of the run-books alone: what an operator pastes finds it, what is said there mends it,
and what is said to show that shows it."""

import contextlib
import os
import re
import signal
import subprocess
import time

from bench import eventually
from mounts import Unavailable, mount, unmount
from postgres import NotInstalled, postgres, storage

RUN_BOOKS = "Documentation/Runbooks.md"
SECTION = re.compile(r"^#+ (.+)$", re.MULTILINE)
BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
# As the document has it at its top, for this service instead of the demonstration's.
BEFORE = """
admin=http://127.0.0.1:{port} token=
ask() {{ curl -sS --fail-with-body -w '\\n' -H "Authorization: Bearer $token" "$@"; }}
gatehouse() {{ "{binaries}/gatehouse" "$@" --config "{configuration}"; }}
metric() {{ ask "$admin/metrics" | grep "^$1" || echo "$1 has not moved yet"; }}
cd "{folder}"
"""
# A health check counts the outcomes of some seconds before it tells.
LONGEST_SIGN = 30
LONGEST = 600
# Many times as many as fail: it is well again where fewer than a quarter do.
AGAIN = 150
MIB = 1 << 20


class Incident:
    """A service that something has happened to, and the document."""

    def __init__(self, bench, server, name):
        self.bench, self.server, self.name = bench, server, name
        with open(os.path.join(bench.root, RUN_BOOKS), encoding="utf-8") as file:
            self.document = file.read()
        self.began = time.monotonic()

    def look(self, section, *words):
        """Pastes the blocks of a section, and states that what they print has some words of each."""
        before = BEFORE.format(port=self.server.admin_port, binaries=self.bench.binaries, folder=os.path.dirname(self.server.log),
                               configuration=os.path.join(os.path.dirname(self.server.log), "gatehouse.yaml"))
        text = ""
        for block in BLOCK.findall(self.section(section)):
            done = subprocess.run(["bash", "-c", before + block], capture_output=True, text=True, timeout=120, check=False,
                                  env={**os.environ, **self.server.settings})
            text += done.stdout + done.stderr
        missing = [word for word in words if not re.search(word, text)]
        self.bench.claim(not missing, f"{self.name}: what {section} has one paste tells {words}; lacks {missing}: {text[-1500:]}")
        return text

    def section(self, name):
        titles = list(SECTION.finditer(self.document))
        for title, following in zip(titles, [*titles[1:], None]):
            if title[1] == name:
                return self.document[title.end():following.start() if following else None]
        raise KeyError(f"{RUN_BOOKS} has no section {name}")

    def told(self, *words):
        """Whether the log has a line with all of these words, since it began."""
        def has():
            lines = self.server.log_text()[self.logged:].splitlines()
            return any(all(word in line for word in words) for line in lines)
        return eventually(has, LONGEST_SIGN)

    def begin(self):
        self.began = time.monotonic()
        self.logged = len(self.server.log_text())

    def alarm(self, *words):
        """What wakes somebody: a line of the log with these words, which alerts go by, too."""
        self.bench.claim(self.told(*words), f"{self.name}: the log says {words}")
        self.alarmed = time.monotonic()

    def mended(self, holds, sentence):
        self.bench.claim(holds, f"{self.name}: {sentence}")
        now = time.monotonic()
        self.bench.note(f"{self.name}: told after {self.alarmed - self.began:.1f} s, mended {now - self.alarmed:.1f} s later")
        self.bench.figure(self.name, f"{now - self.began:.1f}")

    def fail(self, count=12, issuer="plain"):
        """Sign-ins, most of which fail."""
        return [self.server.sign_in(f"{self.name}{number}", issuer) for number in range(count)]

    def signs_in(self, issuer="plain"):
        """Whether all are signed in again. Each loop has connections of its own, and finds a database that is back by itself."""
        def all_are(count):
            return all(self.server.sign_in(f"{self.name}-well{number}", issuer).status == 200 for number in range(count))
        return eventually(lambda: all_are(20), 60) and all_are(AGAIN)


def run(bench):
    secret = os.path.join(bench.folder, "client_secret")
    write(secret, "demo-secret-plain")
    settings = {"GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET": "", "GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET_FILE": secret,
                "GATEHOUSE_PROVIDER_PLAIN_TIMEOUT_SECONDS": "2"}
    with bench.carriers() as carriers:
        for body in (provider_down, keys_turned, secret_over, token_reused, key_old, user_locked, token_leaked):
            name = body.__name__.replace("_", "-")
            with bench.server(carriers, name, settings=settings) as server:
                incident = Incident(bench, server, name)
                incident.begin()
                body(incident, carriers, secret)
        killed(bench, carriers)
        disk_full(bench, carriers)
        database_away(bench, carriers)


def write(path, text):
    with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)


def provider_down(incident, carriers, _):
    carriers.misbehave("status_500", endpoint="token", issuer="plain")
    incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", r'step="token",result="failed"', "plain token: BAD.*500")
    carriers.behave()
    incident.mended(incident.signs_in() and incident.told("succeed again", "plain"), "the log says that the provider is well")


def keys_turned(incident, carriers, _):
    carriers.misbehave("id_token_unknown_kid", issuer="plain")
    answers = incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", "invalid_id_token", "key")
    carriers.behave()
    incident.mended(incident.signs_in() and incident.told("succeed again", "plain"),
                    f"the log says that the provider is well ({answers[-1]})")


def secret_over(incident, _, secret):
    write(secret, "the-secret-of-last-year")
    os.kill(incident.server.id, signal.SIGHUP)
    eventually(lambda: incident.server.sign_in("overs", "plain").status != 200, 10)
    incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", "invalid_client")
    write(secret, "demo-secret-plain")
    os.kill(incident.server.id, signal.SIGHUP)
    incident.mended(incident.signs_in() and incident.told("succeed again", "plain"), "the new secret is taken")


def token_reused(incident, _, __):
    session = incident.server.sign_in("robbed", "plain").json
    first = session["refresh_token"]
    second = incident.server.refresh(first).json["refresh_token"]
    incident.server.refresh(second)
    incident.server.refresh(first)
    incident.alarm("a refresh token was used again", "security=true")
    incident.look("GatehouseRefreshTokenReused", "gatehouse_refresh_reuse_detected_total [1-9]", "refresh_token_reused")
    incident.mended(incident.server.refresh(second).status == 401, "what a thief has is worth nothing")


def key_old(incident, _, __):
    incident.alarmed = time.monotonic()
    before = incident.look("GatehouseSigningKeyOld", "gatehouse_signing_key_age_seconds")
    incident.mended(incident.signs_in() and "kid" in before.lower() or before.count("\n") > 3, "there is another key")


def user_locked(incident, _, __):
    user = incident.server.sign_in("locked-out", "plain").json["user"]["user_id"]
    command(incident, "users", "lock", str(user), "--reason", "drill")
    answer = incident.server.sign_in("locked-out", "plain")
    incident.bench.claim(answer.status == 423, f"{incident.name}: a locked user gets in nowhere ({answer})")
    incident.alarm("security=true", "locked")
    # A failed sign-in is written down once a minute.
    eventually(lambda: "locked" in command(incident, "sign-ins", "--request-id", answer.json["request_id"]), 75)
    incident.look("A user can't sign in", "locked")
    incident.bench.claim("locked" in command(incident, "users", "show", str(user)), f"{incident.name}: show tells the lock")
    command(incident, "users", "unlock", str(user), "--reason", "drill")
    incident.mended(eventually(lambda: incident.server.sign_in("locked-out", "plain").status == 200, 30), "they are back")


def token_leaked(incident, _, __):
    session = incident.server.sign_in("leaky", "plain").json
    incident.alarmed = time.monotonic()
    incident.bench.claim("users sign-out NUMBER" in incident.section("A token leaked"), "the run-book has the command")
    command(incident, "users", "sign-out", str(session["user"]["user_id"]))
    over = eventually(lambda: incident.server.user(session["token"]).status == 401, 10)
    incident.mended(over and incident.server.refresh(session["refresh_token"]).status == 401, "the tokens are over at once")


def command(incident, *words):
    folder = os.path.dirname(incident.server.log)
    done = subprocess.run([f"{incident.bench.binaries}/gatehouse", *words, "--config", f"{folder}/gatehouse.yaml"],
                          capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **incident.server.settings})
    return done.stdout + done.stderr


def killed(bench, carriers):
    server = bench.start(carriers, "killed")
    incident = Incident(bench, server, "instance-down")
    incident.began = time.monotonic()
    session = server.sign_in("before", "plain").json
    server.kill()
    incident.alarmed = time.monotonic()
    incident.look("GatehouseInstanceDown", "Failed to connect|refused|Couldn't connect")
    again = bench.start(carriers, "killed", database=server.database)
    incident.server = again
    incident.mended(again.refresh(session["refresh_token"]).status == 200, "it is started, and sessions go on")
    again.stop()


def disk_full(bench, carriers):
    folder = os.path.join(bench.folder, "small")
    os.makedirs(folder, exist_ok=True)
    try:
        mount("-t", "tmpfs", "-o", "size=24m", "none", folder)
    except Unavailable as error:
        return bench.skip(f"disk-full: {error}")
    try:
        with bench.server(carriers, "full", database=f"{folder}/users.db") as server:
            incident = Incident(bench, server, "disk-full")
            incident.begin()
            with contextlib.suppress(OSError), open(f"{folder}/backup-of-last-year", "wb") as file:
                while True:
                    file.write(bytes(MIB))
                    file.flush()
            incident.fail(30)
            incident.alarm("writes of the store fail")
            incident.look("GatehouseStoreDown", "disk is full|no room|MiB are free")
            incident.look("The disk is full", "store|MiB|%")
            os.remove(f"{folder}/backup-of-last-year")
            incident.mended(incident.signs_in() and incident.told("writes of the store are done again"), "it goes on by itself")
    finally:
        unmount(folder)


def database_away(bench, carriers):
    try:
        with postgres(bench) as database:
            with bench.server(carriers, "database", settings=storage(bench, database)) as server:
                incident = Incident(bench, server, "database-away")
                incident.begin()
                database.kill()
                incident.fail(12)
                incident.alarm("writes of the store fail")
                incident.look("GatehouseStoreDown", "nobody listens|can't be reached|not answered")
                database.start()
                database.await_ready()
                incident.mended(incident.signs_in() and incident.told("writes of the store are done again"), "instances go on")
    except NotInstalled as error:
        bench.skip(str(error))
