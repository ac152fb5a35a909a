"""What strangers send without end stays within its bounds, on one file and on two instances with one PostgreSQL, and leaves others alone."""

import base64
import json
import secrets
import threading
import time
import urllib.parse

import signup
from bench import MIB, crowd, eventually, tally
from browsers import APP
from junk_codes import junk_codes
from lifetimes import FileStore, SharedStore, lifetimes
from postgres import NotInstalled, postgres, storage
from repeats import SETTINGS as REPEATED
from repeats import repeats, told
from testbed.client import LOST, Client
from vault import SETTINGS as VAULT
from vault import by_browser

LONGEST = 600
PENDING_BYTES = 8 * MIB
# What an engine needs besides for rows, their indexes, and what was removed and is not reused yet.
OVERHEAD = 24 * MIB
KEYS_A_DAY = 40
CHALLENGES_A_MINUTE = 60
CROWD = 300
OTHERS = 40
SETTINGS = {
    **VAULT, **REPEATED, "GATEHOUSE_APPS": "service",
    "GATEHOUSE_KEY_SERVICE_ENABLED": "true", "GATEHOUSE_KEY_SERVICE_HASHES_AT_ONCE": "1", "GATEHOUSE_KEY_SERVICE_WAITING": "128",
    "GATEHOUSE_RATE_LIMIT_AUTHORIZATIONS_PER_MINUTE_PER_ADDRESS": "0", "GATEHOUSE_RATE_LIMIT_KEYS_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_KEYS_PER_DAY_PER_ADDRESS": str(KEYS_A_DAY),
    "GATEHOUSE_RATE_LIMIT_CHALLENGES_PER_MINUTE_PER_ADDRESS": str(CHALLENGES_A_MINUTE),
    "GATEHOUSE_APP_SERVICE_SCOPES": "openid,account.read,tokens,offline_access", "GATEHOUSE_BROWSER_PENDING_BYTES": str(PENDING_BYTES),
    "GATEHOUSE_HTTP_CLIENT_ADDRESS_HEADER": "X-Forwarded-For", "GATEHOUSE_HTTP_TRUSTED_PROXIES": "127.0.0.1/32"}
CALLBACK = "https://sign-in.example/auth/plain/callback"


def of(address):
    """The header fields of a proxy before the server, for a client of that address."""
    return {"X-Forwarded-For": address}


def run(bench):
    with bench.carriers(redirect_uris=[CALLBACK]) as carriers:
        settings = {**SETTINGS, **signup.settings(carriers)}
        with bench.server(carriers, "file", settings=settings) as server:
            before = floods(bench, "file", carriers, [server], server.database_size)
        told(bench, "file", FileStore(server.database))
        lifetimes(bench, "file", FileStore(server.database), lambda: bench.server(carriers, "file", settings=settings),
                  before)
        try:
            with postgres(bench) as database:
                shared = {**settings, **storage(bench, database), "GATEHOUSE_INSTANCES": "2"}
                with bench.server(carriers, "one", settings=shared) as one, \
                        bench.server(carriers, "two", settings=shared) as two:
                    before = floods(bench, "postgres", carriers, [one, two], lambda: relations(database))
                told(bench, "postgres", SharedStore(database))
                lifetimes(bench, "postgres", SharedStore(database), lambda: bench.server(carriers, "one", settings=shared),
                          before)
        except NotInstalled as error:
            bench.skip(str(error))


def relations(database):
    """Bytes of all tables with their indexes."""
    return int(database.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"))


def floods(bench, name, carriers, servers, size):
    """Returns how large the store was before them."""
    before = size()
    browser_sign_ins(bench, name, servers, size)
    addresses(bench, name, servers)
    one_key(bench, name, servers)
    many_keys(bench, name, servers)
    sign_ups(bench, name, carriers, servers)
    profile(bench, name, carriers, servers)
    junk_codes(bench, name, carriers, servers)
    made_up_kids(bench, name, carriers, servers)
    repeats(bench, name, servers)
    fill(bench, name, servers)
    return before


def fill(bench, name, servers):
    """As much as strangers may have kept in all: from many networks, for one of them may hold a twentieth."""
    large = {"login_hint": "x" * 1500, "login_hint_token": "x" * 8192}
    statuses = crowd(1000, lambda number: begin(
        servers[number % len(servers)], f"203.0.113.{number % 60}", **large).status, threads=16)
    bench.claim(set(statuses) == {303}, f"{name}: they may begin ({tally(statuses)})")


def begin(server, address, **others):
    """A form, since a form may be longer than an address."""
    return server.call("POST", "/auth/authorize", headers=of(address), form={
        "client_id": "service", "redirect_uri": APP, "response_type": "code", "state": "s", "scope": "openid",
        "code_challenge": secrets.token_urlsafe(32), "code_challenge_method": "S256", "provider": "plain", **others})


def callback(server, begun, address):
    """What becomes of a sign-in that comes back without a code: one that is there tells its app, one that gave way has a page."""
    if "set-cookie" not in begun.headers:
        return f"{begun} {begun.headers.get('location', '')[:200]}"
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["location"]).query)["state"][0]
    cookie = begun.headers["set-cookie"].split(";")[0]
    return server.call("GET", f"/auth/plain/callback?error=access_denied&state={state}",
                       headers={"Cookie": cookie, **of(address)}).status


