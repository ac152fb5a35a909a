"""HTTPS without a proxy: what a scanner finds, thousands of broken handshakes at once, a hundred new certificates under
load, and what a handshake and a request cost beside nginx's."""

import contextlib
import functools
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from bench import KIB, Bench, eventually, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed.carriers import carriers
from testbed.ports import free_port
from testbed.process import Process

LONGEST = 900
BROKEN = 5000
RENEWALS = 100
LOAD = 4
HEADER_SECONDS = 5
# A good client's patience while all the broken ones are there.
PATIENCE = 5.0
# How often each is measured, for so long.
ROUNDS, SECONDS = 3, 3
HANDSHAKE_RATIO, REQUEST_RATIO = 1.15, 1.1
TOLERABLE = {"OK", "INFO", "LOW", "WARN"}
# Who makes handshakes without a pause, and who asks for something meanwhile, every so many seconds.
HANDSHAKERS, PAUSE = 4, 0.005
# Where nginx speaks TLS for the carriers, which are on 127.0.0.1.
FRONT = "127.0.0.2"
SIGN_INS = 300
FRONT_OF_CARRIERS = """\
worker_processes 1; pid {folder}/front.pid; error_log {folder}/front.log; daemon off;
events {{ worker_connections 1024; }}
http {{ access_log off; keepalive_requests 1000000;
{servers}
}}
"""
FRONT_OF_ONE = """\
    server {{
        listen {host}:{port} ssl; ssl_certificate {folder}/chain.pem; ssl_certificate_key {folder}/key.pem;
        location / {{ proxy_pass http://127.0.0.1:{port}; proxy_set_header Host $http_host; }}
    }}
"""
NGINX = """\
worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; daemon off;
events {{ worker_connections 8192; }}
http {{
    access_log off; keepalive_requests 100000000;
    server {{
        listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/chain.pem; ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3; ssl_session_cache off; ssl_session_tickets off;
        location / {{
            default_type application/json;
            add_header X-Content-Type-Options nosniff; add_header Referrer-Policy no-referrer;
            add_header Content-Security-Policy "default-src 'none'; frame-ancestors 'none'";
            add_header Strict-Transport-Security "max-age=31536000"; add_header X-Request-ID $request_id;
            return 200 '{{"status":"ok"}}';
        }}
    }}
}}
"""


def run(bench: Bench) -> None:
    place = Certificates(bench.folder)
    place.issue()
    with bench.carriers() as providers, bench.server(providers, settings=place.settings) as server:
        scan(bench, server, place)
        break_handshakes(bench, server, place)
        renew(bench, server, place)
        compare(bench, server, place)
        busy = beside_handshakes(server, place)
    busy_with_rsa = beside_handshakes_of_rsa(bench)
    for name, waits in (("p256", busy), ("rsa", busy_with_rsa)):
        bench.figure(f"request_beside_handshakes_{name}_ms", f"{statistics.median(waits) * 1000:.2f}")
        bench.figure(f"slowest_beside_handshakes_{name}_ms", f"{sorted(waits)[len(waits) * 99 // 100] * 1000:.2f}")
    sign_in(bench, place)


P256 = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
RSA = ("rsa:2048",)


class Certificates:
    """An authority of the drill's, and what it issues for this host."""

    def __init__(self, folder: str, kind: Sequence[str] = P256) -> None:
        self.folder, self.kind = folder, kind
        self.serial = 0
        self.authority = f"{folder}/ca.pem"
        self.openssl(
            "req", "-x509", *self.key("ca-key.pem"), "-out", self.authority, "-days", "300", "-subj", "/CN=drill")

    def key(self, name: str) -> list[str]:
        return ["-newkey", *self.kind, "-nodes", "-keyout", name]

    def openssl(self, *words: str) -> None:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.folder)

    def issue(self) -> int:
        """Puts a new certificate and its key into their places, and returns its serial number."""
        self.serial += 1
        with open(f"{self.folder}/extensions", "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2\nbasicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n"
                       "extendedKeyUsage=serverAuth\ncrlDistributionPoints=URI:http://localhost/drill.crl\n")
        self.openssl("req", *self.key("new-key.pem"), "-out", "request.pem", "-subj", "/CN=localhost")
        self.openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-days", "90",
                     "-set_serial", str(self.serial), "-extfile", "extensions", "-out", "new-chain.pem")
        for name in ("key.pem", "chain.pem"):
            os.rename(f"{self.folder}/new-{name}", f"{self.folder}/{name}")
        return self.serial

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "GATEHOUSE_HTTP_TLS_CERTIFICATE_FILE": f"{self.folder}/chain.pem",
            "GATEHOUSE_HTTP_TLS_KEY_FILE": f"{self.folder}/key.pem", "GATEHOUSE_HTTP_LOOPS": "1",
            "GATEHOUSE_HTTP_CONNECTIONS_PER_ADDRESS": "0", "GATEHOUSE_LOG_LEVEL": "notice",
            "GATEHOUSE_HTTP_HEADER_TIMEOUT_SECONDS": str(HEADER_SECONDS)}

    @property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.authority)


