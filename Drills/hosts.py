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
from email.utils import formatdate

from gatehouse import LISTENING
from postgres import NotInstalled, postgres, storage
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
MIB = 1 << 20


class Host:
    """A host in a folder of its own, with nothing wrong until somebody breaks it."""

    def __init__(self, bench, folder, name, provider):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.bench, self.provider = bench, provider
        self.values = {"port": 0, "storage": f'{{url: "file:{self.folder}/data/users.db"}}', "top": "",
                       "issuer": provider.url, "secret": "clientSecret: s3cr3t-of-the-shop",
                       "more": "allowLoopbackHTTP: true"}
        os.mkdir(f"{self.folder}/data")
        self.environment, self.limits, self.prefix, self.words, self.unset = {}, {}, [], [], []
        self.text = None

    @property
    def configuration(self):
        return os.path.join(self.folder, "gatehouse.yaml")

    def write(self, **values):
        self.values.update(values)
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(self.text or CONFIGURATION.format(**self.values))

    def limit(self):
        for kind, value in self.limits.items():
            resource.setrlimit(kind, (value, value))

    def make_store(self):
        """A store with its key, as a first start makes them."""
        self.write()
        server = Process([f"{self.bench.binaries}/gatehouse", "serve", "--config", self.configuration],
                         f"{self.folder}/first-start.log")
        server.await_line(LISTENING)
        server.stop()

    def examine(self):
        self.write()
        done = subprocess.run(
            [*self.prefix, f"{self.bench.binaries}/gatehouse", "doctor", "--json", "--config", self.configuration, *self.words],
            env={name: value for name, value in {**os.environ, **self.environment}.items() if name not in self.unset},
            capture_output=True, text=True, timeout=DOCTOR_SECONDS, check=False,
            preexec_fn=self.limit)
        try:
            return done.returncode, json.loads(done.stdout)["found"]
        except ValueError:
            return done.returncode, [{"about": "output", "verdict": "none", "remedy": None,
                                      "sentence": (done.stdout + done.stderr)[-500:]}]


class Provider:
    """An OpenID Provider that says what it is told to."""

    def __init__(self, tls=None):
        self.metadata, self.keys, self.ahead = {}, KEYS, 0
        self.status = 200
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(provider.status, provider.document if self.path.endswith("openid-configuration") else provider.keys)

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.answer(400, {"error": "invalid_grant"})

            def answer(self, status, document):
                body = json.dumps(document).encode()
                self.send_response_only(status)
                self.send_header("Date", formatdate(time.time() + provider.ahead, usegmt=True))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.scheme = "https" if tls else "http"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}"

    @property
    def document(self):
        return {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token", "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys", "response_types_supported": ["code"],
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
                **self.metadata}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


# A key that signs nothing here.
KEYS = {"keys": [{"kty": "RSA", "kid": "a", "use": "sig", "alg": "RS256", "e": "AQAB", "n":
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
        "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ"
        "vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
        "nqDKgw"}]}


def run(bench):
    provider = Provider()
    # Where everybody may look, whatever the drill's own folder is.
    place = tempfile.mkdtemp(prefix="gatehouse-hosts-", dir="/tmp")
    os.chmod(place, 0o755)
    try:
        hosts = [*CONFIGURATIONS, *FILES, *LIMITS, *PROVIDERS]
        count = sum(examine(bench, place, provider, *host) for host in hosts)
        count += examine_databases(bench, place, provider)
    finally:
        provider.stop()
        shutil.rmtree(place, ignore_errors=True)
    bench.figure("hosts", count)
    bench.claim(count >= 30, f"{count} broken hosts were looked at, of 30 at least")


