"""Who sits before the web browser: cookies are kept, redirects followed one by one, and a question is answered with yes."""

import html
import re
import urllib.parse

import requests

MOST_STEPS = 20


class Person:
    def __init__(self):
        self.session = requests.Session()

    def get(self, url):
        return self.session.get(url, allow_redirects=False, timeout=30)

    def say_yes(self, url, page):
        """Presses the first button of the page that asks whether the app is theirs."""
        form = re.search(r'<form method="post" action="([^"]+)">(.*?)</form>', page)
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form.group(2)))
        return self.session.post(
            urllib.parse.urljoin(url, html.unescape(form.group(1))), allow_redirects=False, timeout=30,
            data={name: html.unescape(value) for name, value in fields.items()})

    def follow(self, url, app_address):
        """Goes where it is sent, until it is sent to the app's address, which is not asked for: there is no app.

        Returns the whole address."""
        for _ in range(MOST_STEPS):
            answer = self.get(url)
            if "/confirm\"" in answer.text:
                answer = self.say_yes(url, answer.text)
            if not answer.is_redirect:
                raise RuntimeError(f"a page instead of a redirect, with status {answer.status_code}: {answer.text[:500]}")
            url = urllib.parse.urljoin(url, answer.headers["location"])
            if url.partition("?")[0] == app_address:
                return url
        raise RuntimeError("redirects for ever")


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True))


def changed(url, **changes):
    """The address with other values in its query."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(query=urllib.parse.urlencode({**parameters(url), **changes})))
