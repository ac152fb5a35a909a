"""Holds the two files by which phones learn which apps belong to a host to what Apple's and Google's servers take.

scripts/check-association calls this, and says how. The rules are written down here once more, apart from those that Gatehouse
checks its configuration by, so that one can't share the other's mistakes.
"""

import argparse
import http.client
import http.server
import json
import pathlib
import re
import sys
import threading
import urllib.parse

MAXIMUM = 128 * 1024
APP_ID = re.compile(r"[A-Z0-9]+\.[A-Za-z0-9-][A-Za-z0-9.-]*")
PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")
SITE = re.compile(r"https://.+")
FINGERPRINT = re.compile(r"[0-9A-F]{2}(:[0-9A-F]{2}){31}")
PATHS = {"apple": "/.well-known/apple-app-site-association", "android": "/.well-known/assetlinks.json"}

SAMPLES = {
    "apple": {"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example.acme"], "components": [{"/": "/acme/*"}]}]},
              "webcredentials": {"apps": ["ABCDE12345.com.example.acme"]}},
    "android": [{"relation": ["delegate_permission/common.handle_all_urls"],
                 "target": {"namespace": "android_app", "package_name": "com.example.acme",
                            "sha256_cert_fingerprints": [":".join(f"{byte:02X}" for byte in range(32))]}}],
}


class Wrong(Exception):
    """What is wrong, in a sentence."""


def demand(holds, sentence):
    if not holds:
        raise Wrong(sentence)


def fetch(base, path):
    """The body of an answer that is exactly as it must be; a redirect is an answer like any other here."""
    url = urllib.parse.urlsplit(base)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
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


def once(members):
    names = [name for name, _ in members]
    demand(len(names) == len(set(names)), "an object has a member twice")
    return dict(members)


def texts(value, pattern, what):
    demand(isinstance(value, list) and value, f"{what} is no list, or empty")
    for text in value:
        demand(isinstance(text, str) and pattern.fullmatch(text), f"{what} has {text!r}")


def apple(document):
    demand(isinstance(document, dict), "it is no object")
    demand("applinks" in document or "webcredentials" in document, "it has neither applinks nor webcredentials")
    if "applinks" in document:
        details = document["applinks"].get("details") if isinstance(document["applinks"], dict) else None
        demand(isinstance(details, list) and details, "applinks has no list of details")
        for detail in details:
            demand(isinstance(detail, dict), "applinks.details has what is no object")
            texts(detail.get("appIDs", [detail["appID"]] if "appID" in detail else None), APP_ID, "appIDs")
    if "webcredentials" in document:
        demand(isinstance(document["webcredentials"], dict), "webcredentials is no object")
        texts(document["webcredentials"].get("apps"), APP_ID, "webcredentials.apps")


def android(document):
    demand(isinstance(document, list) and document, "it is no list of statements")
    for statement in document:
        demand(isinstance(statement, dict), "a statement is no object")
        texts(statement.get("relation"), re.compile(r"[^/]+/.+"), "relation")
        target = statement.get("target")
        demand(isinstance(target, dict), "a target is no object")
        if target.get("namespace") == "web":
            texts([target.get("site")], SITE, "site")
            continue
        demand(target.get("namespace") == "android_app", "a target is no android_app")
        texts([target.get("package_name")], PACKAGE, "package_name")
        texts(target.get("sha256_cert_fingerprints"), FINGERPRINT, "sha256_cert_fingerprints")


def problem(base, name):
    """What is wrong with a file of a server; None when nothing."""
    try:
        body = fetch(base, PATHS[name])
        try:
            document = json.loads(body.decode("utf-8"), object_pairs_hook=once)
        except ValueError:
            raise Wrong("it is no JSON in UTF-8")
        {"apple": apple, "android": android}[name](document)
    except Wrong as wrong:
        return str(wrong)
    except (OSError, http.client.HTTPException) as error:
        return f"it can't be fetched: {error}"
    return None


# Of servers that each do one thing wrong

def broken():
    """What each answers, for either file: a word about it, status, content type and body."""
    for name, sample in SAMPLES.items():
        right = json.dumps(sample)
        yield name, "nothing there", 404, "application/json", right
        yield name, "a redirect", 301, "application/json", right
        yield name, "another success", 203, "application/json", right
        yield name, "a charset", 200, "application/json; charset=utf-8", right
        yield name, "another type", 200, "text/plain", right
        yield name, "no JSON", 200, "application/json", right[:-1]
        yield name, "no UTF-8", 200, "application/json", right.encode() + b"\xff"
        yield name, "a member twice", 200, "application/json", '{"applinks": {}, "applinks": {}}'
        yield name, "an empty list", 200, "application/json", "[]"
        yield name, "an empty object", 200, "application/json", "{}"
        yield name, "too many bytes", 200, "application/json", right + " " * (MAXIMUM + 1 - len(right))
        changes = {"apple": [("ABCDE12345.", "abcde12345."), ("appIDs", "appids"), ("details", "detail")],
                   "android": [("00:01", "0001"), ("0A:", "0a:"), ("android_app", "web"), ("com.example.acme", "acme"),
                               ("relation", "relations")]}[name]
        for old, new in changes:
            yield name, f"{new} for {old}", 200, "application/json", right.replace(old, new, 1)


def self_test():
    reply = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(reply["status"])
            self.send_header("Content-Type", reply["type"])
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(reply["body"])

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base, missed, count = f"http://127.0.0.1:{server.server_port}", [], 0
    for name, word, status, kind, body in broken():
        reply.update(status=status, type=kind, body=body.encode() if isinstance(body, str) else body)
        count += 1
        if problem(base, name) is None:
            missed.append(f"{name}: {word}")
    for name, sample in SAMPLES.items():
        reply.update(status=200, type="application/json", body=json.dumps(sample).encode().ljust(MAXIMUM))
        if problem(base, name) is not None:
            missed.append(f"{name}: takes what is right for wrong: {problem(base, name)}")
    server.shutdown()
    for line in missed:
        print(f"FAIL {line}", file=sys.stderr)
    print(f"check-association finds {count - len(missed)} of {count} faults.")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--write-samples", type=pathlib.Path, metavar="DIR")
    parser.add_argument("url", nargs="?")
    parser.add_argument("file", nargs="?", choices=PATHS)
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.write_samples:
        for name, sample in SAMPLES.items():
            # Not as anybody would write it again, and long enough to be compressed, so that it shows where it is not
            # sent as it is.
            text = json.dumps(sample, indent=3) + " " * 2048 + "\r\n\n"
            (arguments.write_samples / f"{name}.json").write_text(text, newline="")
        return 0
    status = 0
    for name in [arguments.file] if arguments.file else PATHS:
        wrong = problem(arguments.url, name)
        status = status or (1 if wrong else 0)
        print(f"{'FAIL ' if wrong else ''}{PATHS[name]}: {wrong or 'right'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
