"""Clicks through the sample app in headless Chromium as a person would, in a phone's window and a desk's.

scripts/check-demo starts the servers and calls this with the app's address. Ends with status 1 at the first step that does not
show what it should, at anything on a page's console that does not belong there, and at an axe finding that is serious.
"""

import argparse
import pathlib
import sys
import time

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException, StaleElementReferenceException, TimeoutException, WebDriverException)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

# Of each window another subscriber: who changes carriers stays there.
WINDOWS = {"phone": (390, 844, "Grace Hopper"), "desk": (1280, 800, "Mary Somerville")}
PATIENCE = 20


class Demo:
    """One window, from the first sign-in to the sign-out."""

    def __init__(self, app, name, scheme, folder):
        self.app, self.name, self.folder = app, name, folder
        self.width, self.height, self.person = WINDOWS[name]
        self.pictures, self.findings, self.axe_pages = 0, [], 0
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.browser = webdriver.Chrome(options=options, service=service)
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": self.width, "height": self.height, "deviceScaleFactor": 1, "mobile": name == "phone"})
        self.scheme(scheme)

    def scheme(self, scheme):
        """Light or dark, as the person's system is."""
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def close(self):
        self.browser.quit()

    # What a person sees and does

    def text(self):
        return self.browser.find_element(By.TAG_NAME, "body").text

    def sees(self, *texts):
        """Waits until all of these are on the page."""
        def there(_):
            try:
                text = self.text()
                return all(one in text for one in texts)
            except (NoSuchElementException, StaleElementReferenceException):
                return False
        try:
            WebDriverWait(self.browser, PATIENCE, 0.1).until(there)
        except TimeoutException:
            self.picture("failed")
            missing = [one for one in texts if one not in self.text()]
            raise SystemExit(f"{self.name}: {self.browser.current_url} does not show {missing}, but:\n{self.text()}")

    def rests(self):
        """Waits until the app has finished what it does by itself when it is opened."""
        WebDriverWait(self.browser, PATIENCE, 0.1).until(
            lambda one: one.execute_script("return document.documentElement.dataset.ready") == "true")

    def click(self, *, id=None, label=None, within="//*"):
        path = f"//button[@id='{id}']" if id else f"{within}[self::button or self::a][normalize-space()='{label}']"
        def clicked(browser):
            try:
                browser.find_element(By.XPATH, path).click()
                return True
            except (NoSuchElementException, StaleElementReferenceException):
                return False
        try:
            WebDriverWait(self.browser, PATIENCE, 0.1).until(clicked)
        except TimeoutException:
            self.picture("failed")
            raise SystemExit(f"{self.name}: {self.browser.current_url} has no button {id or label}:\n{self.text()}")

    def value(self, id):
        return self.browser.find_element(By.ID, id).text

    def approves(self, carrier, question="asks you to sign in", person=None):
        person = person or self.person
        self.sees(f"Sign in with {carrier}", question)
        labels = self.browser.find_elements(By.XPATH, f"//label[contains(., '{person}')]")
        if len(labels) != 1:
            raise SystemExit(f"{self.name}: {carrier} does not offer {person}:\n{self.text()}")
        labels[0].click()
        self.picture(f"consent-{carrier.split()[0].lower()}")
        self.check()
        self.click(label="Approve")

    # What is held against each page

    def check(self):
        """axe's findings, text that is wider than the window, and what stands on the console."""
        axe = Axe(self.browser)
        axe.inject()
        for violation in axe.run()["violations"]:
            self.findings.append((violation["impact"], violation["id"]))
            if violation["impact"] in ("serious", "critical"):
                nodes = "\n".join(node["html"] for node in violation["nodes"])
                raise SystemExit(f"{self.name}: {self.browser.current_url}: axe: {violation['help']}\n{nodes}")
        self.axe_pages += 1
        wide = self.browser.execute_script("return document.documentElement.scrollWidth")
        if wide > self.width:
            self.picture("failed")
            raise SystemExit(f"{self.name}: {self.browser.current_url} is {wide} wide, in a window of {self.width}")
        self.console()

    def console(self, but=None):
        """Nothing may stand there, but for one line that a refusal leaves, if one is expected."""
        lines = [line["message"] for line in self.browser.get_log("browser") if line["level"] != "INFO"]
        expected = [line for line in lines if but and but in line]
        if len(lines) != len(expected) or bool(expected) != bool(but):
            raise SystemExit(f"{self.name}: {self.browser.current_url}: the console has {lines}, expected was {but}")

    def picture(self, title, whole=False):
        self.pictures += 1
        path = self.folder / f"{self.name}-{self.pictures:02}-{title}.png"
        if whole:
            height = self.browser.execute_script("return document.documentElement.scrollHeight")
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": self.width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.browser.save_screenshot(str(path))
        if whole:
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": self.width, "height": self.height, "deviceScaleFactor": 1, "mobile": self.name == "phone"})

    # The demonstration, step by step

    def run(self):
        for step in (self.sign_in, self.second_session, self.receipt, self.link, self.change_carriers, self.refusal,
                     self.second_thoughts, self.sign_out):
            began = time.monotonic()
            try:
                step()
            except WebDriverException as error:
                self.picture("failed")
                raise SystemExit(f"{self.name}: {step.__name__}: {error.msg}\n{self.text()}")
            print(f"{self.name}: {step.__name__.replace('_', ' ')}: {time.monotonic() - began:.1f} s", flush=True)

    def sign_in(self):
        self.browser.get(self.app)
        self.sees("Sign in with your phone number", "Aurora Mobile", "Borealis Wireless", "Nothing yet.")
        self.rests()
        self.picture("welcome")
        self.check()
        self.click(id="sign-in")
        self.sees("sample-app", "zenkey", "plain")
        self.picture("chooser")
        self.check()
        self.browser.find_element(By.PARTIAL_LINK_TEXT, "zenkey").click()
        self.sees("Who is your carrier?")
        self.picture("discovery")
        self.check()
        self.click(label="Aurora Mobile")
        self.approves("Aurora Mobile")
        self.sees("Signed in", self.person, "Aurora Mobile", "by your first sign-in", "Sign in", "/auth/token · 200",
                  "Gatehouse → Aurora Mobile", "/token", "/aurora/userinfo")
        self.rests()
        self.user = self.value("user-id")
        for details in self.browser.find_elements(By.CSS_SELECTOR, "li details")[:6]:
            details.find_element(By.TAG_NAME, "summary").click()
        self.sees("code_verifier", "Authorization", "Basic …")
        self.picture("signed-in", whole=True)
        self.check()
        page = self.browser.page_source
        for secret in self.browser.execute_script("return Object.values(JSON.parse(sessionStorage.tokens))"):
            if isinstance(secret, str) and secret in page:
                raise SystemExit(f"{self.name}: a whole token is on the page")

    def second_session(self):
        self.click(id="another")
        self.approves("Aurora Mobile")
        self.sees("This one", "Another one")
        self.rests()
        self.click(label="End it")
        self.sees("The other session has ended")
        if "Another one" in self.text():
            raise SystemExit(f"{self.name}: the session that was ended is still there")
        self.check()

    def receipt(self):
        self.click(id="approve")
        self.approves("Aurora Mobile", "Transfer 250.00 euro to Bob")
        self.sees("Receipt", "“Transfer 250.00 euro to Bob” is approved", "verified with its published key",
                  "The receipt's hash is that of the text", "transaction-receipt+jwt", "POST /auth/transaction · 200")
        self.rests()
        self.picture("receipt", whole=True)
        self.check()

    def link(self):
        self.click(id="link")
        # Not the same person: scripts/run has signed Grace in there, as somebody else.
        self.approves("Plain OpenID Provider", person="Linus Pauling")
        self.sees("It is linked", "Plain OpenID Provider", "linked by you", "POST /users/me/identities · 201")
        self.rests()
        self.picture("linked")
        self.check()
        self.click(label="Unlink it")
        self.sees("It is unlinked", "Link Plain OpenID Provider")
        self.check()

    def change_carriers(self):
        self.click(id="move")
        self.sees("Your number is at Borealis Wireless now", "Sign in again at Borealis Wireless")
        self.picture("moved")
        self.check()
        self.click(id="sign-in-again")
        self.approves("Borealis Wireless")
        self.sees("Recognised after moving", "Borealis Wireless", "by changing carriers")
        self.rests()
        # For the picture: what Gatehouse sends to the carrier's token endpoint.
        self.browser.find_element(By.CSS_SELECTOR, "li.gatehouse summary").click()
        self.browser.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
        if self.value("user-id") != self.user:
            raise SystemExit(f"{self.name}: user {self.user} has become user {self.value('user-id')}")
        self.picture("recognised")
        self.picture("recognised-whole", whole=True)
        self.check()
        self.scheme("dark")
        self.picture("recognised-dark", whole=True)
        self.check()
        self.scheme("light")

    def refusal(self):
        self.click(id="approve")
        self.approves("Borealis Wireless", "Transfer 250.00 euro to Bob")
        self.sees("Not yet: your number has only just moved", "not approve, link or unlink anything", "hours",
                  "POST /auth/transaction · 403")
        self.rests()
        # Browsers write every answer above 399 on the console; this one belongs there.
        self.console(but="/auth/transaction")
        self.picture("refused")
        self.check()

    def second_thoughts(self):
        self.click(id="another")
        self.sees("Sign in with Borealis Wireless")
        self.click(label="Deny")
        self.sees("You said no", self.person)
        self.rests()
        self.picture("denied")
        self.check()

    def sign_out(self):
        self.click(id="sign-out")
        self.sees("You are signed out", "Sign in with your phone number")
        self.rests()
        if self.browser.execute_script("return sessionStorage.tokens"):
            raise SystemExit(f"{self.name}: tokens are left after the sign-out")
        self.picture("signed-out")
        self.check()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screenshots", type=pathlib.Path, required=True)
    parser.add_argument("app", help="the address of the sample app")
    arguments = parser.parse_args()
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    for name in WINDOWS:
        for picture in arguments.screenshots.glob(f"{name}-[0-9][0-9]-*.png"):
            picture.unlink()
    for name in WINDOWS:
        demo = Demo(arguments.app, name, "light", arguments.screenshots)
        try:
            demo.run()
        finally:
            demo.close()
        lesser = sorted(set(f"{impact} {rule}" for impact, rule in demo.findings)) or ["none"]
        print(f"{name}: {demo.axe_pages} pages through axe, nothing serious; lesser findings: {', '.join(lesser)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
