"""OpenID Providers that take nobody: what they are sent is kept and refused, which is enough to look at it."""

from __future__ import annotations

import contextlib
import email.message
import http.server
import json
import threading
import urllib.parse
from collections.abc import Iterator, Mapping


class Provider(http.server.ThreadingHTTPServer):
    """OpenID Providers of any name, below one address each."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        # The headers and the form of each.
        self.requests: list[tuple[email.message.Message, dict[str, list[str]]]] = []

    def issuer(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def metadata(self, name: str) -> dict[str, str]:
        issuer = self.issuer(name)
        return {"issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/keys", "userinfo_endpoint": f"{issuer}/userinfo"}

    @contextlib.contextmanager
    def listening(self) -> Iterator[Provider]:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        try:
            yield self
        finally:
            self.shutdown()
            self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Provider

    def do_GET(self) -> None:
        name = self.path.split("/")[1]
        self.answer(200, self.server.metadata(name) if "/.well-known/" in self.path else {"keys": []})

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.requests.append((self.headers, urllib.parse.parse_qs(text, keep_blank_values=True)))
        self.answer(400, {"error": "invalid_client"})

    def answer(self, status: int, document: Mapping[str, object]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
