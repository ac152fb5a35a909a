"""OpenID Providers that take nobody: what they are sent is kept and refused, which is enough to look at it."""

import contextlib
import http.server
import json
import threading
import urllib.parse


class Provider:
    """OpenID Providers of any name, below one address each."""

    def __init__(self):
        self.requests = []
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                name = self.path.split("/")[1]
                self.answer(200, provider.metadata(name) if "/.well-known/" in self.path else {"keys": []})

            def do_POST(self):
                text = self.rfile.read(int(self.headers["content-length"])).decode()
                provider.requests.append((self.headers, urllib.parse.parse_qs(text, keep_blank_values=True)))
                self.answer(400, {"error": "invalid_client"})

            def answer(self, status, document):
                body = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def issuer(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}"

    def metadata(self, name):
        issuer = self.issuer(name)
        return {"issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/keys", "userinfo_endpoint": f"{issuer}/userinfo"}

    @contextlib.contextmanager
    def listening(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self.server.shutdown()
            self.server.server_close()
