"""A window of headless Chromium for scripts/check_demo.py: what a person sees and does in it, and what each page is
held to."""

from __future__ import annotations

import pathlib
from typing import NamedTuple, TypedDict

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20


class Places(NamedTuple):
    """Addresses of the sample app, of Gatehouse, and of a Gatehouse that registers by ticket."""

    app: str
    gatehouse: str
    ticketing: str


class Size(NamedTuple):
    """Of a window, in CSS pixels."""

    width: int
    height: int


class Node(TypedDict):
    """What axe has a finding about."""

    html: str


class Violation(TypedDict):
    """A finding of axe."""

    id: str
    impact: str
    help: str
    nodes: list[Node]


def is_of_a_page_that_went(error: WebDriverException) -> bool:
    """Whether an element is not there, or not any more: the driver has two ways to say that, and one that has no
    name."""
    return (isinstance(error, (NoSuchElementException, StaleElementReferenceException))
            or "does not belong to the document" in str(error.msg))


class Window:
    """A window of a size, and the person who sits before it."""

    def __init__(self, name: str, size: Size, person: str, folder: pathlib.Path, places: Places) -> None:
        self.name, self.person, self.folder, self.places = name, person, folder, places
        self.width, self.height = size
        self.pictures, self.axe_pages = 0, 0
        self.patience = PATIENCE
        # How bad each is, and which rule it is about.
        self.findings: list[tuple[str, str]] = []
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.browser = webdriver.Chrome(options=options, service=service)
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": self.width, "height": self.height, "deviceScaleFactor": 1, "mobile": name == "phone"})
        self.scheme("light")

    def scheme(self, scheme: str) -> None:
        """Light or dark, as the person's system is."""
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def close(self) -> None:
        self.browser.quit()

    # What a person sees and does

    def text(self) -> str:
        text: str = self.browser.find_element(By.TAG_NAME, "body").text
        return text

    def sees(self, *texts: str) -> None:
        """Waits until all of these are on the page."""
        def there(_: object) -> bool:
            try:
                text = self.text()
                return all(one in text for one in texts)
            except WebDriverException as error:
                if not is_of_a_page_that_went(error):
                    raise
                return False

        try:
            WebDriverWait(self.browser, self.patience, 0.1).until(there)
        except TimeoutException:
            self.picture("failed")
            missing = [one for one in texts if one not in self.text()]
            raise SystemExit(
                f"{self.name}: {self.browser.current_url} does not show {missing}, but:\n{self.text()}") from None

    def rests(self) -> None:
        """Waits until the app has finished what it does by itself when it is opened."""
        WebDriverWait(self.browser, self.patience, 0.1).until(
            lambda one: one.execute_script("return document.documentElement.dataset.ready") == "true")

    def types(self, id: str, text: str) -> None:
        field = self.browser.find_element(By.ID, id)
        field.clear()
        field.send_keys(text)

    def click(self, *, id: str | None = None, label: str | None = None, within: str = "//*") -> None:
        path = f"//button[@id='{id}']" if id else f"{within}[self::button or self::a][normalize-space()='{label}']"

        def clicked(browser: webdriver.Chrome) -> bool:
            try:
                browser.find_element(By.XPATH, path).click()
                return True
            except WebDriverException as error:
                if not is_of_a_page_that_went(error):
                    raise
                return False

        try:
            WebDriverWait(self.browser, self.patience, 0.1).until(clicked)
        except TimeoutException:
            self.picture("failed")
            raise SystemExit(
                f"{self.name}: {self.browser.current_url} has no button {id or label}:\n{self.text()}") from None

    def value(self, id: str) -> str:
        text: str = self.browser.find_element(By.ID, id).text
        return text

    def approves(self, carrier: str, question: str = "asks you to sign in", person: str | None = None) -> None:
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

    def check(self) -> None:
        """axe's findings, text that is wider than the window, and what stands on the console."""
        axe = Axe(self.browser)
        axe.inject()
        violations: list[Violation] = axe.run()["violations"]
        for violation in violations:
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

    def console(self, but: str | None = None) -> None:
        """Nothing may stand there, but for one line that a refusal leaves, if one is expected."""
        lines: list[str] = [line["message"] for line in self.browser.get_log("browser") if line["level"] != "INFO"]
        expected = [line for line in lines if but and but in line]
        if len(lines) != len(expected) or bool(expected) != bool(but):
            raise SystemExit(f"{self.name}: {self.browser.current_url}: the console has {lines}, expected was {but}")

    def picture(self, title: str, whole: bool = False) -> None:
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
