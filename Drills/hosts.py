"""Hosts on which people can't sign in, each broken in its own way: what `gatehouse doctor` says of each."""

import contextlib
import http.server
import json
import os
import resource
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from email.utils import formatdate

from bench import MIB, Bench
from claims import Claim, shows
from gatehouse import LISTENING
from postgres import NotInstalled, Postgres, postgres, storage
from testbed.client import JSONObject
from testbed.process import Process

CONFIGURATION = """\
http: {{host: 127.0.0.1, port: {port}}}
admin: {{host: 127.0.0.1, port: 0, openOnLoopback: true}}
storage: {storage}
{top}
providers: [shop]
provider:
  shop:
    profile: openid
    issuer: "{issuer}"
    clientID: gatehouse-shop
    {secret}
    redirectURIs: ["com.shop.app:/back"]
    {more}
"""
DOCTOR_SECONDS = 60
LEAST_HOSTS = 30


class Host:
    """A host in a folder of its own, with nothing wrong until somebody breaks it."""

    def __init__(self, bench: Bench, folder: str, name: str, provider: "Provider") -> None:
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.bench, self.provider = bench, provider
        self.values: dict[str, str | int] = {
            "port": 0, "storage": f'{{url: "file:{self.folder}/data/users.db"}}', "top": "", "issuer": provider.url,
            "secret": "clientSecret: s3cr3t-of-the-shop", "more": "allowLoopbackHTTP: true"}
        os.mkdir(f"{self.folder}/data")
        self.environment: dict[str, str] = {}
        self.limits: dict[int, int] = {}
        self.prefix: list[str] = []
        self.words: list[str] = []
        self.unset: list[str] = []
        # The whole configuration, where it is not that of `values`.
        self.text: str | None = None
        self.is_configured = True

    @property
    def configuration(self) -> str:
        return os.path.join(self.folder, "gatehouse.yaml")

    def write(self) -> None:
        if not self.is_configured:
            return
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(self.text or CONFIGURATION.format(**self.values))

    def limit(self) -> None:
        for kind, value in self.limits.items():
            resource.setrlimit(kind, (value, value))

    def make_store(self) -> None:
        """A store with its key, as a first start makes them."""
        self.write()
        server = Process([f"{self.bench.binaries}/gatehouse", "serve", "--config", self.configuration],
                         f"{self.folder}/first-start.log")
        server.await_line(LISTENING)
        server.stop()

    def examine(self) -> tuple[int, list[JSONObject]]:
        self.write()
        done = subprocess.run(
            [*self.prefix, f"{self.bench.binaries}/gatehouse", "doctor", "--json", "--config", self.configuration,
             *self.words],
            env={name: value for name, value in {**os.environ, **self.environment}.items() if name not in self.unset},
            capture_output=True, text=True, timeout=DOCTOR_SECONDS, check=False,
            preexec_fn=self.limit)
        try:
            return done.returncode, json.loads(done.stdout)["found"]
        except ValueError:
            return done.returncode, [{"about": "output", "verdict": "none", "remedy": None,
                                      "sentence": (done.stdout + done.stderr)[-500:]}]


class Quiet(http.server.ThreadingHTTPServer):
    """Says nothing of clients that go away."""

    def handle_error(self, *_: object) -> None:
        pass


