"""Shows what scripts/check_demo.py holds pages to failing, in a window on pages that are wrong in one way each."""

from __future__ import annotations

import pathlib
import tempfile
import urllib.parse
from collections.abc import Callable

from demo_window import Places, Size, Window

# Enough for a page that is part of its address.
PATIENCE_SECONDS = 1
PAGE = ("<!doctype html><html lang=en><title>A page</title><link rel=icon href=data:,><main><h1>A page</h1>"
        "<button>Go on</button>{}</main>")
LABELS = "<p>Sign in with Aurora Mobile asks you to sign in<label>Grace Hopper</label>{}"


def failure(action: Callable[[], object]) -> str:
    """What the run ends with; nothing where it goes on."""
    try:
        action()
    except SystemExit as end:
        return str(end)
    return ""


def run() -> None:
    """Ends with status 1 when a failure did not fail."""
    with tempfile.TemporaryDirectory() as folder:
        window = Window("self-test", Size(390, 844), "Grace Hopper", pathlib.Path(folder), Places("", "", ""))
        window.patience = PATIENCE_SECONDS
        try:
            wrong = missed(window)
        finally:
            window.close()
    if wrong:
        raise SystemExit(f"scripts/check_demo.py does not see: {', '.join(wrong)}")


def missed(window: Window) -> list[str]:
    def on(content: str, action: Callable[[], object]) -> str:
        window.browser.get("data:text/html;charset=utf-8," + urllib.parse.quote(PAGE.format(content)))
        return failure(action)

    def approve() -> None:
        window.approves("Aurora Mobile")

    error = "<script>console.error('gone: /auth/token')</script>"
    cases = {
        "a page that is right": on("", window.check) == "",
        "a picture without a text": "axe: Images must have" in on("<img src=data:,>", window.check),
        "a page that is too wide": "wide, in a window of 390" in on("<div style='width: 900px'>.</div>", window.check),
        "a line on the console": "the console has" in on(error, window.check),
        "a line that is expected": on(error, lambda: window.console(but="/auth/token")) == "",
        "another line than expected": "the console has" in on(error, lambda: window.console(but="/auth/link")),
        "no line where one is expected": "the console has []" in on("", lambda: window.console(but="/auth/token")),
        "a text that is there": on("", lambda: window.sees("A page")) == "",
        "a text that is missing": "does not show ['Signed in']" in on("", lambda: window.sees("A page", "Signed in")),
        "a button that is there": on("", lambda: window.click(label="Go on")) == "",
        "a button that is missing": "has no button Approve" in on("", lambda: window.click(label="Approve")),
        "nobody to sign in as": "does not offer Grace Hopper" in on(LABELS.format("").replace("Grace", "Ada"), approve),
        "two of one name": "does not offer Grace Hopper" in on(
            LABELS.format("<label>Grace Hopper</label>"), approve),
    }
    return [case for case, holds in cases.items() if not holds]
