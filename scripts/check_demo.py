"""Clicks through the sample app in headless Chromium as a person would, in a phone's window and a desk's.

scripts/check-demo starts the servers and calls this with the app's address. Ends with status 1 at the first step that does not
show what it should, at anything on a page's console that does not belong there, and at an axe finding that is serious.
"""

import argparse
import base64
import hashlib
import http.server
import json
import pathlib
import secrets
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from demo_window import Window
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By

# Of each window another subscriber: who changes carriers stays there.
WINDOWS = {"phone": ((390, 844), "Grace Hopper"), "desk": ((1280, 800), "Mary Somerville")}


class Program:
    """An app of this machine's own, which opens pages in the person's browser, and waits at a port for what comes of them."""

    SCOPE = "openid email account.read account.identities transactions"

    def __init__(self, gatehouse):
        self.gatehouse, self.verifier = gatehouse, secrets.token_urlsafe(48)
        program = self

        class Back(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                address = urllib.parse.urlsplit(self.path)
                if address.path == "/app/callback":
                    program.told = dict(urllib.parse.parse_qsl(address.query))
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(b"<!doctype html><html lang=en><title>Back</title><link rel=icon href=data:,><h1>Back in the program</h1>")

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Back)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.redirect_uri = f"http://127.0.0.1:{self.server.server_address[1]}/app/callback"

    def address(self, **more):
        digest = hashlib.sha256(self.verifier.encode()).digest()
        query = {
            "client_id": "sample-app", "redirect_uri": self.redirect_uri, "response_type": "code", "state": "program",
            "scope": self.SCOPE, "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256", "provider": "zenkey", "mccmnc": "311480", **more}
        return f"{self.gatehouse}/auth/authorize?{urllib.parse.urlencode(query)}"

    def ask(self, path, bearer=None, **form):
        """The status and the JSON of an answer."""
        request = urllib.request.Request(
            self.gatehouse + path, urllib.parse.urlencode(form).encode() if form else None,
            {"Authorization": f"Bearer {bearer}"} if bearer else {})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def redeem(self):
        return self.ask("/auth/token", grant_type="authorization_code", code=self.told.get("code", ""),
                        redirect_uri=self.redirect_uri, client_id="sample-app", code_verifier=self.verifier)


