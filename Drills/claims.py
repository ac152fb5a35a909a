"""What a drill claims of what it has measured, and how its self-test shows each claim failing."""

import ast
import json
import pathlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from testbed.client import Answer

# The places in the drills that have made a claim which held, or did not, as file and line.
made: dict[bool, set[tuple[str, int]]] = {True: set(), False: set()}


@dataclass(frozen=True)
class Claim:
    holds: bool
    sentence: str

    def __post_init__(self) -> None:
        # Beyond this method and the one that dataclass has made.
        caller = sys._getframe(2)
        made[self.holds].add((pathlib.Path(caller.f_code.co_filename).name, caller.f_lineno))


def shows(holding: Iterable[Claim], *failing: tuple[str, Iterable[Claim]]) -> None:
    """Fails unless all claims of good values hold, and of each set of bad ones that claim fails which has these
    words in it."""
    for claim in holding:
        if not claim.holds:
            raise AssertionError(f"does not hold of what is good: {claim.sentence}")
    for words, claims in failing:
        meant = [claim for claim in claims if words in claim.sentence]
        if not meant:
            raise AssertionError(f"no claim says {words!r}")
        if all(claim.holds for claim in meant):
            raise AssertionError(f"holds of what is bad: {meant[0].sentence}")


def answer(status: int, error: str | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer that is made up."""
    return Answer(status, (headers or {}).items(), json.dumps({"error": error}).encode() if error else b"")


def never_failed(folder: pathlib.Path) -> list[str]:
    """The claims of the modules of a folder that no self-test has shown holding as well as failing."""
    places = [(path.name, call.lineno) for path in sorted(folder.glob("*.py"))
              for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(call, ast.Call)
              and isinstance(call.func, ast.Name) and call.func.id == "Claim"]
    return [f"{name}:{line}: no self-test shows this claim {'holding' if holds else 'failing'}"
            for name, line in places for holds in (True, False) if (name, line) not in made[holds]]