def examine(bench, place, provider, name, breaking, verdict, about, *words, database=None):
    """Whether a host could be prepared; then doctor must say of it what is wrong, with what to do."""
    host = Host(bench, place, name, provider)
    with contextlib.ExitStack() as stack:
        try:
            breaking(host, stack, *([database] if database else []))
            status, found = host.examine()
        except NotPossible as error:
            bench.skip(f"{name}: {error}")
            return 0
        finally:
            provider.metadata, provider.keys, provider.ahead, provider.status = {}, KEYS, 0, 200
    texts = [f"{one['sentence']} {one['remedy'] or ''}" for one in found
             if one["verdict"] == verdict and one["about"] == about]
    holds = any(all(word in text for word in words) for text in texts)
    bench.claim(holds, f"{name}: {about} is {verdict}, with {words}; found {worst(found)}")
    is_bad = any(one["verdict"] in ("bad", "none") for one in found)
    bench.claim(status == (2 if is_bad else 1), f"{name}: it exits with {status}")
    if holds:
        bench.note(f"{name}: " + next(text for text in texts if all(word in text for word in words))[:200])
    return 1


def worst(found):
    return [f"{one['verdict']} {one['about']}: {one['sentence']}" for one in found if one["verdict"] != "good"][:4]


class NotPossible(Exception):
    """This machine lacks what a host is broken with."""


def as_root():
    if os.geteuid():
        raise NotPossible("it takes root")


def as_somebody(host):
    """Has doctor run as a user who owns nothing."""
    as_root()
    host.prefix = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]


def elsewhere(host, command):
    """Has doctor run where a command has changed what is mounted."""
    as_root()
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        raise NotPossible("nothing can be mounted here")
    host.prefix = ["unshare", "--mount", "--", "sh", "-c", f'{command} && exec "$0" "$@"']


# MARK: Configuration


def no_configuration(host, _):
    host.write = lambda: None


def broken_yaml(host, _):
    host.text = "http: {port: 8080\nproviders: [shop]\n"


def misspelled(host, _):
    host.values["top"] = "registraton: manual"


def no_secret(host, _):
    host.values["secret"] = ""


def secret_file_gone(host, _):
    host.values["secret"] = "clientSecretFile: /run/secrets/nobody_made_it"


def secret_for_all(host, _):
    path = f"{host.folder}/secret"
    with open(path, "w", encoding="ascii") as file:
        file.write("s3cr3t-of-the-shop")
    os.chmod(path, 0o644)
    host.values["secret"] = f"clientSecretFile: {path}"


def quoted_secret(host, _):
    host.environment = {"GATEHOUSE_PROVIDER_SHOP_CLIENT_SECRET": '"s3cr3t-of-the-shop"'}


def old_variable(host, _):
    host.environment = {"HTTP_PORT": "9090"}


def open_admin(host, _):
    host.values["top"] = "probes: {host: 203.0.113.7, port: 8082}"


def two_copies(host, _):
    host.text = CONFIGURATION.format(**host.values).replace("providers: [shop]", "providers: [shop, other]") + """\
  other:
    profile: openid
    issuer: "{issuer}"
    clientID: gatehouse-shop
    clientSecret: s3cr3t-of-the-shop
    redirectURIs: ["com.shop.app:/back"]
    allowLoopbackHTTP: true
""".format(issuer=host.provider.url)


CONFIGURATIONS = [
    ("no-configuration", no_configuration, "bad", "configuration", "gatehouse.yaml", "file"),
    ("broken-yaml", broken_yaml, "bad", "configuration", "line"),
    ("misspelled-key", misspelled, "bad", "configuration", "registraton", "the nearest is registration"),
    ("no-client-secret", no_secret, "bad", "configuration", "provider.shop.clientSecret"),
    ("secret-file-gone", secret_file_gone, "bad", "configuration", "provider.shop.clientSecretFile", "nobody_made_it"),
    ("secret-for-everybody", secret_for_all, "warning", "configuration", "everybody on this machine can read", "chmod 600"),
    ("quoted-secret", quoted_secret, "warning", "configuration", "quotation marks"),
    ("variable-without-prefix", old_variable, "warning", "configuration", "only GATEHOUSE_HTTP_PORT is"),
    ("address-of-another-machine", open_admin, "warning", "configuration", "no address of this machine"),
    ("copied-section", two_copies, "warning", "configuration", "other"),
]


# MARK: Files and the store


