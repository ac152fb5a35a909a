"""A window of headless Chromium for scripts/check_demo.py: what a person sees and does in it, and what each page is held to."""

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException, StaleElementReferenceException, TimeoutException, WebDriverException)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 20


def is_of_a_page_that_went(error):
    """Whether an element is not there, or not any more: the driver has two ways to say that, and one that has no name."""
    return (isinstance(error, (NoSuchElementException, StaleElementReferenceException))
            or "does not belong to the document" in str(error.msg))


class Window:
    """A window of a size, and the person who sits before it."""

    def __init__(self, name, size, person, folder):
        self.name, self.person, self.folder = name, person, folder
        self.width, self.height = size
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
        self.scheme("light")

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
            except WebDriverException as error:
                if not is_of_a_page_that_went(error):
                    raise
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

    def types(self, id, text):
        field = self.browser.find_element(By.ID, id)
        field.clear()
        field.send_keys(text)

    def click(self, *, id=None, label=None, within="//*"):
        path = f"//button[@id='{id}']" if id else f"{within}[self::button or self::a][normalize-space()='{label}']"
        def clicked(browser):
            try:
                browser.find_element(By.XPATH, path).click()
                return True
            except WebDriverException as error:
                if not is_of_a_page_that_went(error):
                    raise
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
