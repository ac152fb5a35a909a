"""Who sits before the web browser: cookies are kept, redirects followed one by one, and questions answered with yes."""

from __future__ import annotations

import html.parser
import urllib.parse

import requests

MOST_STEPS = 20


class Form(html.parser.HTMLParser):
    """The first form of a page, filled in as it comes: what its first button posts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action: str | None = None
        self.fields: dict[str, str | None] = {}
        self.is_over, self.has_button = False, False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and self.action is None:
            self.action = given["action"]
        if self.action is None or self.is_over or tag not in ("input", "button"):
            return
        is_chosen = given.get("type") not in ("radio", "checkbox") or "checked" in given
        if tag == "button":
            is_chosen, self.has_button = not self.has_button, True
        name = given.get("name")
        if is_chosen and name is not None:
            self.fields[name] = given.get("value", "on")

    def handle_endtag(self, tag: str) -> None:
        self.is_over = self.is_over or tag == "form" and self.action is not None


class Person:
    def __init__(self) -> None:
        self.session = requests.Session()

    def get(self, url: str) -> requests.Response:
        return self.session.get(url, allow_redirects=False, timeout=30)

    def follow(self, url: str, app_address: str) -> str:
        """Goes where it is sent, and says yes where it is asked, until it is sent to the app's address, which is not
        asked for: there is no app.

        Returns the whole address."""
        answer = self.get(url)
        for _ in range(MOST_STEPS):
            if answer.is_redirect:
                url = urllib.parse.urljoin(url, answer.headers["location"])
                if url.partition("?")[0] == app_address:
                    return url
                answer = self.get(url)
                continue
            form = Form(answer.text)
            if answer.status_code != 200 or form.action is None:
                raise RuntimeError(f"no way on, with status {answer.status_code}: {answer.text[:500]}")
            url = urllib.parse.urljoin(url, form.action)
            answer = self.session.post(url, form.fields, allow_redirects=False, timeout=30)
        raise RuntimeError("redirects for ever")


def parameters(url: str) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))


def changed(url: str, **changes: str) -> str:
    """The address with other values in its query."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(query=urllib.parse.urlencode({**parameters(url), **changes})))