def folder_as_store(host, _):
    host.values["storage"] = f'{{url: "file:{host.folder}/data"}}'


def no_database(host, _):
    host.make_store()
    with open(f"{host.folder}/data/users.db", "wb") as file:
        file.write(b"This is a letter, and no database.\n" * 200)


def newer_store(host, _):
    host.make_store()
    with open(f"{host.folder}/data/users.db", "r+b") as file:
        # SQLite's user_version.
        file.seek(60)
        file.write((9999).to_bytes(4, "big"))


def lost_key(host, _):
    host.make_store()
    os.remove(f"{host.folder}/data/users.db.key")


def other_key(host, _):
    host.make_store()
    with open(f"{host.folder}/data/users.db.key", "w", encoding="ascii") as file:
        file.write("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")


def folder_of_others(host, _):
    as_somebody(host)
    os.chmod(f"{host.folder}/data", 0o755)


def full_disk(host, _):
    elsewhere(host, f"mount -t tmpfs -o size=1m,mode=0777 none {host.folder}/data")


def read_only(host, _):
    host.make_store()
    elsewhere(host, f"mount --bind {host.folder}/data {host.folder}/data && mount -o remount,bind,ro {host.folder}/data")


def large_log(host, _):
    host.make_store()
    with open(f"{host.folder}/data/users.db-wal", "wb") as file:
        file.truncate(300 * MIB)