class Demo(Window):
    """The demonstration in one window, from the first sign-in to the sign-out."""

    def __init__(self, app, gatehouse, ticketing, name, folder):
        super().__init__(name, *WINDOWS[name], folder)
        self.app, self.gatehouse, self.ticketing = app, gatehouse, ticketing

    def run(self):
        for step in (self.sign_in, self.second_session, self.receipt, self.link, self.change_carriers, self.refusal,
                     self.second_thoughts, self.ended_session, self.locked, self.by_program, self.sign_out, self.signed_up,
                     self.by_ticket, self.stayed):
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
        # At a port of the machine anybody could wait, so the page names the app.
        self.sees("Sign in to Sample App", "Go on only if you", "ZenKey", "Plain OpenID Provider")
        self.picture("chooser")
        self.check()
        self.click(label="Continue with ZenKey")
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

    def ended_session(self):
        """The access token has run out, and the session was ended elsewhere meanwhile."""
        script = "const t = JSON.parse(sessionStorage.tokens); t.ends = 0; %s sessionStorage.tokens = JSON.stringify(t)"
        before = self.browser.execute_script("return JSON.parse(sessionStorage.tokens).refresh_token")
        self.browser.execute_script(script % "")
        self.browser.refresh()
        self.sees(self.person)
        self.rests()
        if self.browser.execute_script("return JSON.parse(sessionStorage.tokens).refresh_token") == before:
            raise SystemExit(f"{self.name}: the app has not refreshed its tokens")
        self.console()
        self.browser.execute_script(script % "t.refresh_token = 'none';")
        self.browser.refresh()
        self.sees("Your session has ended", "Sign in with your phone number")
        self.rests()
        self.console(but="/auth/token")
        self.picture("ended")
        self.check()
        self.click(id="sign-in-borealis")
        self.approves("Borealis Wireless")
        self.sees("Signed in", self.person)
        self.rests()

    def locked(self):
        """Behind a PIN, as TIM's clients are: opened, and closed for good by three wrong ones."""
        for pins, words in ((["2718"], ["Signed in", self.person]),
                            (["3141", "3142", "3143"], ["Three wrong PINs: the key is gone", "with your phone number"])):
            token = self.browser.execute_script("return JSON.parse(sessionStorage.tokens).refresh_token")
            self.types("lock-pin", "2718")
            self.click(id="lock-it")
            self.sees("The app is locked", f"For {self.person}.")
            if token in self.browser.execute_script("return JSON.stringify(sessionStorage) + localStorage.locked"):
                raise SystemExit(f"{self.name}: the refresh token of a locked app lies about")
            self.picture("locked")
            self.check()
            for number, pin in enumerate(pins):
                self.types("unlock-pin", pin)
                self.click(id="unlock-it")
                self.sees(*(["That is not the PIN"] if number < len(pins) - 1 else words))
                # Until then the notice before may be the one that is seen.
                self.rests()
        self.console(but="/keyservice/v1/key")
        self.check()
        self.click(id="sign-in-borealis")
        self.approves("Borealis Wireless")
        self.sees("Signed in", self.person)
        self.rests()

    def by_program(self):
        """Another program of the person's approves and links through the browser."""
        program = Program(self.gatehouse)
        context = "Transfer 250.00 euro to Bob"
        # The browser knows the app, and its user has agreed to what it asks for.
        self.browser.get(program.address(context=context, acr_values="a3"))
        self.approves("Borealis Wireless", context)
        self.sees("Back in the program")
        status, answer = program.redeem()
        # The number has moved, so that nothing is approved with it yet.
        if status != 200 or "receipt" in answer:
            raise SystemExit(f"{self.name}: an identity on probation approves: {status} {answer}")
        status, refused = program.ask("/users/me/identities/authorize", answer["access_token"], provider="plain",
                                      redirect_uri=program.redirect_uri)
        if (status, refused.get("error")) != (403, "identity_too_new"):
            raise SystemExit(f"{self.name}: an identity on probation links: {status} {refused}")
        self.browser.get(self.app)
        self.sees("Signed in", self.person)
        self.rests()

    def by_ticket(self):
        """Where registration is by ticket, a program registers its user, approves and links, all through the browser."""
        program, person = Program(self.ticketing), f"Ada {self.name}"
        carrier, network = ("Aurora Mobile",), {"mccmnc": "310410"}
        # A cookie is every port's, so the browser knows the app here as well; whom it signs in here has not agreed.
        self.browser.get(program.address(**network))
        self.approves(*carrier)
        self.sees("Sign in to Sample App", "ask you to approve transactions")
        self.picture("registering")
        self.check()
        self.click(label="Continue with ZenKey")
        self.approves(*carrier)
        self.sees("Back in the program")
        status, told = program.redeem()
        if status != 400 or told.get("error") != "unlinked_user" or "link_ticket" in program.told:
            raise SystemExit(f"{self.name}: nobody is asked to register: {status} {told.get('error')} {list(program.told)}")
        status, user = program.ask("/users", link_ticket=told["link_ticket"], client_id="sample-app", name=person)
        if status != 201:
            raise SystemExit(f"{self.name}: the ticket does not register: {status} {user}")
        context = f"Pay 12 euro for {self.name}"
        # The browser has confirmed the app, which is asked about no more; the user has agreed to nothing yet.
        self.browser.get(program.address(context=context, acr_values="a3", **network))
        self.approves(*carrier, context)
        self.sees("Do you want to allow that to Sample App?", "ask you to approve transactions")
        self.check()
        self.click(label="Allow")
        self.sees("Back in the program")
        status, answer = program.redeem()
        if status != 200 or "receipt" not in answer:
            raise SystemExit(f"{self.name}: there is no receipt: {status} {answer}")
        token = answer["access_token"]
        status, begun = program.ask("/users/me/identities/authorize", token, provider="plain", redirect_uri=program.redirect_uri)
        if status != 200:
            raise SystemExit(f"{self.name}: no further identity is begun: {status} {begun}")
        linked = {"phone": "Linus Pauling", "desk": "Ada Lovelace"}[self.name]
        self.browser.get(begun["url"])
        self.sees("to your account", person, "Never if somebody sent you the link")
        self.picture("link-asked")
        self.check()
        self.click(label="Continue with Plain OpenID Provider")
        self.approves("Plain OpenID Provider", person=linked)
        self.sees("Back in the program")
        status, identities = program.ask("/users/me/identities", token)
        if "linked_identity" not in program.told or len(identities) != 2:
            raise SystemExit(f"{self.name}: nothing is linked: {program.told} {identities}")
        self.browser.get(begun["url"])
        self.sees("no longer valid")
        self.console(but="/auth/link")

    def sign_out(self):
        self.click(id="sign-out")
        self.sees("You are signed out", "Sign in with your phone number")
        self.rests()
        if self.browser.execute_script("return sessionStorage.tokens"):
            raise SystemExit(f"{self.name}: tokens are left after the sign-out")
        self.picture("signed-out")
        self.check()

    def signed_up(self):
        """Without a carrier: a mail brings the credential."""
        person = f"Emmy {self.name.title()}"
        self.types("sign-up-name", person)
        self.types("sign-up-email", f"emmy-{self.name}@example.com")
        self.click(id="sign-up-it")
        self.sees("Look into your mail", f"To emmy-{self.name}@example.com", "POST /users/signup · 200")
        self.rests()
        self.picture("mailbox")
        self.check()
        self.browser.find_element(By.ID, "bind").click()
        self.sees("Keep this credential?", person)
        self.check()
        self.click(label="Keep it")
        self.sees("This device has it")
        self.browser.get(self.app)
        self.click(id="sign-in-directory")
        self.approves("Beyond Identity", person=person)
        # Somebody else has said yes to the app in this browser.
        self.sees("Do you want to allow that to Sample App?", "see your e-mail address")
        self.picture("consent")
        self.check()
        self.click(label="Allow")
        self.sees("Signed in", person, "by your first sign-in")
        self.rests()
        self.picture("signed-up")
        self.check()
        self.account(person)
        self.click(id="sign-out")
        self.sees("You are signed out")
        self.rests()

    def account(self, person):
        """The page of Gatehouse's own on which people see where they are signed in."""
        self.browser.get(f"{self.gatehouse}/account")
        self.sees("Your account", "Sign in to see where you are signed in")
        self.check()
        self.click(label="Continue with Beyond Identity")
        self.approves("Beyond Identity", person=person)
        self.sees("Sample App", "you allowed it to", "Sign out everywhere")
        self.picture("account", whole=True)
        self.check()
        self.click(label="Leave this page")
        self.sees("You are signed out")
        self.browser.get(self.app)
        self.sees("Signed in", person)
        self.rests()

    def stayed(self):
        """At an app's address on Gatehouse's own host, where the browser has not opened the app."""
        own = self.gatehouse.replace("http:", "https:")
        for query in ("code=c0de&state=%3Cb%3E&lt;&iss=x", "error=access_denied&error_description=She+said+no"):
            for name, address in (("notes", "com.example.notes:/back"), ("maps", f"{own}/maps/back")):
                self.browser.get(f"{self.gatehouse}/{name}/back?{query}")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screenshots", type=pathlib.Path, required=True)
    parser.add_argument("--gatehouse", required=True, help="where Gatehouse is")
    parser.add_argument("--ticketing", required=True, help="where one is that registers by ticket")
    parser.add_argument("app", help="the address of the sample app")
    arguments = parser.parse_args()
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    for name in WINDOWS:
        for picture in arguments.screenshots.glob(f"{name}-[0-9][0-9]-*.png"):
            picture.unlink()
    for name in WINDOWS:
        demo = Demo(arguments.app, arguments.gatehouse, arguments.ticketing, name, arguments.screenshots)
        try:
            demo.run()
        finally:
            demo.close()
        lesser = sorted(set(f"{impact} {rule}" for impact, rule in demo.findings)) or ["none"]
        print(f"{name}: {demo.axe_pages} pages through axe, nothing serious; lesser findings: {', '.join(lesser)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
