"""Gives the server each configuration that a version since the first has come with: it must take it as it stands.

  python3 scripts/earlier_configurations.py BINARIES"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATHS = ["Config/gatehouse.yaml", "Config/gatehouse.demo.yaml"]


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout


def versions(path: str) -> dict[str, str]:
    """Each text that the file has had, with the newest commit that has it."""
    found: dict[str, str] = {}
    for commit in git("log", "--format=%H", "--diff-filter=AM", "--", path).split():
        found.setdefault(git("show", f"{commit}:{path}"), commit)
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = []
    count = 0
    # What is the operator's own in them: secrets, and the address.
    environment = {**os.environ, "GATEHOUSE_SESSION_ISSUER": "https://id.example.com"}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "gatehouse.yaml")
        for path in PATHS:
            for text, commit in versions(path).items():
                count += 1
                file.write_text(text.replace("/run/secrets/", f"{ROOT}/Config/secrets.example/"), encoding="utf-8")
                done = subprocess.run(
                    [f"{sys.argv[1]}/gatehouse", "check-config", "--config", str(file)], check=False,
                    capture_output=True, text=True, env=environment)
                if done.returncode != 0:
                    wrong.append(f"{path} of {commit[:8]}:\n{done.stdout[-600:]}{done.stderr[-600:]}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{count} configurations of earlier versions are taken as they stand.")


if __name__ == "__main__":
    main()