FILES = [
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


def taken_port(host, stack):
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    host.values["port"] = listener.getsockname()[1]
    # It says nothing, as any other program would.
    threading.Thread(target=refuse, args=(listener,), daemon=True).start()


def refuse(listener):
    with contextlib.suppress(OSError):
        while True:
            listener.accept()[0].close()


def low_port(host, _):
    with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as file:
        if int(file.read()) <= 80:
            raise NotPossible("everybody may listen on port 80")
    as_somebody(host)
    os.chmod(f"{host.folder}/data", 0o777)
    host.values["port"] = 80


def few_files(host, _):
    host.limits = {resource.RLIMIT_NOFILE: 256}


def few_addresses(host, _):
    host.limits = {resource.RLIMIT_AS: 512 * MIB}


def hardly_any_addresses(host, _):
    host.limits = {resource.RLIMIT_AS: 64 * MIB}
    done = subprocess.run([f"{host.bench.binaries}/gatehouse", "--version"], capture_output=True, text=True, timeout=DOCTOR_SECONDS,
                          check=False, preexec_fn=host.limit)
    if "loading shared libraries" in done.stderr:
        raise NotPossible("this build has Swift's libraries apart, and the system can't load so many")


def little_memory(host, _):
    path = f"{host.folder}/memory.max"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{64 * MIB}\n")
    elsewhere(host, f"mount -t tmpfs none /sys/fs/cgroup && cp {path} /sys/fs/cgroup/memory.max")


def no_anchors(host, _):
    host.values.update(issuer="https://id.shop.test", more="")
    host.words = ["--offline"]
    # Of whoever runs the drill.
    host.unset = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
    elsewhere(host, "mount -t tmpfs none /etc/ssl")


LIMITS = [
    ("taken-port", taken_port, "warning", "configuration", "http.port", "something listens already"),
    ("port-of-root", low_port, "warning", "configuration", "http.port", "CAP_NET_BIND_SERVICE"),
    ("few-open-files", few_files, "warning", "open files", "this user may have 256", "LimitNOFILE"),
    ("few-addresses", few_addresses, "bad", "address space", "limited to 512 MiB", "ulimit -v unlimited"),
    ("64-MB-of-addresses", hardly_any_addresses, "none", "output", "limited to 64 MiB", "ulimit -v unlimited"),
    ("64-MB-of-memory", little_memory, "warning", "memory", "64 MiB", "give the container more"),
    ("no-trust-anchors", no_anchors, "bad", "trust anchors", "shop", "install ca-certificates"),
]


# MARK: Providers


def unknown_name(host, _):
    host.values.update(issuer="https://id.shop.invalid", more="timeoutSeconds: 5")


def nobody_there(host, _):
    host.values["issuer"] = "http://127.0.0.1:1"


def https_at_http(host, _):
    host.values["issuer"] = host.provider.url.replace("http://", "https://")


def secure(host, stack, days):
    """A provider behind TLS with a certificate of nobody's, valid for so many days, or up to so many days ago."""
    key, certificate = f"{host.folder}/key.pem", f"{host.folder}/certificate.pem"
    request, extensions = f"{host.folder}/request.pem", f"{host.folder}/extensions"
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request,
            "-subj", "/CN=127.0.0.1")
    with open(extensions, "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", request, "-signkey", key, "-extfile", extensions, "-days", str(days), "-out", certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    provider = Provider(context)
    stack.callback(provider.stop)
    host.values["issuer"] = provider.url
    return certificate


def openssl(*words):
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPossible(f"openssl: {done.stderr.strip()[-200:]}")


def untrusted(host, stack):
    secure(host, stack, 30)


def expired(host, stack):
    certificate = secure(host, stack, -1)
    host.values["more"] = f"allowLoopbackHTTP: true\n    caFile: {certificate}"


def another_issuer(host, _):
    host.provider.metadata = {"issuer": host.provider.url + "/"}


def no_metadata(host, _):
    host.provider.status = 404


def no_keys(host, _):
    host.provider.keys = {"keys": []}


def clock_ahead(host, _):
    host.provider.ahead = 600


def no_token_endpoint(host, _):
    host.provider.metadata = {"token_endpoint": "http://id.shop.test/token"}


PROVIDERS = [
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


def examine_databases(bench, place, provider):
    try:
        with postgres(bench) as database:
            count = sum(examine(bench, place, provider, *host, database=database) for host in DATABASES)
            database.shut_down()
            count += examine(bench, place, provider, "stopped-database", use, "bad", "database", "nobody listens", database=database)
            return count
    except NotInstalled as error:
        bench.skip(str(error))
        return 0


def use(host, _, database, **changes):
    settings = storage(host.bench, database)
    url = settings["GATEHOUSE_STORAGE_URL"]
    for name, value in changes.items():
        url = url.replace({"user": "user=gatehouse", "dbname": "dbname=postgres"}[name], f"{name}={value}")
    host.environment = {**settings, "GATEHOUSE_STORAGE_URL": url, "GATEHOUSE_STORAGE_CONNECT_SECONDS": "2"}


def unknown_role(host, stack, database):
    use(host, stack, database, user="nobody_made_me")


def unknown_database(host, stack, database):
    use(host, stack, database, dbname="nobody_made_it")


def role_without_create(host, stack, database):
    database.ask("CREATE ROLE reader LOGIN")
    database.ask("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    use(host, stack, database, user="reader")


def latin(host, stack, database):
    database.ask("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    use(host, stack, database, dbname="latin")


def set_and_reset(stack, database, name, value):
    database.ask(f"ALTER SYSTEM SET {name} = {value}")
    database.ask("SELECT pg_reload_conf()")
    stack.callback(database.ask, "SELECT pg_reload_conf()")
    stack.callback(database.ask, f"ALTER SYSTEM RESET {name}")


def commits_off(host, stack, database):
    set_and_reset(stack, database, "synchronous_commit", "off")
    use(host, stack, database)


def many_connections(host, stack, database):
    host.values["top"] = "session: {accessTokenSeconds: 900}"
    use(host, stack, database)
    host.environment["GATEHOUSE_STORAGE_CONNECTIONS"] = "100"


DATABASES = [
    ("unknown-role", unknown_role, "bad", "database", "role"),
    ("unknown-database", unknown_database, "bad", "database", "make it"),
    ("role-without-create", role_without_create, "warning", "database, rights", "GRANT CREATE ON SCHEMA"),
    ("latin-1", latin, "bad", "database, encoding", "LATIN1", "ENCODING 'UTF8'"),
    ("commits-that-do-not-wait", commits_off, "warning", "database, commits", "synchronous_commit is off"),
    ("too-few-connections", many_connections, "warning", "database, connections", "raise max_connections"),
]
