"""What a person does with a program of the machine's own, which opens pages in the browser, and what must come of
it."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import TypedDict

from demo_window import Window
from testbed import pkce


class Answer(TypedDict, total=False):
    """What Gatehouse answers to a program."""

    access_token: str
    error: str
    link_ticket: str
    receipt: str
    url: str


class Back(http.server.ThreadingHTTPServer):
    """The port to which the browser comes back, with what it was told last."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), BackHandler)
        self.told: dict[str, str] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class BackHandler(http.server.BaseHTTPRequestHandler):
    server: Back

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        address = urllib.parse.urlsplit(self.path)
        if address.path == "/app/callback":
            self.server.told = dict(urllib.parse.parse_qsl(address.query))
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(
            b"<!doctype html><html lang=en><title>Back</title><link rel=icon href=data:,><h1>Back in the program</h1>")


class Program:
    """An app of this machine's own, which opens pages in the person's browser, and waits at a port for what comes of
    them."""

    SCOPE = "openid email account.read account.identities transactions"

    def __init__(self, gatehouse: str) -> None:
        self.gatehouse, self.verifier = gatehouse, pkce.new_verifier()
        self.server = Back()
        self.redirect_uri = f"http://127.0.0.1:{self.server.server_port}/app/callback"

    @property
    def told(self) -> dict[str, str]:
        return self.server.told

    def address(self, **more: str) -> str:
        query = {
            "client_id": "sample-app", "redirect_uri": self.redirect_uri, "response_type": "code", "state": "program",
            "scope": self.SCOPE, **pkce.parameters(self.verifier), "provider": "zenkey", "mccmnc": "311480", **more}
        return f"{self.gatehouse}/auth/authorize?{urllib.parse.urlencode(query)}"

    def ask(self, path: str, bearer: str | None = None, **form: str) -> tuple[int, Answer]:
        """The status and the JSON of an answer."""
        status, text = self.fetch(path, bearer, form)
        answer: Answer = json.loads(text)
        return status, answer

    def identities(self, bearer: str) -> list[object]:
        identities: list[object] = json.loads(self.fetch("/users/me/identities", bearer, {})[1])
        return identities

    def fetch(self, path: str, bearer: str | None, form: dict[str, str]) -> tuple[int, bytes]:
        request = urllib.request.Request(
            self.gatehouse + path, urllib.parse.urlencode(form).encode() if form else None,
            {"Authorization": f"Bearer {bearer}"} if bearer else {})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def redeem(self) -> tuple[int, Answer]:
        return self.ask("/auth/token", grant_type="authorization_code", code=self.told.get("code", ""),
                        redirect_uri=self.redirect_uri, client_id="sample-app", code_verifier=self.verifier)


class ProgramSteps(Window):
    """The steps of somebody whose program approves and links through the browser."""

    def by_program(self) -> None:
        """Another program of the person's approves and links through the browser."""
        program = Program(self.places.gatehouse)
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
        self.browser.get(self.places.app)
        self.sees("Signed in", self.person)
        self.rests()

    def by_ticket(self) -> None:
        """Where registration is by ticket, a program registers its user, approves and links, all through the
        browser."""
        program, person = Program(self.places.ticketing), f"Ada {self.name}"
        carrier, network = "Aurora Mobile", {"mccmnc": "310410"}
        # A cookie is every port's, so the browser knows the app here as well; whom it signs in here has not agreed.
        self.browser.get(program.address(**network))
        self.approves(carrier)
        self.sees("Sign in to Sample App", "ask you to approve transactions")
        self.picture("registering")
        self.check()
        self.click(label="Continue with ZenKey")
        self.approves(carrier)
        self.sees("Back in the program")
        status, told = program.redeem()
        if status != 400 or told.get("error") != "unlinked_user" or "link_ticket" in program.told:
            raise SystemExit(
                f"{self.name}: nobody is asked to register: {status} {told.get('error')} {list(program.told)}")
        status, user = program.ask("/users", link_ticket=told["link_ticket"], client_id="sample-app", name=person)
        if status != 201:
            raise SystemExit(f"{self.name}: the ticket does not register: {status} {user}")
        context = f"Pay 12 euro for {self.name}"
        # The browser has confirmed the app, which is asked about no more; the user has agreed to nothing yet.
        self.browser.get(program.address(context=context, acr_values="a3", **network))
        self.approves(carrier, context)
        self.sees("Do you want to allow that to Sample App?", "ask you to approve transactions")
        self.check()
        self.click(label="Allow")
        self.sees("Back in the program")
        status, answer = program.redeem()
        if status != 200 or "receipt" not in answer:
            raise SystemExit(f"{self.name}: there is no receipt: {status} {answer}")
        token = answer["access_token"]
        status, begun = program.ask(
            "/users/me/identities/authorize", token, provider="plain", redirect_uri=program.redirect_uri)
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
        identities = program.identities(token)
        if "linked_identity" not in program.told or len(identities) != 2:
            raise SystemExit(f"{self.name}: nothing is linked: {program.told} {identities}")
        self.browser.get(begun["url"])
        self.sees("no longer valid")
        self.console(but="/auth/link")
