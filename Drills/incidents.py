"""Ten incidents, each worked through by its section of the run-books alone: what an operator pastes finds it, what is
said there mends it, and what is said to show that shows it."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable

from bench import Bench, eventually
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from mounts import Unavailable, mount, unmount
from postgres import NotInstalled, postgres, storage
from testbed.carriers import Carriers
from testbed.client import Answer

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

    def __init__(self, bench: Bench, server: Gatehouse, name: str) -> None:
        self.bench, self.server, self.name = bench, server, name
        with open(os.path.join(bench.root, RUN_BOOKS), encoding="utf-8") as file:
            self.document = file.read()
        self.began = self.alarmed = time.monotonic()
        # How much of the log was there before.
        self.logged = 0

    def look(self, name: str, *words: str) -> str:
        """Pastes the blocks of a section, and states that what they print has some words of each."""
        folder = os.path.dirname(self.server.log)
        before = BEFORE.format(port=self.server.admin_port, binaries=self.bench.binaries, folder=folder,
                               configuration=os.path.join(folder, "gatehouse.yaml"))
        text = ""
        for block in BLOCK.findall(section(self.document, name)):
            done = subprocess.run(["bash", "-c", before + block], capture_output=True, text=True, timeout=120,
                                  check=False, env={**os.environ, **self.server.settings})
            text += done.stdout + done.stderr
        self.bench.state(finds(self.name, name, words, text))
        return text

    def told(self, *words: str) -> bool:
        """Whether the log has a line with all of these words, since it began."""
        return eventually(lambda: has_line(self.server.log_text()[self.logged:], words), LONGEST_SIGN)

    def begin(self) -> None:
        self.began = time.monotonic()
        self.logged = len(self.server.log_text())

    def alarm(self, *words: str) -> None:
        """What wakes somebody: a line of the log with these words, which alerts go by, too."""
        self.bench.state(wakes(self.name, words, self.told(*words)))
        self.alarmed = time.monotonic()

    def mended(self, claim: Claim) -> None:
        self.bench.state(claim)
        now = time.monotonic()
        self.bench.note(
            f"{self.name}: told after {self.alarmed - self.began:.1f} s, mended {now - self.alarmed:.1f} s later")
        self.bench.figure(self.name, f"{now - self.began:.1f}")

    def fail(self, count: int = 12, issuer: str = "plain") -> list[Answer]:
        """Sign-ins, most of which fail."""
        return [self.server.sign_in(f"{self.name}{number}", issuer) for number in range(count)]

    def signs_in(self, issuer: str = "plain") -> bool:
        """Whether all are signed in again. Each loop has connections of its own, and finds a database that is back by
        itself."""
        def all_are(count: int) -> bool:
            return all(self.server.sign_in(f"{self.name}-well{number}", issuer).status == 200
                       for number in range(count))
        return eventually(lambda: all_are(20), 60) and all_are(AGAIN)


def section(document: str, name: str) -> str:
    titles = list(SECTION.finditer(document))
    for title, following in zip(titles, [*titles[1:], None], strict=True):
        if title[1] == name:
            return document[title.end():following.start() if following else None]
    raise KeyError(f"{RUN_BOOKS} has no section {name}")


def has_line(log: str, words: tuple[str, ...]) -> bool:
    return any(all(word in line for word in words) for line in log.splitlines())


def finds(name: str, title: str, words: tuple[str, ...], text: str) -> Claim:
    """What must be true of what the blocks of a section print."""
    missing = [word for word in words if not re.search(word, text)]
    return Claim(not missing, f"{name}: what {title} has one paste tells {words}; lacks {missing}: {text[-1500:]}")


def wakes(name: str, words: tuple[str, ...], is_told: bool) -> Claim:
    return Claim(is_told, f"{name}: the log says {words}")


def goes_on(name: str, signs_in: bool, is_told: bool, sentence: str) -> Claim:
    """What must be true where sign-ins had failed, and the log said so."""
    return Claim(signs_in and is_told, f"{name}: {sentence}")


def run(bench: Bench) -> None:
    secret = os.path.join(bench.folder, "client_secret")
    write(secret, "demo-secret-plain")
    settings = {"GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET": "", "GATEHOUSE_PROVIDER_PLAIN_CLIENT_SECRET_FILE": secret,
                "GATEHOUSE_PROVIDER_PLAIN_TIMEOUT_SECONDS": "2"}
    bodies: list[tuple[str, Callable[[Incident], None]]] = [
        ("provider-down", provider_down), ("keys-turned", keys_turned),
        ("secret-over", lambda incident: secret_over(incident, secret)), ("token-reused", token_reused),
        ("key-old", key_old), ("user-locked", user_locked), ("token-leaked", token_leaked)]
    with bench.carriers() as carriers:
        for name, body in bodies:
            with bench.server(carriers, name, settings=settings) as server:
                incident = Incident(bench, server, name)
                incident.begin()
                body(incident)
        killed(bench, carriers)
        disk_full(bench, carriers)
        database_away(bench, carriers)


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)


def provider_down(incident: Incident) -> None:
    carriers = incident.server.carriers
    carriers.misbehave("status_500", endpoint="token", issuer="plain")
    incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", r'step="token",result="failed"', "plain token: BAD.*500")
    carriers.behave()
    incident.mended(goes_on(incident.name, incident.signs_in(), incident.told("succeed again", "plain"),
                            "the log says that the provider is well"))


def keys_turned(incident: Incident) -> None:
    carriers = incident.server.carriers
    carriers.misbehave("id_token_unknown_kid", issuer="plain")
    answers = incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", "invalid_id_token", "key")
    carriers.behave()
    incident.mended(goes_on(incident.name, incident.signs_in(), incident.told("succeed again", "plain"),
                            f"the log says that the provider is well ({answers[-1]})"))


def secret_over(incident: Incident, secret: str) -> None:
    write(secret, "the-secret-of-last-year")
    os.kill(incident.server.id, signal.SIGHUP)
    eventually(lambda: incident.server.sign_in("overs", "plain").status != 200, 10)
    incident.fail()
    incident.alarm("sign-ins at a provider fail", "plain")
    incident.look("GatehouseProviderFailing", "invalid_client")
    write(secret, "demo-secret-plain")
    os.kill(incident.server.id, signal.SIGHUP)
    incident.mended(goes_on(incident.name, incident.signs_in(), incident.told("succeed again", "plain"),
                            "the new secret is taken"))


def token_reused(incident: Incident) -> None:
    session = incident.server.sign_in("robbed", "plain").json
    first = session["refresh_token"]
    second = incident.server.refresh(first).json["refresh_token"]
    incident.server.refresh(second)
    incident.server.refresh(first)
    incident.alarm("a refresh token was used again", "security=true")
    incident.look("GatehouseRefreshTokenReused", "gatehouse_refresh_reuse_detected_total [1-9]", "refresh_token_reused")
    incident.mended(is_worthless(incident.name, incident.server.refresh(second)))


def is_worthless(name: str, of_thief: Answer) -> Claim:
    return Claim(of_thief.status == 401, f"{name}: what a thief has is worth nothing")


def key_old(incident: Incident) -> None:
    incident.alarmed = time.monotonic()
    before = incident.look("GatehouseSigningKeyOld", "gatehouse_signing_key_age_seconds")
    incident.mended(is_rotated(incident.name, incident.signs_in(), before))


def is_rotated(name: str, signs_in: bool, printed: str) -> Claim:
    return Claim(signs_in and "kid" in printed.lower() or printed.count("\n") > 3, f"{name}: there is another key")


def user_locked(incident: Incident) -> None:
    user = incident.server.sign_in("locked-out", "plain").json["user"]["user_id"]
    command(incident, "users", "lock", str(user), "--reason", "drill")
    answer = incident.server.sign_in("locked-out", "plain")
    incident.bench.state(is_kept_out(incident.name, answer))
    incident.alarm("security=true", "locked")
    # A failed sign-in is written down once a minute.
    eventually(lambda: "locked" in command(incident, "sign-ins", "--request-id", answer.json["request_id"]), 75)
    incident.look("A user can't sign in", "locked")
    incident.bench.state(shows_lock(incident.name, command(incident, "users", "show", str(user))))
    command(incident, "users", "unlock", str(user), "--reason", "drill")
    incident.mended(is_back(
        incident.name, eventually(lambda: incident.server.sign_in("locked-out", "plain").status == 200, 30)))


def is_kept_out(name: str, answer: Answer) -> Claim:
    return Claim(answer.status == 423, f"{name}: a user who is locked gets in nowhere ({answer})")


def shows_lock(name: str, printed: str) -> Claim:
    return Claim("locked" in printed, f"{name}: show tells the lock")


def is_back(name: str, signs_in: bool) -> Claim:
    return Claim(signs_in, f"{name}: they are back")


def token_leaked(incident: Incident) -> None:
    session = incident.server.sign_in("leaky", "plain").json
    incident.alarmed = time.monotonic()
    incident.bench.state(has_command(section(incident.document, "A token leaked")))
    command(incident, "users", "sign-out", str(session["user"]["user_id"]))
    is_over = eventually(lambda: incident.server.user(session["token"]).status == 401, 10)
    incident.mended(are_over(incident.name, is_over, incident.server.refresh(session["refresh_token"])))


def has_command(text: str) -> Claim:
    return Claim("users sign-out NUMBER" in text, "the run-book has the command")


def are_over(name: str, access_token_is: bool, refreshed: Answer) -> Claim:
    return Claim(access_token_is and refreshed.status == 401, f"{name}: the tokens are over at once")


def command(incident: Incident, *words: str) -> str:
    folder = os.path.dirname(incident.server.log)
    done = subprocess.run(
        [f"{incident.bench.binaries}/gatehouse", *words, "--config", f"{folder}/gatehouse.yaml"],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **incident.server.settings})
    return done.stdout + done.stderr


def killed(bench: Bench, carriers: Carriers) -> None:
    server = bench.start(carriers, "killed")
    incident = Incident(bench, server, "instance-down")
    session = server.sign_in("before", "plain").json
    server.kill()
    incident.alarmed = time.monotonic()
    incident.look("GatehouseInstanceDown", "Failed to connect|refused|Couldn't connect")
    again = bench.start(carriers, "killed", database=server.database)
    incident.server = again
    incident.mended(is_started(incident.name, again.refresh(session["refresh_token"])))
    again.stop()


def is_started(name: str, refreshed: Answer) -> Claim:
    return Claim(refreshed.status == 200, f"{name}: it is started, and sessions go on")


def disk_full(bench: Bench, carriers: Carriers) -> None:
    folder = os.path.join(bench.folder, "small")
    os.makedirs(folder, exist_ok=True)
    try:
        mount("-t", "tmpfs", "-o", "size=24m", "none", folder)
    except Unavailable as error:
        bench.skip(f"disk-full: {error}")
        return
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
            incident.mended(goes_on(incident.name, incident.signs_in(),
                                    incident.told("writes of the store are done again"), "it goes on by itself"))
    finally:
        unmount(folder)


def database_away(bench: Bench, carriers: Carriers) -> None:
    try:
        with postgres(bench) as database, \
                bench.server(carriers, "database", settings=storage(bench, database)) as server:
            incident = Incident(bench, server, "database-away")
            incident.begin()
            database.kill()
            incident.fail(12)
            incident.alarm("writes of the store fail")
            incident.look("GatehouseStoreDown", "nobody listens|can't be reached|not answered")
            database.start()
            database.await_ready()
            incident.mended(goes_on(incident.name, incident.signs_in(),
                                    incident.told("writes of the store are done again"), "instances go on"))
    except NotInstalled as error:
        bench.skip(str(error))


def self_test() -> None:
    document = "## First\none\n## Second\ntwo users sign-out NUMBER\n"
    shows([has_command(section(document, "Second"))], ("has the command", [has_command(section(document, "First"))]))
    shows([finds("a", "First", ("di.k", "full"), "the disk is full")],
          ("lacks ['full']", [finds("a", "First", ("di.k", "full"), "the disk is well")]))
    log = "one line\nsecurity=true user locked\n"
    shows([wakes("a", ("locked", "security"), has_line(log, ("locked", "security")))],
          ("the log says", [wakes("a", ("locked", "line"), has_line(log, ("locked", "line")))]))
    shows([goes_on("a", True, True, "well")],
          ("well", [goes_on("a", False, True, "well")]), ("well", [goes_on("a", True, False, "well")]))
    good, refused = answer(200), answer(401)
    shows([is_worthless("a", refused)], ("worth nothing", [is_worthless("a", good)]))
    shows([is_rotated("a", True, "kid: 1"), is_rotated("a", False, "1\n2\n3\n4\n")],
          ("another key", [is_rotated("a", False, "kid: 1")]), ("another key", [is_rotated("a", True, "1\n2\n3\n")]))
    shows([is_kept_out("a", answer(423))], ("gets in nowhere", [is_kept_out("a", good)]))
    shows([shows_lock("a", "locked since")], ("tells the lock", [shows_lock("a", "active")]))
    shows([is_back("a", True)], ("are back", [is_back("a", False)]))
    shows([are_over("a", True, refused)],
          ("over at once", [are_over("a", False, refused)]), ("over at once", [are_over("a", True, good)]))
    shows([is_started("a", good)], ("sessions go on", [is_started("a", refused)]))
