"""Junk codes through a web app's backend, beside what is right from the same address."""

import base64
import hashlib
import json
import secrets
import threading
import urllib.parse

import browsers
from bench import crowd, tally
from testbed.client import Client
from vault import BASIC, SERVICE

# More than one address may get wrong in a minute.
JUNK = 650
AFTERWARDS = 5
BACKEND = {"X-Forwarded-For": "192.0.2.150"}


def token_request(server, path="/auth/token", **form):
    """What the backend asks under its secret."""
    return server.call("POST", path, headers={"Authorization": BASIC, **BACKEND}, form=form)


def junk(server):
    """A code that a stranger has made up and the backend can't tell from others."""
    return token_request(
        server, grant_type="authorization_code", code=secrets.token_urlsafe(32), redirect_uri=browsers.APP,
        code_verifier=secrets.token_urlsafe(48)).status


def signed_in(server, subscriber):
    """The answer with the tokens of somebody who signs in through the browser, with every request from the backend's address."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    request = urllib.parse.urlencode({
        "client_id": SERVICE[0], "redirect_uri": browsers.APP, "response_type": "code", "state": "s",
        "scope": "openid offline_access", "code_challenge": challenge, "code_challenge_method": "S256",
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
    return token_request(server, grant_type="authorization_code", code=code, redirect_uri=browsers.APP, code_verifier=verifier)


def all_that_is_right(carriers, server, subscriber):
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


def junk_codes(bench, name, carriers, servers):
    """What fails is refused at last; what is right from the same address never is, meanwhile and afterwards."""
    over = threading.Event()
    seen = []

    def go_on():
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
    bench.claim(set(refused) == {400, 429}, f"{name}: junk codes are refused, in the end unread ({tally(refused)})")
    odd = [outcome for outcomes in seen for outcome in outcomes if outcome not in RIGHT]
    bench.claim(not odd, f"{name}: nothing right is refused for them ({tally(odd)})")
