"""What a Gatehouse is told of the providers that its users are signed in at."""

from __future__ import annotations

from collections.abc import Iterable

REDIRECT_URI = "com.example.app:/callback"
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


def written(path: str, text: str) -> str:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def section(name: str, issuer: str, client: str, lines: Iterable[str]) -> str:
    """A provider's part, with what is needed of all of them here."""
    lines = [
        "profile: openid", f"issuer: {issuer}", f"clientID: {client}", f"redirectURIs: ['{REDIRECT_URI}']",
        "allowLoopbackHTTP: true", *lines]
    return f"  {name}:\n" + "".join(f"    {line}\n" for line in lines)


def configuration(folder: str, port: int, admin_port: int, names: Iterable[str], sections: Iterable[str]) -> str:
    """The file of a server whose store is in the folder."""
    return written(f"{folder}/gatehouse.yaml", "".join([
        f"http: {{port: {port}}}\nadmin: {{port: {admin_port}}}\n", f"storage: {{url: 'file:{folder}/users.db'}}\n",
        f"providers: [{', '.join(names)}]\nprovider:\n", *sections]))
