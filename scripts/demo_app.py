"""What a person does in the sample app, from the first sign-in to the sign-out, and what the app must show."""

from __future__ import annotations

from selenium.webdriver.common.by import By

from demo_window import Window


class AppSteps(Window):
    """The steps of somebody who uses the sample app."""

    def sign_in(self) -> None:
        self.browser.get(self.places.app)
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

    def second_session(self) -> None:
        self.click(id="another")
        self.approves("Aurora Mobile")
        self.sees("This one", "Another one")
        self.rests()
        self.click(label="End it")
        self.sees("The other session has ended")
        if "Another one" in self.text():
            raise SystemExit(f"{self.name}: the session that was ended is still there")
        self.check()

    def receipt(self) -> None:
        self.click(id="approve")
        self.approves("Aurora Mobile", "Transfer 250.00 euro to Bob")
        self.sees("Receipt", "“Transfer 250.00 euro to Bob” is approved", "verified with its published key",
                  "The receipt's hash is that of the text", "transaction-receipt+jwt", "POST /auth/transaction · 200")
        self.rests()
        self.picture("receipt", whole=True)
        self.check()

    def link(self) -> None:
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

    def change_carriers(self) -> None:
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

    def refusal(self) -> None:
        self.click(id="approve")
        self.approves("Borealis Wireless", "Transfer 250.00 euro to Bob")
        self.sees("Not yet: your number has only just moved", "not approve, link or unlink anything", "hours",
                  "POST /auth/transaction · 403")
        self.rests()
        # Browsers write every answer above 399 on the console; this one belongs there.
        self.console(but="/auth/transaction")
        self.picture("refused")
        self.check()

    def second_thoughts(self) -> None:
        self.click(id="another")
        self.sees("Sign in with Borealis Wireless")
        self.click(label="Deny")
        self.sees("You said no", self.person)
        self.rests()
        self.picture("denied")
        self.check()

    def ended_session(self) -> None:
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

    def locked(self) -> None:
        """Behind a PIN, as TIM's clients are: opened, and closed for good by three wrong ones."""
        for pins, words in ((["2718"], ["Signed in", self.person]),
                            (["3141", "3142", "3143"],
                             ["Three wrong PINs: the key is gone", "with your phone number"])):
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

    def sign_out(self) -> None:
        self.click(id="sign-out")
        self.sees("You are signed out", "Sign in with your phone number")
        self.rests()
        if self.browser.execute_script("return sessionStorage.tokens"):
            raise SystemExit(f"{self.name}: tokens are left after the sign-out")
        self.picture("signed-out")
        self.check()

    def signed_up(self) -> None:
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
        self.browser.get(self.places.app)
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

    def account(self, person: str) -> None:
        """The page of Gatehouse's own on which people see where they are signed in."""
        self.browser.get(f"{self.places.gatehouse}/account")
        self.sees("Your account", "Sign in to see where you are signed in")
        self.check()
        self.click(label="Continue with Beyond Identity")
        self.approves("Beyond Identity", person=person)
        self.sees("Sample App", "you allowed it to", "Sign out everywhere")
        self.picture("account", whole=True)
        self.check()
        self.click(label="Leave this page")
        self.sees("You are signed out")
        self.browser.get(self.places.app)
        self.sees("Signed in", person)
        self.rests()
