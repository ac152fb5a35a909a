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

from testbed.client import Client

HOST = "provider.example"
USER, PASSWORD = "gatehouse", "p@ss:w"
SIGN_INS = 20


class Provider(http.server.BaseHTTPRequestHandler):
    """The plain provider as it would be at a name of its own, over TLS. It is what the proxy's tunnels lead to."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name: self.headers[name] for name in ("Authorization", "Content-Type", "Accept") if self.headers[name]}
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

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
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

    def __init__(self, folder, carriers):
        super().__init__(("127.0.0.1", 0), Tunnels)
        self.carriers, self.heads, self.tunnels, self.asked, self.refuses = carriers, [], [], [], None
        self.anchors, key = os.path.join(folder, "provider.pem"), os.path.join(folder, "provider.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", self.anchors],
                       check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.anchors, key)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        # A tunnel that its client has closed is no trouble.
        pass

    @property
    def settings(self):
        user = f"{USER}:{urllib.parse.quote(PASSWORD, safe='')}"
        return {
            "GATEHOUSE_PROVIDER_PLAIN_ISSUER": f"https://{HOST}", "GATEHOUSE_PROVIDER_PLAIN_ISSUERS": self.carriers.urls["plain"],
            "GATEHOUSE_PROVIDER_PLAIN_CA_FILE": self.anchors,
            "GATEHOUSE_PROVIDER_PLAIN_OUTBOUND_PROXY": f"http://{user}@127.0.0.1:{self.server_address[1]}"}


def run(bench):
    with bench.carriers() as carriers:
        proxy = Proxy(bench.folder, carriers)
        with bench.server(carriers, settings=proxy.settings) as server:
            signs_in(bench, proxy, server)
            refuses(bench, proxy, server)
            said = server.log_text()
            bench.claim(PASSWORD not in said and urllib.parse.quote(PASSWORD, safe="") not in said,
                        "the proxy's password is in no log")
        proxy.shutdown()


def signs_in(bench, proxy, server):
    """Everything that a sign-in asks of its provider goes by the proxy, which is shown who asks."""
    for number in range(SIGN_INS):
        answer = server.sign_in(f"tunnel{number}", "plain")
        email = answer.json.get("user", {}).get("email")
        bench.claim(answer.status == 200 and email, f"sign-in {number} is good, with what userinfo says ({answer})")
    paths = set(proxy.asked)
    bench.claim({"/token", "/userinfo"} <= paths and any("well-known" in path for path in paths),
                f"discovery, token and userinfo are asked through tunnels ({sorted(paths)})")
    shown = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    bench.claim(set(proxy.heads) == {(f"{HOST}:443", shown)}, "tunnels are asked for by name, with the proxy's own password")
    bench.claim(len(proxy.heads) < len(proxy.asked), "a tunnel is used again")
    bench.figure("requests", len(proxy.asked))
    bench.figure("tunnels", len(proxy.heads))
    # The carriers stand on this machine, and are reached without it.
    before = len(proxy.asked)
    carrier = server.sign_in("neighbour")
    bench.claim(carrier.status == 200 and len(proxy.asked) == before, f"what is on this machine is asked directly ({carrier})")


def refuses(bench, proxy, server):
    """A proxy that makes no tunnel is named, and nobody goes round it."""
    proxy.refuses = 407
    for tunnel in proxy.tunnels:
        with contextlib.suppress(OSError):
            tunnel.shutdown(socket.SHUT_RDWR)
    refused = server.sign_in("shut-out", "plain")
    bench.claim(refused.status in (502, 503), f"without a tunnel there is no sign-in ({refused})")
    # Lines of the log go out a moment behind the answers.
    bench.claim(server.await_line(re.compile("proxy makes no tunnel to the host, and answers 407")), "the log has its answer")