class Provider:
    """An OpenID Provider that says what it is told to."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.be_well()
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wants_metadata = self.path.endswith("openid-configuration")
                self.answer(provider.status, provider.document if wants_metadata else provider.keys)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.answer(400, {"error": "invalid_grant"})

            def answer(self, status: int, document: JSONObject) -> None:
                body = json.dumps(document).encode()
                self.send_response_only(status)
                self.send_header("Date", formatdate(time.time() + provider.ahead, usegmt=True))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if tls else "http"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def be_well(self) -> None:
        self.metadata: JSONObject = {}
        self.keys: JSONObject = KEYS
        # Seconds by which its clock is fast.
        self.ahead = 0
        self.status = 200

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}"

    @property
    def document(self) -> JSONObject:
        return {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token", "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys", "response_types_supported": ["code"],
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
                **self.metadata}

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


# What breaks a host, until the stack ends; raises `NotPossible` where it can't.
Breaking = Callable[[Host, ExitStack], None]
# A name, what breaks it, and what doctor must say: the verdict, what it is about, and words.
Broken = tuple[str, Breaking, str, str, *tuple[str, ...]]

# A key that signs nothing here.
KEYS: JSONObject = {"keys": [{"kty": "RSA", "kid": "a", "use": "sig", "alg": "RS256", "e": "AQAB", "n":
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
        "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ"
        "vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
        "nqDKgw"}]}


def says(name: str, found: Sequence[JSONObject], verdict: str, about: str, words: Sequence[str]) -> tuple[Claim, str]:
    """That doctor has found what is wrong, and the text that it has found."""
    texts = [f"{one['sentence']} {one['remedy'] or ''}" for one in found
             if one["verdict"] == verdict and one["about"] == about]
    meant = [text for text in texts if all(word in text for word in words)]
    return (Claim(bool(meant), f"{name}: {about} is {verdict}, with {tuple(words)}; found {worst(found)}"),
            meant[0] if meant else "")


def exits(name: str, found: Sequence[JSONObject], status: int) -> Claim:
    is_bad = any(one["verdict"] in ("bad", "none") for one in found)
    return Claim(status == (2 if is_bad else 1), f"{name}: it exits with {status}")


def are_enough(count: int) -> Claim:
    return Claim(count >= LEAST_HOSTS, f"{count} broken hosts were looked at, of {LEAST_HOSTS} at least")


def run(bench: Bench) -> None:
    provider = Provider()
    # Where everybody may look, whatever the drill's own folder is.
    place = tempfile.mkdtemp(prefix="gatehouse-hosts-", dir="/tmp")
    os.chmod(place, 0o755)
    try:
        hosts = [*CONFIGURATIONS, *FILES, *LIMITS, *PROVIDERS]
        count = sum(examine(bench, place, provider, host) for host in hosts)
        count += examine_databases(bench, place, provider)
    finally:
        provider.stop()
        shutil.rmtree(place, ignore_errors=True)
    bench.figure("hosts", count)
    bench.state(are_enough(count))


def examine(bench: Bench, place: str, provider: Provider, broken: Broken) -> bool:
    """Whether a host could be prepared; then doctor must say of it what is wrong, with what to do."""
    name, breaking, verdict, about, *words = broken
    host = Host(bench, place, name, provider)
    with ExitStack() as stack:
        try:
            breaking(host, stack)
            status, found = host.examine()
        except NotPossible as error:
            bench.skip(f"{name}: {error}")
            return False
        finally:
            provider.be_well()
    claim, text = says(name, found, verdict, about, words)
    bench.state(claim, exits(name, found, status))
    if claim.holds:
        bench.note(f"{name}: {text[:200]}")
    return True


def worst(found: Sequence[JSONObject]) -> list[str]:
    return [f"{one['verdict']} {one['about']}: {one['sentence']}" for one in found if one["verdict"] != "good"][:4]


class NotPossible(Exception):
    """This machine lacks what a host is broken with."""


def as_root() -> None:
    if os.geteuid():
        raise NotPossible("it takes root")


def as_somebody(host: Host) -> None:
    """Has doctor run as a user who owns nothing."""
    as_root()
    host.prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]


def elsewhere(host: Host, command: str) -> None:
    """Has doctor run where a command has changed what is mounted."""
    as_root()
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        raise NotPossible("nothing can be mounted here")
    host.prefix = ["unshare", "--mount", "--", "sh", "-c", f'{command} && exec "$0" "$@"']


# MARK: Configuration


def no_configuration(host: Host, _: ExitStack) -> None:
    host.is_configured = False


def broken_yaml(host: Host, _: ExitStack) -> None:
    host.text = "http: {port: 8080\nproviders: [shop]\n"


def misspelled(host: Host, _: ExitStack) -> None:
    host.values["top"] = "registraton: manual"


def no_secret(host: Host, _: ExitStack) -> None:
    host.values["secret"] = ""


def secret_file_gone(host: Host, _: ExitStack) -> None:
    host.values["secret"] = "clientSecretFile: /run/secrets/nobody_made_it"


def secret_for_all(host: Host, _: ExitStack) -> None:
    path = f"{host.folder}/secret"
    with open(path, "w", encoding="ascii") as file:
        file.write("s3cr3t-of-the-shop")
    os.chmod(path, 0o644)
    host.values["secret"] = f"clientSecretFile: {path}"


def quoted_secret(host: Host, _: ExitStack) -> None:
    host.environment = {"GATEHOUSE_PROVIDER_SHOP_CLIENT_SECRET": '"s3cr3t-of-the-shop"'}


def old_variable(host: Host, _: ExitStack) -> None:
    host.environment = {"HTTP_PORT": "9090"}


def open_admin(host: Host, _: ExitStack) -> None:
    host.values["top"] = "probes: {host: 203.0.113.7, port: 8082}"


def two_copies(host: Host, _: ExitStack) -> None:
    both = CONFIGURATION.format(**host.values).replace("providers: [shop]", "providers: [shop, other]")
    host.text = both + f"""\
  other:
    profile: openid
    issuer: "{host.provider.url}"
    clientID: gatehouse-shop
    clientSecret: s3cr3t-of-the-shop
    redirectURIs: ["com.shop.app:/back"]
    allowLoopbackHTTP: true
