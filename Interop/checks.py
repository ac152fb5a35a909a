"""What is claimed, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

Arguments = ParamSpec("Arguments")


class Checks:
    def __init__(self) -> None:
        self.passed = self.failed = 0

    def expect(self, claim: str, holds: object, seen: object = "") -> None:
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{'ok  ' if holds else 'FAIL'} {claim}" + ("" if holds else f": {seen}"), flush=True)

    def equal(self, claim: str, seen: object, wanted: object) -> None:
        self.expect(claim, seen == wanted, f"{seen!r} instead of {wanted!r}")

    def refused(
            self, claim: str, error: str, action: Callable[Arguments, object], *values: Arguments.args,
            **named: Arguments.kwargs) -> None:
        """That the action ends with an error, which the library raises: the class, or the text of `error` in it."""
        try:
            seen = action(*values, **named)
        except Exception as raised:  # Which class it is, is the library's to say.
            text = f"{type(raised).__name__} {raised} {getattr(raised, 'error', '')}"
            self.expect(f"{claim}: {error}", error in text, text)
        else:
            self.expect(f"{claim}: {error}", False, f"taken: {seen!r}")

    def tried(
            self, name: str, action: Callable[Arguments, object], *values: Arguments.args,
            **named: Arguments.kwargs) -> None:
        """Does what has claims in it, under its name; what comes after that is tried all the same."""
        print(f"\n{name}")
        try:
            action(*values, **named)
        except Exception as error:  # A library or what was generated may raise whatever it likes.
            self.expect(f"{name} could be tried to the end", False, repr(error))

    def ended(self) -> int:
        """Prints how many there were; the status that the script ends with."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0
