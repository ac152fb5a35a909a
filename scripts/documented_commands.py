"""Runs each `gatehouse` command that the documentation shows, as it stands there, at a server with users and carriers.

  python3 scripts/documented_commands.py BINARIES

What stands for something of the reader's own (FILE, URL, KID) is replaced. A command that is shown and not run fails,
and so does one that is run here and shown nowhere. Some are run elsewhere: those name the test or the drill."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from documented_service import (
    Service,
    failed_sign_in,
    firebase,
    first_users,
    id_token,
    new_master_key,
    other_machine,
    own_code,
    restored,
    service,
    signed_in,
    signing_key,
    stopped,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = re.compile(r"^ *[$#] (gatehouse .+)$", re.MULTILINE)
COMMENT = re.compile(r" +# .*$")
OPTION = re.compile(r"(--[a-z][a-z-]+)")


@dataclass
class Step:
    """How a command is run: what it reads, how it ends, what it prints, and what is made ready before."""

    command: str
    prints: str = ""
    reads: str = ""
    status: int = 0
    before: Callable[[Service], None] | None = None


STEPS = [
    Step("gatehouse --version", prints="store schemas"),
    Step("gatehouse check-config --config FILE"),
    Step("gatehouse check-config --config /etc/gatehouse/gatehouse.yaml"),
    Step("gatehouse print-config --config FILE", prints="storage.url"),
    Step("gatehouse print-config --reference", prints="storage.masterKeyFile"),
    Step("gatehouse store import users.jsonl --config FILE", before=first_users),
    Step("gatehouse store status --config FILE"),
    Step("gatehouse store check --config FILE"),
    Step("gatehouse store import users.json --format firebase --config FILE --dry-run", before=firebase),
    Step("gatehouse store import users.json --format firebase --config FILE --map oidc.work=okta --skip-unmapped"),
    Step("gatehouse users list --config FILE", prints="12"),
    Step("gatehouse users show 1 --config FILE", prints="example"),
    Step("gatehouse users find --issuer URL --subject - --config FILE", reads="subject-3-0\n", prints="3"),
    Step("gatehouse users find --reference - --config FILE", before=signed_in, reads="{reference}\n"),
    Step("gatehouse users find --email - --config FILE", reads="user5@example.com\n", prints="5"),
    Step("gatehouse users export 1 --config FILE", prints="user1@example.com"),
    Step("gatehouse users erase 1 --config FILE"),
    Step('gatehouse users lock 1 --reason "reported stolen" --config FILE'),
    Step("gatehouse users unlock 1 --config FILE"),
    Step("gatehouse users sign-out 1 --config FILE"),
    Step("gatehouse users unlink 1 9 --config FILE"),
    Step("gatehouse users merge 1 2 --config FILE"),
    Step("gatehouse users merge 7 9 --config FILE"),
    Step('gatehouse users merge 7 9 --yes --reason "ticket 4711, both seen" --config FILE'),
    Step("gatehouse users doubles --config FILE"),
    Step("gatehouse sign-ins --config FILE --request-id jlrv2qg4mqoldkp", before=failed_sign_in, prints="example"),
    Step("gatehouse audit export --since 2026-01-01 --json --config FILE", prints="actor"),
    Step("gatehouse providers probe example --config FILE"),
    # These carriers take no code a second time, so nothing is shown of PKCE.
    Step("gatehouse providers probe example --code CODE --verifier VERIFIER --redirect-uri com.example.app:/callback "
         "--config FILE", before=own_code, status=1, prints="pkce"),
    Step("gatehouse id-token verify --jwks keys.json --issuer https://login.example.com --client-id your-client-id "
         "< token", before=id_token),
    Step("gatehouse keys list --config FILE"),
    Step("gatehouse keys rotate --config FILE"),
    Step("gatehouse keys rotate --receipts --config FILE"),
    Step("gatehouse keys retire KID --config FILE", before=signing_key),
    # Of a service over plain http it has something to say.
    Step("gatehouse doctor --config FILE", status=2),
    Step("gatehouse store backup backup.db --config FILE"),
    Step("gatehouse store check backup.db --config drill.yaml", before=other_machine),
    Step("gatehouse store restore backup.db --ledger gatehouse.db-ledger --config drill.yaml", before=stopped),
    Step("gatehouse serve --config drill.yaml &"),
    Step("gatehouse users list --config drill.yaml | head", before=restored, prints="11"),
    Step("gatehouse store restore backup.db --config FILE", before=stopped),
    Step("gatehouse store compact --config FILE"),
    Step("gatehouse keys change-master --new-key-file NEW --config FILE", before=new_master_key),
]
# Where what these need is, and what they do is looked at.
ELSEWHERE = {
    "gatehouse keys rotate --client --config FILE": "Tests/FlowTests/ClientKeyFlowTests.swift",
    "gatehouse providers transfer apple --target NEWTEAM001 --config FILE": "Tests/FlowTests/TransferFlow.swift",
    "gatehouse store copy --from URL --to URL --config FILE": "Drills/moved_store.py",
    "gatehouse store copy --from file:/var/lib/gatehouse/gatehouse.db --to "
    "'postgres://gatehouse@db.example.com/gatehouse' --config FILE": "Drills/moved_store.py",
    "gatehouse store migrate --config FILE": "Drills/upgrade.py",
    "gatehouse store recovered --config FILE": "Drills/worst_day.py",
    "gatehouse store restore /var/lib/gatehouse/gatehouse.db-schema-30 --config /etc/gatehouse/gatehouse.yaml":
        "Drills/package.py",
}


def shown() -> dict[str, str]:
    """Each command of the documentation, with the line that it stands in."""
    found = {}
    for page in [ROOT / "README.md", *sorted((ROOT / "Documentation").glob("*.md"))]:
        for line in SHOWN.findall(page.read_text(encoding="utf-8")):
            found[COMMENT.sub("", line).strip()] = f"{page.name}: {line}"
    return found


def unknown_options(binaries: str, command: str, line: str) -> list[str]:
    """Options that a line speaks of, also beside the command, and that the command's own help does not have."""
    words = []
    for word in command.split()[1:]:
        if not re.fullmatch(r"[a-z][a-z-]*", word):
            break
        words.append(word)
    while True:
        told = subprocess.run(
            [f"{binaries}/gatehouse", "help", *words], capture_output=True, text=True, check=False)
        if told.returncode == 0 or not words:
            break
        words.pop()
    return [f"{line}: there is no {option}" for option in OPTION.findall(line)
            if option not in told.stdout + told.stderr and option != "--version"]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binaries = os.path.abspath(sys.argv[1])
    documented = shown()
    known = {step.command for step in STEPS} | ELSEWHERE.keys()
    wrong = [f"nobody runs it: {line}" for command, line in documented.items() if command not in known]
    wrong += [f"no page shows it: {command}" for command in sorted(known - documented.keys())]
    wrong += [f"there is no {place}" for place in ELSEWHERE.values() if not (ROOT / place).exists()]
    for command, line in documented.items():
        wrong += unknown_options(binaries, command, line)
    with service(binaries) as made:
        for step in STEPS:
            if step.before:
                step.before(made)
            if step.command.endswith("&"):
                continue
            done = made.run(step.command, step.reads.format(**made.words))
            if done.returncode != step.status or step.prints not in done.stdout + done.stderr:
                wrong.append(f"{step.command}\n  ends with {done.returncode}, not {step.status}, or does not say "
                             f"{step.prints!r}:\n{done.stdout[-600:]}{done.stderr[-600:]}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"Of {len(documented)} commands that the documentation shows, {len(STEPS)} did what it says, "
          f"and {len(ELSEWHERE)} are run by tests and drills.")


if __name__ == "__main__":
    main()