"""


CONFIGURATIONS: list[Broken] = [
    ("no-configuration", no_configuration, "bad", "configuration", "gatehouse.yaml", "file"),
    ("broken-yaml", broken_yaml, "bad", "configuration", "line"),
    ("misspelled-key", misspelled, "bad", "configuration", "registraton", "the nearest is registration"),
    ("no-client-secret", no_secret, "bad", "configuration", "provider.shop.clientSecret"),
    ("secret-file-gone", secret_file_gone, "bad", "configuration", "provider.shop.clientSecretFile", "nobody_made_it"),
    ("secret-for-everybody", secret_for_all, "warning", "configuration", "everybody on this machine can read",
     "chmod 600"),
    ("quoted-secret", quoted_secret, "warning", "configuration", "quotation marks"),
    ("variable-without-prefix", old_variable, "warning", "configuration", "only GATEHOUSE_HTTP_PORT is"),
    ("address-of-another-machine", open_admin, "warning", "configuration", "no address of this machine"),
    ("copied-section", two_copies, "warning", "configuration", "other"),
]


# MARK: Files and the store


def folder_as_store(host: Host, _: ExitStack) -> None:
    host.values["storage"] = f'{{url: "file:{host.folder}/data"}}'


def no_database(host: Host, _: ExitStack) -> None:
    host.make_store()
    with open(f"{host.folder}/data/users.db", "wb") as file:
        file.write(b"This is a letter, and no database.\n" * 200)


def newer_store(host: Host, _: ExitStack) -> None:
    host.make_store()
    with open(f"{host.folder}/data/users.db", "r+b") as file:
        # SQLite's user_version.
        file.seek(60)
        file.write((9999).to_bytes(4, "big"))


def lost_key(host: Host, _: ExitStack) -> None:
    host.make_store()
    os.remove(f"{host.folder}/data/users.db.key")


def other_key(host: Host, _: ExitStack) -> None:
    host.make_store()
    with open(f"{host.folder}/data/users.db.key", "w", encoding="ascii") as file:
        file.write("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")


def folder_of_others(host: Host, _: ExitStack) -> None:
    as_somebody(host)
    os.chmod(f"{host.folder}/data", 0o755)


def full_disk(host: Host, _: ExitStack) -> None:
    elsewhere(host, f"mount -t tmpfs -o size=1m,mode=0777 none {host.folder}/data")


def read_only(host: Host, _: ExitStack) -> None:
    host.make_store()
    data = f"{host.folder}/data"
    elsewhere(host, f"mount --bind {data} {data} && mount -o remount,bind,ro {data}")


def large_log(host: Host, _: ExitStack) -> None:
    host.make_store()
    with open(f"{host.folder}/data/users.db-wal", "wb") as file:
        file.truncate(300 * MIB)


FILES: list[Broken] = [
    ("folder-as-store", folder_as_store, "bad", "configuration", "which is a folder"),
    ("letter-as-store", no_database, "bad", "configuration", "storage.url", "no database of this service"),
    ("store-of-a-newer-version", newer_store, "bad", "configuration", "storage.url", "newer"),
    ("lost-master-key", lost_key, "bad", "configuration", "storage.masterKeyFile"),
    ("another-master-key", other_key, "bad", "configuration", "the master key does not open the database"),
    ("folder-of-others", folder_of_others, "warning", "configuration", "may not write in the folder"),
    ("full-disk", full_disk, "bad", "store, space", "make room"),
    ("read-only-disk", read_only, "warning", "store, disk", "read-only"),
    ("endless-log", large_log, "warning", "store, log", "300 MiB", "find who reads for long"),
]


# MARK: What the machine gives


def taken_port(host: Host, stack: ExitStack) -> None:
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    host.values["port"] = listener.getsockname()[1]
    # It says nothing, as any other program would.
    threading.Thread(target=refuse, args=(listener,), daemon=True).start()


def refuse(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            listener.accept()[0].close()


def low_port(host: Host, _: ExitStack) -> None:
    with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
        if int(file.read()) <= 80:
            raise NotPossible("everybody may listen on port 80")
    as_somebody(host)
    os.chmod(f"{host.folder}/data", 0o777)
    host.values["port"] = 80


def few_files(host: Host, _: ExitStack) -> None:
    host.limits = {resource.RLIMIT_NOFILE: 256}


def few_addresses(host: Host, _: ExitStack) -> None:
    host.limits = {resource.RLIMIT_AS: 512 * MIB}


def hardly_any_addresses(host: Host, _: ExitStack) -> None:
    host.limits = {resource.RLIMIT_AS: 64 * MIB}
    done = subprocess.run([f"{host.bench.binaries}/gatehouse", "--version"], capture_output=True, text=True,
                          timeout=DOCTOR_SECONDS, check=False, preexec_fn=host.limit)
    if "loading shared libraries" in done.stderr:
        raise NotPossible("this build has Swift's libraries apart, and the system can't load so many")


def little_memory(host: Host, _: ExitStack) -> None:
    path = f"{host.folder}/memory.max"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{64 * MIB}\n")
    elsewhere(host, f"mount -t tmpfs none /sys/fs/cgroup && cp {path} /sys/fs/cgroup/memory.max")


def no_anchors(host: Host, _: ExitStack) -> None:
    host.values.update(issuer="https://id.shop.test", more="")
    host.words = ["--offline"]
    # Of those who run the drill.
    host.unset = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
    elsewhere(host, "mount -t tmpfs none /etc/ssl")


LIMITS: list[Broken] = [
    ("taken-port", taken_port, "warning", "configuration", "http.port", "something listens already"),
    ("port-of-root", low_port, "warning", "configuration", "http.port", "CAP_NET_BIND_SERVICE"),
    ("few-open-files", few_files, "warning", "open files", "this user may have 256", "LimitNOFILE"),
    ("few-addresses", few_addresses, "bad", "address space", "limited to 512 MiB", "ulimit -v unlimited"),
    ("64-MB-of-addresses", hardly_any_addresses, "none", "output", "limited to 64 MiB", "ulimit -v unlimited"),
    ("64-MB-of-memory", little_memory, "warning", "memory", "64 MiB", "give the container more"),
    ("no-trust-anchors", no_anchors, "bad", "trust anchors", "shop", "install ca-certificates"),
]


# MARK: Providers


def unknown_name(host: Host, _: ExitStack) -> None:
    host.values.update(issuer="https://id.shop.invalid", more="timeoutSeconds: 5")


def nobody_there(host: Host, _: ExitStack) -> None:
    host.values["issuer"] = "http://127.0.0.1:1"


def https_at_http(host: Host, _: ExitStack) -> None:
    host.values["issuer"] = host.provider.url.replace("http://", "https://")


def secure(host: Host, stack: ExitStack, days: int) -> str:
    """A provider behind TLS with a certificate of nobody's, valid for so many days, or up to so many days ago."""
    key, certificate = f"{host.folder}/key.pem", f"{host.folder}/certificate.pem"
    request, extensions = f"{host.folder}/request.pem", f"{host.folder}/extensions"
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
            "-out", request, "-subj", "/CN=127.0.0.1")
    with open(extensions, "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", request, "-signkey", key, "-extfile", extensions, "-days", str(days),
            "-out", certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    provider = Provider(context)
    stack.callback(provider.stop)
    host.values["issuer"] = provider.url
    return certificate


def openssl(*words: str) -> None:
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPossible(f"openssl: {done.stderr.strip()[-200:]}")


def untrusted(host: Host, stack: ExitStack) -> None:
    secure(host, stack, 30)


def expired(host: Host, stack: ExitStack) -> None:
    certificate = secure(host, stack, -1)
    host.values["more"] = f"allowLoopbackHTTP: true\n    caFile: {certificate}"


def another_issuer(host: Host, _: ExitStack) -> None:
    host.provider.metadata = {"issuer": host.provider.url + "/"}


def no_metadata(host: Host, _: ExitStack) -> None:
    host.provider.status = 404


def no_keys(host: Host, _: ExitStack) -> None:
    host.provider.keys = {"keys": []}


def clock_ahead(host: Host, _: ExitStack) -> None:
    host.provider.ahead = 600


def no_token_endpoint(host: Host, _: ExitStack) -> None:
    host.provider.metadata = {"token_endpoint": "http://id.shop.test/token"}


PROVIDERS: list[Broken] = [
    ("unknown-name", unknown_name, "bad", "provider shop, discovery", "has no address"),
    ("nobody-there", nobody_there, "bad", "provider shop, discovery", "nobody listens there"),
    ("https-at-an-http-port", https_at_http, "bad", "provider shop, discovery", "speaks no TLS, such as http"),
    ("untrusted-certificate", untrusted, "bad", "provider shop, discovery", "authority that is trusted"),
    ("expired-certificate", expired, "bad", "provider shop, discovery", "expired"),
    ("another-issuer", another_issuer, "bad", "provider shop, discovery", "another issuer", "to the letter"),
    ("no-metadata", no_metadata, "bad", "provider shop, discovery", "no metadata at that address"),
    ("no-keys", no_keys, "bad", "provider shop, keys", "key"),
    ("clock-ahead", clock_ahead, "bad", "provider shop, clock", "600"),
    ("plain-token-endpoint", no_token_endpoint, "bad", "provider shop, discovery", "token_endpoint"),
]


# MARK: PostgreSQL


def examine_databases(bench: Bench, place: str, provider: Provider) -> int:
    try:
        with postgres(bench) as database:
            def examine_with(name: str, breaking: BreakingOfDatabase, verdict: str, about: str, *words: str) -> bool:
                return examine(bench, place, provider, (
                    name, lambda host, stack: breaking(host, stack, database), verdict, about, *words))

            count = sum(examine_with(*host) for host in DATABASES)
            database.shut_down()
            return count + examine_with("stopped-database", use, "bad", "database", "nobody listens")
    except NotInstalled as error:
        bench.skip(str(error))
        return 0


BreakingOfDatabase = Callable[[Host, ExitStack, Postgres], None]


def use(host: Host, _: ExitStack, database: Postgres, **changes: str) -> None:
    settings = storage(host.bench, database)
    url = settings["GATEHOUSE_STORAGE_URL"]
    for name, value in changes.items():
        url = url.replace({"user": "user=gatehouse", "dbname": "dbname=postgres"}[name], f"{name}={value}")
    host.environment = {**settings, "GATEHOUSE_STORAGE_URL": url, "GATEHOUSE_STORAGE_CONNECT_SECONDS": "2"}


def unknown_role(host: Host, stack: ExitStack, database: Postgres) -> None:
    use(host, stack, database, user="nobody_made_me")


def unknown_database(host: Host, stack: ExitStack, database: Postgres) -> None:
    use(host, stack, database, dbname="nobody_made_it")


def role_without_create(host: Host, stack: ExitStack, database: Postgres) -> None:
    database.ask("CREATE ROLE reader LOGIN")
    database.ask("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    use(host, stack, database, user="reader")


def latin(host: Host, stack: ExitStack, database: Postgres) -> None:
    database.ask("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    use(host, stack, database, dbname="latin")


def set_and_reset(stack: ExitStack, database: Postgres, name: str, value: str) -> None:
    database.ask(f"ALTER SYSTEM SET {name} = {value}")
    database.ask("SELECT pg_reload_conf()")
    stack.callback(database.ask, "SELECT pg_reload_conf()")
    stack.callback(database.ask, f"ALTER SYSTEM RESET {name}")


def commits_off(host: Host, stack: ExitStack, database: Postgres) -> None:
    set_and_reset(stack, database, "synchronous_commit", "off")
    use(host, stack, database)


def many_connections(host: Host, stack: ExitStack, database: Postgres) -> None:
    host.values["top"] = "session: {accessTokenSeconds: 900}"
    use(host, stack, database)
    host.environment["GATEHOUSE_STORAGE_CONNECTIONS"] = "100"


DATABASES: list[tuple[str, BreakingOfDatabase, str, str, *tuple[str, ...]]] = [
    ("unknown-role", unknown_role, "bad", "database", "role"),
    ("unknown-database", unknown_database, "bad", "database", "make it"),
    ("role-without-create", role_without_create, "warning", "database, rights", "GRANT CREATE ON SCHEMA"),
    ("latin-1", latin, "bad", "database, encoding", "LATIN1", "ENCODING 'UTF8'"),
    ("commits-that-do-not-wait", commits_off, "warning", "database, commits", "synchronous_commit is off"),
    ("too-few-connections", many_connections, "warning", "database, connections", "raise max_connections"),
]


def self_test() -> None:
    finding = {"about": "configuration", "verdict": "bad", "sentence": "http.port is no port", "remedy": "take another"}

    def found(verdict: str = "bad", about: str = "configuration") -> list[Claim]:
        return [says("port", [{**finding, "verdict": verdict, "about": about}], "bad", "configuration", words)[0]]

    words = ("http.port", "another")
    shows(found(), ("is bad", found(verdict="warning")), ("is bad", found(about="store, log")),
          ("is bad", [says("port", [finding], "bad", "configuration", (*words, "nobody"))[0]]))
    shows([exits("port", [finding], 2), exits("port", [{**finding, "verdict": "warning"}], 1)],
          ("exits with 1", [exits("port", [finding], 1)]), ("exits with 0", [exits("port", [], 0)]))
    shows([are_enough(LEAST_HOSTS)], ("at least", [are_enough(LEAST_HOSTS - 1)]))
