"""What generators of clients, a validator and a fuzzer make of the documents that Gatehouse serves of itself. Run by
scripts/check-clients."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))

import requests
from openapi_spec_validator import validate

import generated_python
import generated_swift
from checks import Checks
from generated_service import ADMIN_TOKEN, Service, service
from openapi import Document


def fetched(gatehouse: Service, folder: str) -> tuple[dict[str, Document], dict[str, str]]:
    """Both documents, and where they are written."""
    documents: dict[str, Document] = {}
    paths: dict[str, str] = {}
    for name, base, token in (("apps", gatehouse.base, None), ("operators", gatehouse.admin, ADMIN_TOKEN)):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = requests.get(f"{base}/openapi.json", headers=headers, timeout=10)
        documents[name], paths[name] = answer.json(), f"{folder}/{name}.json"
        with open(paths[name], "w", encoding="utf-8") as file:
            json.dump(documents[name], file)
    return documents, paths


def complaint(document: Document) -> str:
    """What the validator has against a document; nothing where it takes it."""
    try:
        validate(document)
    except Exception as error:  # Which class it is, is the validator's to say.
        return str(error)[:500]
    return ""


def generate_python(checks: Checks, name: str, path: str, folder: str) -> None:
    command = ["openapi-python-client", "generate", "--path", path, "--output-path", f"{folder}/{name}_client",
               "--meta", "none", "--overwrite"]
    made = subprocess.run(command, capture_output=True, text=True)
    # What it can't make it leaves out, with a warning.
    warned = "warning" in (made.stdout + made.stderr).lower() or made.returncode != 0
    checks.expect(f"{name}: openapi-python-client makes all of it", not warned, made.stdout + made.stderr)


def fuzzed(checks: Checks, gatehouse: Service, paths: dict[str, str], folder: str) -> None:
    """schemathesis, with requests of its own making: no answer may be one that the document does not describe."""
    body = gatehouse.authorized("plain", "fuzzed")
    token: str = requests.post(f"{gatehouse.base}/auth/signin", json=body, timeout=10).json()["token"]
    with open(f"{folder}/schemathesis.toml", "w", encoding="utf-8") as file:
        # Not TRACE, whose answer is 501 as RFC 9110 §9.1 has it, and no fault of the server.
        file.write('[phases.coverage]\nunexpected-methods = ["PUT", "PATCH", "POST", "DELETE", "OPTIONS"]\n')
    # A session that is ended says nothing more of the others.
    lasting = ("--exclude-method", "DELETE")
    runs: list[tuple[str, str, str, tuple[str, ...]]] = [
        ("apps", "apps", gatehouse.base, ()),
        ("apps, signed in", "apps", gatehouse.base, ("-H", f"Authorization: Bearer {token}", *lasting)),
        ("operators", "operators", gatehouse.admin, ("-H", f"Authorization: Bearer {ADMIN_TOKEN}"))]
    for title, name, base, more in runs:
        # That whatever breaks a pattern is refused, and whatever keeps to all is taken, is left out: what is good for a
        # sign-in depends on a provider.
        command = ["schemathesis", "run", paths[name], "--url", base, *more, "--max-examples", "6",
                   "--phases", "examples,coverage,fuzzing", "--checks",
                   "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
                   "response_schema_conformance", "--no-color", "--generation-deterministic"]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        log = f"schemathesis-{title.replace(', ', '-').replace(' ', '-')}.log"
        with open(f"{folder}/{log}", "w", encoding="utf-8") as file:
            file.write(ran.stdout + ran.stderr)
        checks.expect(f"{title}: schemathesis finds no answer that is not described", ran.returncode == 0,
                      ran.stdout[-3000:])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    folder = os.path.abspath(tempfile.mkdtemp(dir=arguments.work))
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    checks, start = Checks(), time.monotonic()
    with service(arguments.binaries, f"{folder}/service") as gatehouse:
        documents, paths = fetched(gatehouse, folder)
        print("\nDocuments")
        for name, document in documents.items():
            checks.equal(f"{name}: openapi-spec-validator finds nothing", complaint(document), "")
            generate_python(checks, name, paths[name], folder)
        checks.tried(generated_python.NAME, generated_python.run, checks, gatehouse, folder, documents)
        checks.tried(generated_swift.NAME, generated_swift.run, checks, documents, paths, folder)
        checks.tried("schemathesis", fuzzed, checks, gatehouse, paths, folder)
    if checks.failed:
        print(f"Logs: {folder}")
    print(f"\n{time.monotonic() - start:.1f} s")
    return checks.ended()


if __name__ == "__main__":
    sys.exit(main())