def asked(port: int, context: ssl.SSLContext, seconds: float = 30) -> tuple[int, int]:
    """The status of a request on a connection of its own, and the serial number of whom it went to."""
    connection = http.client.HTTPSConnection("localhost", port, timeout=seconds, context=context)
    with contextlib.closing(connection):
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        shown = connection.sock.getpeercert() if isinstance(connection.sock, ssl.SSLSocket) else None
        return answer.status, int(str((shown or {}).get("serialNumber", "0")), 16)


# MARK: A scanner


def scan(bench: Bench, server: Gatehouse, place: Certificates) -> None:
    if not shutil.which("testssl"):
        bench.skip("testssl.sh is not installed")
        return
    found = f"{bench.folder}/testssl.json"
    subprocess.run(
        ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--add-ca", place.authority, "--jsonfile", found,
         f"localhost:{server.port}"], capture_output=True, stdin=subprocess.DEVNULL, timeout=400)
    with open(found, encoding="utf-8") as file:
        findings = json.load(file)
    bench.figure("testssl_findings", tally(finding["severity"] for finding in findings).replace(" ", ","))
    bench.state(*found_nothing(findings))


def found_nothing(findings: Sequence[Mapping[str, str]]) -> list[Claim]:
    # How long the drill's own certificate lasts is the drill's choice.
    grave = [f"{finding['id']} {finding['severity']}: {finding['finding']}" for finding in findings
             if finding["severity"] not in TOLERABLE and not finding["id"].startswith("cert_")]
    return [Claim(len(findings) > 50, f"the scanner has looked ({len(findings)} findings)"),
            Claim(not grave, f"it finds nothing above low ({grave})")]


# MARK: Broken handshakes


