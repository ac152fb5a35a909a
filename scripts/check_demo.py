"""Clicks through the sample app in headless Chromium as a person would, in a phone's window and a desk's.

scripts/check-demo starts the servers and calls this with the app's address. Ends with status 1 at the first step that
does not show what it should, at anything on a page's console that does not belong there, and at an axe finding that is
serious. Each run first shows each of these failing.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

import demo_self_test
from demo_app import AppSteps
from demo_program import ProgramSteps
from demo_window import Places, Size

# Of each window another subscriber: who changes carriers stays there.
WINDOWS = {"phone": (Size(390, 844), "Grace Hopper"), "desk": (Size(1280, 800), "Mary Somerville")}


class Demo(AppSteps, ProgramSteps):
    """The demonstration in one window, from the first sign-in to the sign-out."""

    def run(self) -> None:
        for step in (self.sign_in, self.second_session, self.receipt, self.link, self.change_carriers, self.refusal,
                     self.second_thoughts, self.ended_session, self.locked, self.by_program, self.sign_out,
                     self.signed_up, self.by_ticket, self.stayed):
            began = time.monotonic()
            try:
                step()
            except WebDriverException as error:
                self.picture("failed")
                raise SystemExit(f"{self.name}: {step.__name__}: {error.msg}\n{self.text()}") from None
            print(f"{self.name}: {step.__name__.replace('_', ' ')}: {time.monotonic() - began:.1f} s", flush=True)

    def stayed(self) -> None:
        """At an app's address on Gatehouse's own host, where the browser has not opened the app."""
        own = self.places.gatehouse.replace("http:", "https:")
        for query in ("code=c0de&state=%3Cb%3E&lt;&iss=x", "error=access_denied&error_description=She+said+no"):
            for name, address in (("notes", "com.example.notes:/back"), ("maps", f"{own}/maps/back")):
                self.browser.get(f"{self.places.gatehouse}/{name}/back?{query}")
                self.sees(f"Back to {name}", f"Open {name}")
                links = [link.get_dom_attribute("href") for link in self.browser.find_elements(By.TAG_NAME, "a")]
                if links != [f"{address}?{query}"]:
                    raise SystemExit(f"{self.name}: the button of {name} leads to {links}")
                for part in ("c0de", "said", "<b>", "%3Cb%3E"):
                    if part in self.text() or part in self.browser.title:
                        raise SystemExit(f"{self.name}: {part!r} stands on the page of {name}")
                before = len(self.findings)
                self.check()
                if self.findings[before:]:
                    raise SystemExit(f"{self.name}: {name}: axe: {self.findings[before:]}")
        self.picture("stayed")
        self.scheme("dark")
        self.check()
        self.picture("stayed-dark")
        self.scheme("light")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screenshots", type=pathlib.Path, required=True)
    parser.add_argument("--gatehouse", required=True, help="where Gatehouse is")
    parser.add_argument("--ticketing", required=True, help="where one is that registers by ticket")
    parser.add_argument("app", help="the address of the sample app")
    arguments = parser.parse_args()
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    places = Places(arguments.app, arguments.gatehouse, arguments.ticketing)
    demo_self_test.run()
    for name in WINDOWS:
        for picture in arguments.screenshots.glob(f"{name}-[0-9][0-9]-*.png"):
            picture.unlink()
    for name in WINDOWS:
        demo = Demo(name, *WINDOWS[name], folder=arguments.screenshots, places=places)
        try:
            demo.run()
        finally:
            demo.close()
        lesser = sorted({f"{impact} {rule}" for impact, rule in demo.findings}) or ["none"]
        print(f"{name}: {demo.axe_pages} pages through axe, nothing serious; lesser findings: {', '.join(lesser)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
