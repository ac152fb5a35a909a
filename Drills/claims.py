"""What a drill claims of what it has measured, and how its self-test shows each claim failing."""

import ast
import json
import os
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
        made[self.holds].add((os.path.basename(caller.f_code.co_filename), caller.f_lineno))


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


def answer(status: int, error: str | None = None, headers: Mapping[str, str] | None = None,
           **members: object) -> Answer:
    """An answer that is made up, with these members beside its error."""
    body = {**({"error": error} if error else {}), **members}
    return Answer(status, (headers or {}).items(), json.dumps(body).encode() if body else b"")


def unshown(name: str, source: str) -> list[str]:
    """The claims of a module that no self-test has shown holding as well as failing."""
    places = [call.lineno for call in ast.walk(ast.parse(source, name))
              if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Claim"]
    return [f"{name}:{line}: no self-test shows this claim {'holding' if holds else 'failing'}"
            for line in places for holds in (True, False) if (name, line) not in made[holds]]


def against(holding: Iterable[Claim], *failing: tuple[str, Iterable[Claim]]) -> str:
    """What `shows` says against these."""
    try:
        shows(holding, *failing)
    except AssertionError as error:
        return str(error)
    return ""


def self_test() -> None:
    good, bad = (Claim(holds, "it is so") for holds in (True, False))
    said = {
        "does not hold of what is good": against([bad]), "no claim says": against([good], ("it was", [bad])),
        "holds of what is bad": against([good], ("it is", [good]))}
    for awaited, found in said.items():
        if awaited not in found:
            raise AssertionError(f"nothing says {awaited!r}")
    if len(unshown("made_up.py", "Claim(True, '')")) != 2:
        raise AssertionError("a claim that no self-test shows is not seen")
