"""A provider that only a proxy reaches: whole sign-ins go through its tunnels, and none past them."""

import base64
import contextlib
import http.server
import os
import re
import socket
import ssl
import subprocess
import threading
import urllib.parse
from collections.abc import Sequence

from bench import Bench
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from testbed.carriers import Carriers
from testbed.client import Answer, Client

HOST = "provider.example"
USER, PASSWORD = "gatehouse", "p@ss:w"
SIGN_INS = 20
ANSWERS = "proxy makes no tunnel to the host, and answers 407"


class Provider(http.server.BaseHTTPRequestHandler):
    """The plain provider as it would be at a name of its own, over TLS. It is what the proxy's tunnels lead to."""

    protocol_version = "HTTP/1.1"
    server: "Proxy"

    def log_message(self, *_: object) -> None:
        pass

    def pass_on(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type", "Accept")
                   if self.headers[name]}
        self.server.asked.append(urllib.parse.urlsplit(self.path).path)
        with Client(self.server.carriers.ports["plain"]) as client:
            answer = client.call(self.command, self.path, text=self.rfile.read(length), headers=headers)
        body = answer.body.replace(self.server.carriers.urls["plain"].encode(), f"https://{HOST}".encode())
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("content-type", "application/json"))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = pass_on


class Tunnels(http.server.BaseHTTPRequestHandler):
    """A proxy that knows one host, and whose clients show who they are."""

    protocol_version = "HTTP/1.1"
    server: "Proxy"

    def log_message(self, *_: object) -> None:
        pass

    def do_CONNECT(self) -> None:
        self.server.heads.append((self.path, self.headers.get("Proxy-Authorization")))
        if self.server.refuses or self.path != f"{HOST}:443":
            self.send_error(self.server.refuses or 403)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        with self.server.tls.wrap_socket(self.connection, server_side=True) as secured:
            self.server.tunnels.append(secured)
            Provider(secured, self.client_address, self.server)
        self.close_connection = True


class Proxy(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: str, carriers: Carriers) -> None:
        super().__init__(("127.0.0.1", 0), Tunnels)
        self.carriers = carriers
        # What tunnels were asked for, and with which password; the tunnels; what the provider was asked through them.
        self.heads: list[tuple[str, str | None]] = []
        self.tunnels: list[ssl.SSLSocket] = []
        self.asked: list[str] = []
        # The status with which it answers every request.
        self.refuses: int | None = None
        self.anchors, key = os.path.join(folder, "provider.pem"), os.path.join(folder, "provider.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key,
                        "-out", self.anchors], check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.anchors, key)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        # A tunnel that its client has closed is no trouble.
        pass

    @property
    def settings(self) -> dict[str, str]:
        user = f"{USER}:{urllib.parse.quote(PASSWORD, safe='')}"
        return {
            "GATEHOUSE_PROVIDER_PLAIN_ISSUER": f"https://{HOST}",
            "GATEHOUSE_PROVIDER_PLAIN_ISSUERS": self.carriers.urls["plain"],
            "GATEHOUSE_PROVIDER_PLAIN_CA_FILE": self.anchors,
            "GATEHOUSE_PROVIDER_PLAIN_OUTBOUND_PROXY": f"http://{user}@127.0.0.1:{self.server_address[1]}"}


def run(bench: Bench) -> None:
    with bench.carriers() as carriers:
        proxy = Proxy(bench.folder, carriers)
        with bench.server(carriers, settings=proxy.settings) as server:
            signs_in(bench, proxy, server)
            refuses(bench, proxy, server)
            bench.state(keeps_secret(server.log_text()))
        proxy.shutdown()