def browser_sign_ins(bench, name, servers, size):
    """Strangers begin sign-ins that are as large as any may be, from one address and from a /48 of them."""
    refused = begin(servers[0], "192.0.2.1", login_hint="x" * 4096, login_hint_token="x" * 8192, nonce="x" * 2048)
    answer = urllib.parse.parse_qs(urllib.parse.urlsplit(refused.headers.get("location", "")).query)
    bench.claim(answer.get("error") == ["invalid_request"], f"{name}: what is too large is refused ({answer})")
    honest = [(server, begin(server, f"198.51.100.{number}")) for number, server in enumerate(servers * 10)]
    before = size()
    large = {"login_hint": "x" * 1500, "login_hint_token": "x" * 8192}

    def flood(number):
        server = servers[number % len(servers)]
        address = "203.0.113.7" if number % 2 else f"2001:db8:7:{number % 4096:x}::1"
        return begin(server, address, **large).status

    statuses = crowd(4000, flood, threads=32)
    grown = size() - before
    bench.figure(f"{name}_sign_ins", tally(statuses))
    bench.figure(f"{name}_sign_ins_MiB", grown / MIB)
    bench.claim(set(statuses) <= {303, 503}, f"{name}: strangers may begin ({tally(statuses)})")
    bench.claim(grown <= PENDING_BYTES + OVERHEAD, f"{name}: 45 MiB of them take {grown / MIB:.0f} MiB in the store")
    back = [callback(server, begun, f"198.51.100.{number}") for number, (server, begun) in enumerate(honest)]
    bench.claim(set(back) == {303}, f"{name}: nobody else's gives way ({tally(back)})")


def addresses(bench, name, servers):
    """One client in three spellings, and one customer with many networks."""
    def challenges(address):
        server = servers[0]
        return [server.call("POST", "/auth/challenge", headers=of(address(number))).status for number in range(300)]

    spellings = ["::ffff:203.0.113.9", "203.0.113.9", "64:ff9b::203.0.113.9"]
    allowed = CHALLENGES_A_MINUTE // len(servers)
    mapped = challenges(lambda number: spellings[number % 3])
    bench.claim(mapped.count(200) <= allowed * 2, f"{name}: one address is one in any spelling ({tally(mapped)})")
    one = servers[0]
    seen = []
    deadline = time.monotonic() + 30
    with Client(one.port) as client:
        for number in range(3000):
            seen.append(client.call("POST", "/auth/challenge", headers=of(f"2001:db8:9:{number:x}::1")).status)
            if time.monotonic() > deadline:
                break
    bench.figure(f"{name}_of_one_48", tally(seen))
    bench.claim(seen.count(200) <= allowed * 16 * 2, f"{name}: a /48 counts as sixteen ({tally(seen)})")
    other = one.call("POST", "/auth/challenge", headers=of("2001:db8:a::1")).status
    bench.claim(other == 200, f"{name}: its neighbour is let in ({other})")


def made_key(server, address):
    answer = server.call("POST", "/keyservice/v1/createkey", body={"secret": "right"}, headers=of(address))
    return answer.json.get("keyid"), answer.status


def unlock(server, key, address):
    try:
        return server.call("POST", "/keyservice/v1/key", body={"keyid": key, "secret": "right"}, headers=of(address)).status
    except LOST:
        return 0