def break_handshakes(bench: Bench, server: Gatehouse, place: Certificates) -> None:
    bench.state(*refuses(*(openssl_says(server.port, *words) for words in (
        ["-tls1_1"], ["-tls1_2", "-cipher", "AES128-SHA"], ["-tls1_3"]))))
    before = server.resident()
    hello = client_hello()
    broken: list[socket.socket] = []
    kinds: list[bytes] = [b"", hello[:len(hello) // 2], b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"x" * 64,
                          b"\x16\x03\x01", os.urandom(200)]
    began = time.monotonic()
    try:
        for number in range(BROKEN):
            client = socket.create_connection(("127.0.0.1", server.port))
            broken.append(client)
            with contextlib.suppress(OSError):
                client.sendall(kinds[number % len(kinds)])
        bench.note(f"{BROKEN} are there after {time.monotonic() - began:.1f} s")
        waits = []
        for _ in range(20):
            at = time.monotonic()
            status, _ = asked(server.port, place.context)
            waits.append(time.monotonic() - at if status == 200 else PATIENCE * 2)
        held = server.resident() - before
        gone = eventually(lambda: server.descriptors() < 100, HEADER_SECONDS * 4)
    finally:
        for client in broken:
            client.close()
    bench.figure("good_client_waits_ms", round(max(waits) * 1000))
    bench.figure("kib_a_broken_one", round(held / BROKEN / KIB))
    bench.state(*serves_beside(max(waits), gone))


def openssl_says(port: int, *words: str) -> str:
    """What comes of a handshake, a question for a new one, and what the session is good for."""
    answer = subprocess.run(
        ["openssl", "s_client", "-connect", f"localhost:{port}", *words], input="R\n", text=True, capture_output=True,
        timeout=30)
    return answer.stdout + answer.stderr


def refuses(old: str, weak: str, new: str) -> list[Claim]:
    return [Claim("Cipher is (NONE)" in old, "TLS 1.1 is refused"),
            Claim("Cipher is (NONE)" in weak, "a key that is not ephemeral is refused"),
            Claim("TLSv1.3" in new and "New Session Ticket arrived" not in new, "no ticket is given"),
            Claim("Max Early Data: 0" in new or "Max Early Data" not in new, "no data comes before a handshake's end")]


def serves_beside(longest: float, gone: bool) -> list[Claim]:
    return [Claim(longest < PATIENCE, f"a good client is served beside {BROKEN} broken ones ({longest:.1f} s)"),
            Claim(gone, "the broken ones are closed when their time is over")]


def client_hello() -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


# MARK: New certificates


def renew(bench: Bench, server: Gatehouse, place: Certificates) -> None:
    over = threading.Event()
    answered, failed = [0], list[str]()

    def ask(keeps: bool) -> None:
        connection = http.client.HTTPSConnection("localhost", server.port, timeout=30, context=place.context)
        while not over.is_set():
            try:
                connection.request("GET", "/healthz")
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failed.append(str(answer.status))
                answered[0] += 1
            except (OSError, http.client.HTTPException) as error:
                failed.append(repr(error))
            if not keeps:
                connection.close()

    threads = [threading.Thread(target=ask, args=(number % 2 == 0,)) for number in range(LOAD)]
    for thread in threads:
        thread.start()
    served = 0
    try:
        for _ in range(RENEWALS):
            serial = place.issue()
            server.child.send_signal(signal.SIGHUP)
            served += eventually(functools.partial(shows_serial, server.port, place.context, serial))
    finally:
        over.set()
        for thread in threads:
            thread.join()
    bench.figure("requests_meanwhile", answered[0])
    bench.state(*was_renewed(served, failed))


def shows_serial(port: int, context: ssl.SSLContext, serial: int) -> bool:
    return asked(port, context)[1] == serial


def was_renewed(served: int, failed: Sequence[str]) -> list[Claim]:
    return [Claim(served == RENEWALS, f"each new certificate is served ({served} of {RENEWALS})"),
            Claim(not failed, f"no request fails meanwhile ({tally(failed)})")]


# MARK: Beside nginx


def compare(bench: Bench, server: Gatehouse, place: Certificates) -> None:
    if not shutil.which("nginx") or not shutil.which("wrk"):
        bench.skip("nginx or wrk is not installed")
        return
    port = free_port()
    configuration = f"{bench.folder}/nginx.conf"
    with open(configuration, "w", encoding="ascii") as file:
        file.write(NGINX.format(folder=place.folder, port=port))
    nginx = Process(["nginx", "-c", configuration], f"{bench.folder}/nginx-output.log")
    try:
        nginx.await_port(port)
        worker = int(subprocess.check_output(["pgrep", "-P", str(nginx.id)], text=True).split()[0])
        for name, measured, most in (("handshake", handshakes, HANDSHAKE_RATIO), ("request", requests, REQUEST_RATIO)):
            costs: dict[str, list[float]] = {"nginx": [], "own": []}
            for _ in range(ROUNDS):
                costs["nginx"].append(cost(worker, measured, port))
                costs["own"].append(cost(server.id, measured, server.port))
            theirs, ours = (statistics.median(costs[side]) for side in ("nginx", "own"))
            bench.figure(f"{name}_us", f"{ours * 1e6:.1f}")
            bench.figure(f"{name}_of_nginx", ours / theirs)
            bench.state(is_cheap(name, ours / theirs, most))
    finally:
        nginx.stop()


def cost(process: int, measured: Callable[[int], int], port: int) -> float:
    """The processor time of one, in seconds."""
    before = processor_time(process)
    count = measured(port)
    return (processor_time(process) - before) / count


def processor_time(process: int) -> float:
    """What all threads of a process have taken, in seconds."""
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def handshakes(port: int) -> int:
    return counted(r"(\d+) connections in \d+ real", [
        "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", str(SECONDS)])


def requests(port: int) -> int:
    """On connections that are kept."""
    return counted(r"(\d+) requests in", ["wrk", "-t1", "-c8", f"-d{SECONDS}", f"https://127.0.0.1:{port}/healthz"])


def counted(pattern: str, command: Sequence[str]) -> int:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    found = re.search(pattern, done.stdout)
    if not found:
        raise RuntimeError(f"{command[0]} has counted nothing: {done.stdout} {done.stderr}")
    return int(found[1])


def is_cheap(name: str, ratio: float, most: float) -> Claim:
    return Claim(ratio <= most, f"a {name} costs at most {most} of nginx's ({ratio:.2f})")


# MARK: Beside handshakes


def beside_handshakes(server: Gatehouse, place: Certificates) -> list[float]:
    """How long requests on a kept connection wait, in seconds, on a loop that signs for others without a pause."""
    clients = [
        subprocess.Popen(["openssl", "s_time", "-connect", f"127.0.0.1:{server.port}", "-new", "-time", str(SECONDS)],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(HANDSHAKERS)]
    waits = []
    connection = http.client.HTTPSConnection("localhost", server.port, timeout=30, context=place.context)
    with contextlib.closing(connection):
        while any(client.poll() is None for client in clients):
            at = time.monotonic()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            waits.append(time.monotonic() - at)
            time.sleep(PAUSE)
    return waits


def beside_handshakes_of_rsa(bench: Bench) -> list[float]:
    """The same with a key of RSA, whose signatures take their time."""
    folder = os.path.join(bench.folder, "rsa")
    os.makedirs(folder)
    place = Certificates(folder, RSA)
    place.issue()
    with (carriers(bench.binaries, folder) as providers,
          bench.server(providers, "rsa", settings=place.settings) as server):
        return beside_handshakes(server, place)


# MARK: Sign-ins


def sign_in(bench: Bench, place: Certificates) -> None:
    """What a sign-in takes with TLS to the app and to the provider, beside one without."""
    if not shutil.which("nginx"):
        return
    with contextlib.ExitStack() as stack:
        before = os.path.join(bench.folder, "before")
        os.makedirs(before)
        plain = stack.enter_context(carriers(bench.binaries, before))
        folder = os.path.join(bench.folder, "behind")
        os.makedirs(folder)
        behind = stack.enter_context(carriers(bench.binaries, folder, issuer_host=f"https://{FRONT}"))
        configuration = f"{bench.folder}/front.conf"
        with open(configuration, "w", encoding="ascii") as file:
            ports = set(behind.ports.values())
            ones = "\n".join(FRONT_OF_ONE.format(host=FRONT, port=port, folder=place.folder) for port in ports)
            file.write(FRONT_OF_CARRIERS.format(folder=place.folder, servers=ones))
        front = Process(["nginx", "-c", configuration], f"{bench.folder}/front-output.log")
        stack.callback(front.stop)
        front.awaited(lambda: is_open(behind.ports["plain"]) or None, 10, "does not stand in front of the carriers")
        trust = {f"GATEHOUSE_PROVIDER_{name}_CA_FILE": place.authority for name in ("ZENKEY", "PLAIN")}
        servers = (
            stack.enter_context(bench.server(plain, "plain", settings={"GATEHOUSE_LOG_LEVEL": "notice"})),
            stack.enter_context(bench.server(behind, "secure", settings={**place.settings, **trust})))
        costs: list[list[float]] = [[], []]
        for turn in range(ROUNDS + 1):
            for number, server in enumerate(servers):
                took = of_a_sign_in(server, place.context if number else None)
                # The first time metadata and keys are fetched.
                if turn:
                    costs[number].append(took)
    without, under = (statistics.median(of_one) for of_one in costs)
    bench.figure("sign_in_us", f"{without * 1e6:.0f}")
    bench.figure("sign_in_under_tls_us", f"{under * 1e6:.0f}")


def is_open(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((FRONT, port)) == 0


def of_a_sign_in(server: Gatehouse, context: ssl.SSLContext | None) -> float:
    """Its processor time in seconds, on a connection that is kept."""
    codes = [server.carriers.authorize(f"user{number}", "plain") for number in range(SIGN_INS)]
    connection = (http.client.HTTPSConnection("localhost", server.port, timeout=30, context=context) if context
                  else http.client.HTTPConnection("localhost", server.port, timeout=30))
    with contextlib.closing(connection):
        before = processor_time(server.id)
        for code in codes:
            connection.request("POST", "/auth/signin", json.dumps(code), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"a sign-in is refused: {answer.status} {body.decode(errors='replace')[:200]}")
        return (processor_time(server.id) - before) / SIGN_INS


def self_test() -> None:
    good = [{"id": f"x{number}", "severity": "OK", "finding": ""} for number in range(60)]
    shows(found_nothing(good), ("has looked", found_nothing([])),
          ("above low", found_nothing([*good, {"id": "BREACH", "severity": "MEDIUM", "finding": "gzip"}])))
    refused, spoken = "Cipher is (NONE)", "New, TLSv1.3, New Session Ticket arrived, Max Early Data: 16384"
    shows(refuses(refused, refused, "New, TLSv1.3"), ("TLS 1.1", refuses(spoken, refused, "TLSv1.3")),
          ("not ephemeral", refuses(refused, spoken, "TLSv1.3")), ("no ticket", refuses(refused, refused, spoken)),
          ("no data", refuses(refused, refused, spoken)))
    shows(serves_beside(0.1, gone=True), ("is served beside", serves_beside(PATIENCE, gone=True)),
          ("are closed", serves_beside(0.1, gone=False)))
    shows(was_renewed(RENEWALS, []), ("each new", was_renewed(1, [])),
          ("no request fails", was_renewed(RENEWALS, ["503"])))
    shows([is_cheap("request", 1, 1.1)], ("at most", [is_cheap("request", 1.2, 1.1)]))