def signs_in(bench: Bench, proxy: Proxy, server: Gatehouse) -> None:
    """Everything that a sign-in asks of its provider goes by the proxy, which is shown who asks."""
    for number in range(SIGN_INS):
        bench.state(is_good(number, server.sign_in(f"tunnel{number}", "plain")))
    bench.state(*goes_through(proxy.asked, proxy.heads))
    bench.figure("requests", len(proxy.asked))
    bench.figure("tunnels", len(proxy.heads))
    # The carriers stand on this machine, and are reached without it.
    before = len(proxy.asked)
    carrier = server.sign_in("neighbour")
    bench.state(is_asked_directly(carrier, len(proxy.asked) - before))


def refuses(bench: Bench, proxy: Proxy, server: Gatehouse) -> None:
    """A proxy that makes no tunnel is named, and nobody goes round it."""
    proxy.refuses = 407
    for tunnel in proxy.tunnels:
        with contextlib.suppress(OSError):
            tunnel.shutdown(socket.SHUT_RDWR)
    bench.state(is_shut_out(server.sign_in("shut-out", "plain")))
    # Lines of the log go out a moment behind the answers. Without this one the drill ends here.
    server.await_line(re.compile(ANSWERS))
    bench.state(is_named(server.log_text()))


def is_good(number: int, answer: Answer) -> Claim:
    email = answer.json.get("user", {}).get("email")
    return Claim(answer.status == 200 and bool(email),
                 f"sign-in {number} is good, with what userinfo says ({answer})")


def goes_through(asked: Sequence[str], heads: Sequence[tuple[str, str | None]]) -> list[Claim]:
    """What must be true of the paths that the provider was asked for, and of what tunnels were asked for."""
    paths = set(asked)
    shown = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    return [
        Claim({"/token", "/userinfo"} <= paths and any("well-known" in path for path in paths),
              f"discovery, token and userinfo are asked through tunnels ({sorted(paths)})"),
        Claim(set(heads) == {(f"{HOST}:443", shown)}, "tunnels are asked for by name, with the proxy's own password"),
        Claim(len(heads) < len(asked), "a tunnel is used again")]


def is_asked_directly(carrier: Answer, through_tunnels: int) -> Claim:
    return Claim(carrier.status == 200 and through_tunnels == 0,
                 f"what is on this machine is asked directly ({carrier})")


def is_shut_out(refused: Answer) -> Claim:
    return Claim(refused.status in (502, 503), f"without a tunnel there is no sign-in ({refused})")


def is_named(said: str) -> Claim:
    return Claim(ANSWERS in said, "the log has its answer")


def keeps_secret(said: str) -> Claim:
    return Claim(PASSWORD not in said and urllib.parse.quote(PASSWORD, safe="") not in said,
                 "the proxy's password is in no log")


def self_test() -> None:
    good, refused = answer(200, user={"email": "a@example.com"}), answer(502)
    shows([is_good(0, good)],
          ("sign-in 0", [is_good(0, answer(200, user={}))]),
          ("sign-in 0", [is_good(0, answer(502, user={"email": "a@example.com"}))]))
    asked = ["/.well-known/openid-configuration", "/token", "/userinfo"]
    head = (f"{HOST}:443", "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode())
    shows(goes_through(asked, [head]),
          ("through tunnels", goes_through(asked[1:], [head])), ("through tunnels", goes_through(asked[:2], [head])),
          ("by name", goes_through(asked, [head, ("127.0.0.1:443", head[1])])),
          ("by name", goes_through(asked, [(head[0], None)])),
          ("used again", goes_through(asked, [head] * 3)))
    shows([is_asked_directly(good, 0)],
          ("asked directly", [is_asked_directly(good, 1)]), ("asked directly", [is_asked_directly(refused, 0)]))
    shows([is_shut_out(refused), is_shut_out(answer(503))], ("no sign-in", [is_shut_out(good)]))
    shows([is_named(f"the {ANSWERS}")], ("has its answer", [is_named("the proxy is silent")]))
    shows([keeps_secret("proxy.example")], ("in no log", [keeps_secret(f"the password {PASSWORD}")]),
          ("in no log", [keeps_secret(f"http://{USER}:{urllib.parse.quote(PASSWORD, safe='')}@127.0.0.1")]))