def one_key(bench, name, servers):
    """300 connections with one key and its right password, again and again, and others who want theirs."""
    server = servers[0]
    popular, _ = made_key(server, "192.0.2.20")
    others = [made_key(server, f"192.0.2.{30 + number}")[0] for number in range(OTHERS)]
    over = threading.Event()
    answers = []

    def ask(_):
        while not over.is_set():
            answers.append(unlock(server, popular, "192.0.2.20"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CROWD)]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: len(answers) > CROWD, 20)
        # From the flood's own address, and from others: a turn is the key's as well.
        served = crowd(OTHERS, lambda number: unlock(
            server, others[number], "192.0.2.20" if number % 2 else f"192.0.2.{30 + number}"), threads=OTHERS)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    bench.figure(f"{name}_one_key", tally(answers))
    bench.claim(served.count(200) == OTHERS, f"{name}: {served.count(200)} of {OTHERS} others are answered 200 ({tally(served)})")
    bench.claim(200 in answers and set(answers) <= {200, 503, 0}, f"{name}: the one key has its turns ({tally(answers)})")


def many_keys(bench, name, servers):
    """Keys without end, at all instances."""
    made = crowd(3 * KEYS_A_DAY, lambda number: made_key(servers[number % len(servers)], "192.0.2.99")[1], threads=8)
    bench.figure(f"{name}_keys", tally(made))
    bench.claim(made.count(200) == KEYS_A_DAY and set(made) == {200, 429},
                f"{name}: an address makes {KEYS_A_DAY} a day over all instances ({tally(made)})")
    other = made_key(servers[0], "192.0.2.100")[1]
    bench.claim(other == 200, f"{name}: others make theirs ({other})")


def sign_ups(bench, name, carriers, servers):
    """59 sign-ups with one address, under as many names."""
    def sign_up(number):
        address = [f"jane@{name}.example", f"JANE@{name}.Example", f"jane+{number}@{name}.example"][number % 3]
        return servers[number % len(servers)].call(
            "POST", "/users/signup", body={"username": f"{name}{number}", "email": address},
            headers=of(f"198.51.100.{number}")).status

    def mails(recipient):
        found = json.loads(carriers.call("GET", "/control/mails", issuer="beyond").body)["mails"]
        return [mail for mail in found if recipient in json.dumps(mail).lower()]

    seen = crowd(59, sign_up, threads=8)
    servers[0].call("POST", "/users/signup", body={"username": f"{name}-other", "email": f"other@{name}-honest.example"},
                    headers=of("198.51.100.99"))
    bench.claim(eventually(lambda: mails(f"other@{name}-honest.example"), 30), f"{name}: somebody else gets a mail")
    # What was ordered before has been looked at by then, or is within moments.
    time.sleep(2)
    count = len(mails(f"@{name}.example"))
    bench.figure(f"{name}_mails", count)
    bench.claim(count == 3, f"{name}: {count} mails go to one person for 59 sign-ups ({tally(seen)})")


def profile(bench, name, carriers, servers):
    """One user has the provider asked again and again."""
    tokens = [by_browser(servers[0], f"{name}{number}") for number in range(2)]
    before = carriers.requests("userinfo")
    seen = crowd(CROWD, lambda number: servers[number % len(servers)].call(
        "POST", "/users/me/refresh-profile", body={}, bearer=tokens[0]).status, threads=8)
    asked = carriers.requests("userinfo") - before
    bench.figure(f"{name}_profiles", tally(seen))
    bench.claim(asked <= 10 and seen.count(200) == 10 and set(seen) == {200, 429},
                f"{name}: the provider is asked ten times ({asked}, {tally(seen)})")
    other = servers[0].call("POST", "/users/me/refresh-profile", body={}, bearer=tokens[1])
    bench.claim(other.status == 200, f"{name}: another user's profile is asked for ({other})")


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def made_up_kids(bench, name, carriers, servers):
    """Logout tokens that name keys which nobody has, and then a provider that rotates its keys."""
    for server in servers:
        server.sign_in(f"{name}-before", "plain")
        for number in range(6):
            header = {"typ": "logout+jwt", "alg": "RS256", "kid": f"made-up-{number}"}
            claims = {"iss": carriers.urls["plain"], "aud": "gatehouse-demo", "iat": int(time.time()), "jti": secrets.token_hex(8),
                      "exp": int(time.time()) + 60, "sid": "x", "events": {"http://schemas.openid.net/event/backchannel-logout": {}}}
            token = f"{encoded(header)}.{encoded(claims)}.{base64.urlsafe_b64encode(bytes(256)).rstrip(b'=').decode()}"
            answer = server.call("POST", "/auth/plain/backchannel-logout", form={"logout_token": token})
            bench.claim(answer.status == 400, f"{name}: a made-up key name is refused ({answer})")
    carriers.call("POST", "/control/rotate-keys?issuer=plain")
    seen = [server.sign_in(f"{name}-after", "plain").status for server in servers]
    bench.claim(set(seen) == {200}, f"{name}: real sign-ins fetch the rotated key at once ({tally(seen)})")
