"""Holds the two files by which phones learn which apps belong to a host to what Apple's and Google's servers take.

scripts/check-association calls this, and says how. With --self-test it shows each rule failing, at servers that each do
one thing wrong. """

from __future__ import annotations

import argparse
import http.server
import json
import pathlib
import sys
import threading
from collections.abc import Iterator
from typing import NamedTuple

from association_rules import MAXIMUM, PATHS, SAMPLES, problem


class Reply(NamedTuple):
    """What a server answers."""

    status: int
    type: str
    body: bytes


def broken() -> Iterator[tuple[str, str, Reply]]:
    """What each answers, for either file: the file, a word about it, and the reply."""
    json_type = "application/json"
    for name, sample in SAMPLES.items():
        right = json.dumps(sample)
        replies = {
            "nothing there": (404, json_type, right),
            "a redirect": (301, json_type, right),
            "another success": (203, json_type, right),
            "a charset": (200, "application/json; charset=utf-8", right),
            "another type": (200, "text/plain", right),
            "no JSON": (200, json_type, right[:-1]),
            "a member twice": (200, json_type, '{"applinks": {}, "applinks": {}}'),
            "an empty list": (200, json_type, "[]"),
            "an empty object": (200, json_type, "{}"),
            "too many bytes": (200, json_type, right + " " * (MAXIMUM + 1 - len(right))),
        }
        changes = {"apple": [("ABCDE12345.", "abcde12345."), ("appIDs", "appids"), ("details", "detail")],
                   "android": [("00:01", "0001"), ("0A:", "0a:"), ("android_app", "web"), ("com.example.acme", "acme"),
                               ("relation", "relations")]}[name]
        for old, new in changes:
            replies[f"{new} for {old}"] = (200, json_type, right.replace(old, new, 1))
        for word, (status, kind, text) in replies.items():
            yield name, word, Reply(status, kind, text.encode())
        yield name, "no UTF-8", Reply(200, json_type, right.encode() + b"\xff")


class Server(http.server.ThreadingHTTPServer):
    """Gives one reply to each question."""

    reply = Reply(404, "text/plain", b"")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        reply = self.server.reply
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.type)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def self_test() -> int:
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base, count = f"http://127.0.0.1:{server.server_port}", 0
    missed: list[str] = []
    for name, word, reply in broken():
        server.reply = reply
        count += 1
        if problem(base, name) is None:
            missed.append(f"{name}: {word}")
    for name, sample in SAMPLES.items():
        server.reply = Reply(200, "application/json", json.dumps(sample).encode().ljust(MAXIMUM))
        if problem(base, name) is not None:
            missed.append(f"{name}: takes what is right for wrong: {problem(base, name)}")
    server.shutdown()
    for line in missed:
        print(f"FAIL {line}", file=sys.stderr)
    print(f"check-association finds {count - len(missed)} of {count} faults.")
    return 1 if missed else 0


def main() -> int:
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
