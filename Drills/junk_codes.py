"""Junk codes through a web app's backend, beside what is right from the same address."""

import json
import secrets
import threading
import urllib.parse
from collections.abc import Sequence

import browsers
from bench import Bench, crowd, tally
from claims import Claim, shows
from gatehouse import Gatehouse
from testbed import pkce
from testbed.carriers import Carriers
from testbed.client import Answer, Client
from vault import BASIC, SERVICE

# More than one address may get wrong in a minute.
JUNK = 650
AFTERWARDS = 5
BACKEND = {"X-Forwarded-For": "192.0.2.150"}


def token_request(server: Gatehouse, path: str = "/auth/token", **form: str) -> Answer:
    """What the backend asks under its secret."""
    return server.call("POST", path, headers={"Authorization": BASIC, **BACKEND}, form=form)


def junk(server: Gatehouse) -> int:
    """A code that a stranger has made up and the backend can't tell from others."""
    return token_request(
        server, grant_type="authorization_code", code=secrets.token_urlsafe(32), redirect_uri=browsers.APP,
        code_verifier=pkce.new_verifier()).status


def signed_in(server: Gatehouse, subscriber: str) -> Answer:
    """The answer with the tokens of somebody who signs in through the browser, with every request from the backend's
    address."""
    verifier = pkce.new_verifier()
    request = urllib.parse.urlencode({
        "client_id": SERVICE[0], "redirect_uri": browsers.APP, "response_type": "code", "state": "s",
        "scope": "openid offline_access", **pkce.parameters(verifier),
        "provider": "plain", "prompt": "none", "login_hint": subscriber})
    begun = server.call("GET", f"/auth/authorize?{request}", headers=BACKEND)
    if begun.status != 303:
        return begun
    cookie = {"Cookie": begun.headers["set-cookie"].split(";")[0], **BACKEND}
    target, _, port = browsers.local(begun.headers["location"])
    with Client(port) as client:
        approved = client.call("GET", target)
    back = server.call("GET", browsers.local(approved.headers["location"])[0], headers=cookie)
    if back.status != 303:
        return back
    code = browsers.local(back.headers["location"])[1].get("code", "")
    return token_request(
        server, grant_type="authorization_code", code=code, redirect_uri=browsers.APP, code_verifier=verifier)


def all_that_is_right(carriers: Carriers, server: Gatehouse, subscriber: str) -> list[str]:
    """How a sign-in, a refresh, an introspection and a logout by the provider end."""
    tokens = signed_in(server, subscriber)
    outcomes = [f"sign-in {tokens}"]
    if tokens.status != 200:
        return outcomes
    refreshed = token_request(server, grant_type="refresh_token", refresh_token=tokens.json["refresh_token"])
    outcomes.append(f"refresh {refreshed}")
    told = token_request(server, "/auth/introspect", token=refreshed.json.get("access_token", ""))
    outcomes.append(f"introspection {told} {told.json.get('active')}")
    made = carriers.call("POST", "/control/logout-token", {"subscriber": subscriber, "by": "sub"}, issuer="plain")
    left = server.call("POST", "/auth/plain/backchannel-logout", headers=BACKEND,
                       form={"logout_token": json.loads(made.body)["logout_token"]})
    return [*outcomes, f"logout {left}"]


RIGHT = ["sign-in 200", "refresh 200", "introspection 200 True", "logout 200"]


def junk_codes(bench: Bench, name: str, carriers: Carriers, servers: Sequence[Gatehouse]) -> None:
    """What fails is refused at last; what is right from the same address never is, meanwhile and afterwards."""
    over = threading.Event()
    seen: list[list[str]] = []

    def go_on() -> None:
        while not over.is_set():
            seen.append(all_that_is_right(carriers, servers[len(seen) % len(servers)], f"{name}-meanwhile-{len(seen)}"))

    beside = threading.Thread(target=go_on)
    beside.start()
    try:
        refused = crowd(JUNK * len(servers), lambda number: junk(servers[number % len(servers)]), threads=8)
    finally:
        over.set()
        beside.join()
    seen += [all_that_is_right(carriers, servers[number % len(servers)], f"{name}-afterwards-{number}")
             for number in range(AFTERWARDS)]
    bench.figure(f"{name}_junk_codes", tally(refused))
    bench.figure(f"{name}_beside_junk", len(seen))
    bench.state(*tells_apart(name, refused, seen))


def tells_apart(name: str, refused: Sequence[int], seen: Sequence[Sequence[str]]) -> list[Claim]:
    """What must be true of how junk codes were answered, and of how all that was right beside them has ended."""
    odd = [outcome for outcomes in seen for outcome in outcomes if outcome not in RIGHT]
    return [Claim(set(refused) == {400, 429}, f"{name}: junk codes are refused, in the end unread ({tally(refused)})"),
            Claim(not odd, f"{name}: nothing right is refused for them ({tally(odd)})")]


def self_test() -> None:
    refused = [400, 429]
    shows(tells_apart("file", refused, [RIGHT]),
          ("in the end unread", tells_apart("file", [400], [RIGHT])),
          ("in the end unread", tells_apart("file", [*refused, 200], [RIGHT])),
          ("logout 429×1", tells_apart("file", refused, [RIGHT, [*RIGHT[:3], "logout 429"]])))
