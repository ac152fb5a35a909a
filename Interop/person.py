"""Who sits before the web browser: cookies are kept, redirects followed one by one."""

import urllib.parse

import requests

MOST_STEPS = 20


class Person:
    def __init__(self):
        self.session = requests.Session()

    def get(self, url):
        return self.session.get(url, allow_redirects=False, timeout=30)

    def follow(self, url, app_address):
        """Goes where it is sent, until it is sent to the app's address, which is not asked for: there is no app.

        Returns the whole address."""
        for _ in range(MOST_STEPS):
            answer = self.get(url)
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
