"""Where the simulated carriers of a run listen."""

from __future__ import annotations

import re
import time

LISTENING = re.compile(r"^listening (\w+) (\S+)$", re.M)
START_SECONDS = 30
# How Gatehouse is told of the provider that is no carrier; a part of a text with places to fill.
PLAIN = """\
  plain:
    profile: openid
    issuer: {plain}
    clientID: gatehouse-demo
    clientSecret: demo-secret-plain
    redirectURIs: ["com.example.app:/callback"]
    algorithms: [RS256, ES256]
    scopes: [openid, profile, email, phone]
    allowLoopbackHTTP: true
"""


def carriers_urls(log: str, awaited: str = "plain") -> dict[str, str]:
    """Where the carriers listen, once the one that is awaited has said so."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with open(log, encoding="utf-8") as file:
            urls = dict(LISTENING.findall(file.read()))
        if awaited in urls:
            return urls
        time.sleep(0.05)
    raise RuntimeError(f"the carriers do not listen; see {log}")
