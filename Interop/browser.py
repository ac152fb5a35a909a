"""What a person with a web browser does at a provider: follows redirects, keeps cookies, fills in forms."""

from __future__ import annotations

import html
import http.client
import re
import urllib.parse
from collections.abc import Mapping

MOST_STEPS = 20


class Page:
    def __init__(self, url: str, status: int, headers: dict[str, str], text: str) -> None:
        self.url, self.status, self.headers, self.text = url, status, headers, text

    def form(self) -> dict[str, str]:
        """Names and values of the inputs that a browser would send back unasked."""
        fields: dict[str, str] = {}
        for tag in re.findall(r"<input[^>]*>", self.text):
            attributes: dict[str, str] = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
            if "name" in attributes and attributes.get("type") in ("hidden", "text", None):
                fields[attributes["name"]] = html.unescape(attributes.get("value", ""))
        return fields


class Browser:
    """Cookies are kept for the one host that a provider here consists of."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.cookies: dict[str, str] = {}

    def send(self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None) -> Page:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            sent = {"Cookie": cookies} if cookies else {}
            connection.request(method, path, body, {**sent, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie":
                    cookie = value.split(";", 1)[0]
                    self.cookies[cookie.split("=", 1)[0]] = cookie.split("=", 1)[1]
            return Page(path, answer.status, {name.lower(): value for name, value in answer.getheaders()}, text)
        finally:
            connection.close()

    def post(self, path: str, fields: Mapping[str, str]) -> Page:
        return self.send(
            "POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})

    def follow(self, page: Page, redirect_uri: str) -> Page | dict[str, str]:
        """Goes on until there is a page to look at, or the provider sends the browser back to the app.

        Returns the page, or the parameters that came back."""
        for _ in range(MOST_STEPS):
            if not 300 <= page.status < 400:
                return page
            location = page.headers["location"]
            if location.startswith(redirect_uri):
                query = urllib.parse.urlsplit(location).query
                return dict(urllib.parse.parse_qsl(query))
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(f"http://{self.host}:{self.port}{page.url}", location))
            page = self.send("GET", urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")))
        raise RuntimeError("the provider redirects for ever")
