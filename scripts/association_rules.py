"""What Apple's and Google's servers take of the two files by which phones learn which apps belong to a host.

The rules are written down here once more, apart from those that Gatehouse checks its configuration by, so that one
can't share the other's mistakes. """

from __future__ import annotations

import http.client
import json
import re
import urllib.parse

MAXIMUM = 128 * 1024
APP_ID = re.compile(r"[A-Z0-9]+\.[A-Za-z0-9-][A-Za-z0-9.-]*")
PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")
SITE = re.compile(r"https://.+")
FINGERPRINT = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){31}")
PATHS = {"apple": "/.well-known/apple-app-site-association", "android": "/.well-known/assetlinks.json"}

# What JSON has.
Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

SAMPLES: dict[str, Value] = {
    "apple": {"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.acme"], "components": [{"/": "/acme/*"}]}]},
              "webcredentials": {"apps": ["ABCDE12345.com.example.acme"]}},
    "android": [{"relation": ["delegate_permission/common.handle_all_urls"],
                 "target": {"namespace": "android_app", "package_name": "com.example.acme",
                            "sha256_cert_fingerprints": [":".join(f"{byte:02X}" for byte in range(32))]}}],
}


class Wrong(Exception):
    """What is wrong, in a sentence."""


def demand(holds: object, sentence: str) -> None:
    if not holds:
        raise Wrong(sentence)


def fetch(base: str, path: str) -> bytes:
    """The body of an answer that is exactly as it must be; a redirect is an answer like any other here."""
    url = urllib.parse.urlsplit(base)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    if url.hostname is None:
        raise Wrong("the address has no host")
    connection = kind(url.hostname, url.port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        demand(answer.status == 200, f"the status is {answer.status}, not 200")
        types = answer.headers.get_all("Content-Type") or []
        demand(types == ["application/json"], f"the content type is {types}, not application/json")
        body = answer.read(MAXIMUM + 1)
    finally:
        connection.close()
    demand(len(body) <= MAXIMUM, f"it has more than {MAXIMUM} bytes")
    return body


def once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    names = [name for name, _ in pairs]
    demand(len(names) == len(set(names)), "an object has a member twice")
    return dict(pairs)


def listed(value: Value, sentence: str) -> list[Value]:
    """What a list has in it that is not empty."""
    if not isinstance(value, list) or not value:
        raise Wrong(sentence)
    return value


def members(value: Value, sentence: str) -> dict[str, Value]:
    """Those of an object."""
    if not isinstance(value, dict):
        raise Wrong(sentence)
    return value


def texts(value: Value, pattern: re.Pattern[str], what: str) -> None:
    for text in listed(value, f"{what} is no list, or empty"):
        demand(isinstance(text, str) and pattern.fullmatch(text), f"{what} has {text!r}")


def apple(document: Value) -> None:
    parts = members(document, "it is no object")
    demand("applinks" in parts or "webcredentials" in parts, "it has neither applinks nor webcredentials")
    if "applinks" in parts:
        links = parts["applinks"]
        details = links.get("details") if isinstance(links, dict) else None
        for each in listed(details, "applinks has no list of details"):
            detail = members(each, "applinks.details has what is no object")
            texts(detail.get("appIDs", [detail["appID"]] if "appID" in detail else None), APP_ID, "appIDs")
    if "webcredentials" in parts:
        credentials = members(parts["webcredentials"], "webcredentials is no object")
        texts(credentials.get("apps"), APP_ID, "webcredentials.apps")


def android(document: Value) -> None:
    for each in listed(document, "it is no list of statements"):
        statement = members(each, "a statement is no object")
        texts(statement.get("relation"), re.compile(r"[^/]+/.+"), "relation")
        target = members(statement.get("target"), "a target is no object")
        if target.get("namespace") == "web":
            texts([target.get("site")], SITE, "site")
            continue
        demand(target.get("namespace") == "android_app", "a target is no android_app")
        texts([target.get("package_name")], PACKAGE, "package_name")
        texts(target.get("sha256_cert_fingerprints"), FINGERPRINT, "sha256_cert_fingerprints")


def problem(base: str, name: str) -> str | None:
    """What is wrong with a file of a server; None when nothing."""
    try:
        body = fetch(base, PATHS[name])
        try:
            document = json.loads(body.decode("utf-8"), object_pairs_hook=once)
        except ValueError:
            raise Wrong("it is no JSON in UTF-8") from None
        {"apple": apple, "android": android}[name](document)
    except Wrong as wrong:
        return str(wrong)
    except (OSError, http.client.HTTPException) as error:
        return f"it can't be fetched: {error}"
    return None
