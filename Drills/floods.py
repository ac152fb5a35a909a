"""What strangers send without end stays within its bounds, on one file and on two instances with one PostgreSQL, and
leaves others alone."""

import json
import secrets
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence

import signup
from bench import MIB, Bench, crowd, eventually, tally
from browsers import APP
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from junk_codes import junk_codes
from lifetimes import FileStore, SharedStore, lifetimes
from postgres import NotInstalled, Postgres, postgres, storage
from repeats import SETTINGS as REPEATED
from repeats import repeats, told
from testbed import jose, pkce
from testbed.carriers import Carriers
from testbed.client import LOST, Answer, Client, JSONObject
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
    "GATEHOUSE_KEY_SERVICE_ENABLED": "true", "GATEHOUSE_KEY_SERVICE_HASHES_AT_ONCE": "1",
    "GATEHOUSE_KEY_SERVICE_WAITING": "128", "GATEHOUSE_RATE_LIMIT_AUTHORIZATIONS_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_KEYS_PER_MINUTE_PER_ADDRESS": "0",
    "GATEHOUSE_RATE_LIMIT_KEYS_PER_DAY_PER_ADDRESS": str(KEYS_A_DAY),
    "GATEHOUSE_RATE_LIMIT_CHALLENGES_PER_MINUTE_PER_ADDRESS": str(CHALLENGES_A_MINUTE),
    "GATEHOUSE_APP_SERVICE_SCOPES": "openid,account.read,tokens,offline_access",
    "GATEHOUSE_BROWSER_PENDING_BYTES": str(PENDING_BYTES),
    "GATEHOUSE_HTTP_CLIENT_ADDRESS_HEADER": "X-Forwarded-For", "GATEHOUSE_HTTP_TRUSTED_PROXIES": "127.0.0.1/32"}
CALLBACK = "https://sign-in.example/auth/plain/callback"


Servers = Sequence[Gatehouse]


def of(address: str) -> dict[str, str]:
    """The header fields of a proxy before the server, for a client of that address."""
    return {"X-Forwarded-For": address}


def run(bench: Bench) -> None:
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
                lifetimes(bench, "postgres", SharedStore(database),
                          lambda: bench.server(carriers, "one", settings=shared), before)
        except NotInstalled as error:
            bench.skip(str(error))


def relations(database: Postgres) -> int:
    """Bytes of all tables with their indexes."""
    return int(database.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"))


def floods(bench: Bench, name: str, carriers: Carriers, servers: Servers, size: Callable[[], int]) -> int:
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


def may_begin(name: str, statuses: Sequence[int]) -> Claim:
    return Claim(set(statuses) == {303}, f"{name}: they may begin ({tally(statuses)})")


def fill(bench: Bench, name: str, servers: Servers) -> None:
    """As much as strangers may have kept in all: from many networks, for one of them may hold a twentieth."""
    large = {"login_hint": "x" * 1500, "login_hint_token": "x" * 8192}
    statuses = crowd(1000, lambda number: begin(
        servers[number % len(servers)], f"203.0.113.{number % 60}", **large).status, threads=16)
    bench.state(may_begin(name, statuses))


def begin(server: Gatehouse, address: str, **others: str) -> Answer:
    """A form, since a form may be longer than an address."""
    return server.call("POST", "/auth/authorize", headers=of(address), form={
        "client_id": "service", "redirect_uri": APP, "response_type": "code", "state": "s", "scope": "openid",
        **pkce.parameters(pkce.new_verifier()), "provider": "plain", **others})


def callback(server: Gatehouse, begun: Answer, address: str) -> int | str:
    """What becomes of a sign-in that comes back without a code: one that is there tells its app, one that gave way has
    a page."""
    if "set-cookie" not in begun.headers:
        return f"{begun} {begun.headers.get('location', '')[:200]}"
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(begun.headers["location"]).query)["state"][0]
    cookie = begun.headers["set-cookie"].split(";")[0]
    return server.call("GET", f"/auth/plain/callback?error=access_denied&state={state}",
                       headers={"Cookie": cookie, **of(address)}).status


def is_too_large(name: str, told: dict[str, list[str]]) -> Claim:
    """`told` are the parameters that came back to the app."""
    return Claim(told.get("error") == ["invalid_request"], f"{name}: what is too large is refused ({told})")


def begun(name: str, statuses: Sequence[int], grown: int, back: Sequence[int | str]) -> list[Claim]:
    """How strangers were answered, by how many bytes the store has grown, and how others came back."""
    return [
        Claim(set(statuses) <= {303, 503}, f"{name}: strangers may begin ({tally(statuses)})"),
        Claim(grown <= PENDING_BYTES + OVERHEAD, f"{name}: 45 MiB of them take {grown / MIB:.0f} MiB in the store"),
        Claim(set(back) == {303}, f"{name}: nobody else's gives way ({tally(back)})")]


def browser_sign_ins(bench: Bench, name: str, servers: Servers, size: Callable[[], int]) -> None:
    """Strangers begin sign-ins that are as large as any may be, from one address and from a /48 of them."""
    refused = begin(servers[0], "192.0.2.1", login_hint="x" * 4096, login_hint_token="x" * 8192, nonce="x" * 2048)
    back_to_app = urllib.parse.urlsplit(refused.headers.get("location", ""))
    bench.state(is_too_large(name, urllib.parse.parse_qs(back_to_app.query)))
    honest = [(server, begin(server, f"198.51.100.{number}")) for number, server in enumerate([*servers] * 10)]
    before = size()
    large = {"login_hint": "x" * 1500, "login_hint_token": "x" * 8192}

    def flood(number: int) -> int:
        server = servers[number % len(servers)]
        address = "203.0.113.7" if number % 2 else f"2001:db8:7:{number % 4096:x}::1"
        return begin(server, address, **large).status

    statuses = crowd(4000, flood, threads=32)
    grown = size() - before
    bench.figure(f"{name}_sign_ins", tally(statuses))
    bench.figure(f"{name}_sign_ins_MiB", grown / MIB)
    back = [callback(server, one, f"198.51.100.{number}") for number, (server, one) in enumerate(honest)]
    bench.state(*begun(name, statuses, grown, back))


def is_one_address(name: str, statuses: Sequence[int], allowed: int) -> Claim:
    return Claim(statuses.count(200) <= allowed * 2, f"{name}: one address is one in any spelling ({tally(statuses)})")


def counts_as_sixteen(name: str, statuses: Sequence[int], allowed: int, neighbour: int) -> list[Claim]:
    return [
        Claim(statuses.count(200) <= allowed * 16 * 2, f"{name}: a /48 counts as sixteen ({tally(statuses)})"),
        Claim(neighbour == 200, f"{name}: its neighbour is let in ({neighbour})")]


def addresses(bench: Bench, name: str, servers: Servers) -> None:
    """One client in three spellings, and one customer with many networks."""
    def challenges(address: Callable[[int], str]) -> list[int]:
        server = servers[0]
        return [server.call("POST", "/auth/challenge", headers=of(address(number))).status for number in range(300)]

    spellings = ["::ffff:203.0.113.9", "203.0.113.9", "64:ff9b::203.0.113.9"]
    allowed = CHALLENGES_A_MINUTE // len(servers)
    bench.state(is_one_address(name, challenges(lambda number: spellings[number % 3]), allowed))
    one = servers[0]
    seen = []
    deadline = time.monotonic() + 30
    with Client(one.port) as client:
        for number in range(3000):
            seen.append(client.call("POST", "/auth/challenge", headers=of(f"2001:db8:9:{number:x}::1")).status)
            if time.monotonic() > deadline:
                break
    bench.figure(f"{name}_of_one_48", tally(seen))
    other = one.call("POST", "/auth/challenge", headers=of("2001:db8:a::1")).status
    bench.state(*counts_as_sixteen(name, seen, allowed, other))


def made_key(server: Gatehouse, address: str) -> tuple[str | None, int]:
    made = server.call("POST", "/keyservice/v1/createkey", body={"secret": "right"}, headers=of(address))
    return made.json.get("keyid"), made.status


def unlock(server: Gatehouse, key: str | None, address: str) -> int:
    body = {"keyid": key, "secret": "right"}
    try:
        return server.call("POST", "/keyservice/v1/key", body=body, headers=of(address)).status
    except LOST:
        return 0


def takes_turns(name: str, served: Sequence[int], statuses: Sequence[int]) -> list[Claim]:
    """How those were answered who wanted other keys, and those who wanted the one."""
    return [
        Claim(served.count(200) == OTHERS,
              f"{name}: {served.count(200)} of {OTHERS} others are answered 200 ({tally(served)})"),
        Claim(200 in statuses and set(statuses) <= {200, 503, 0},
              f"{name}: the one key has its turns ({tally(statuses)})")]


def one_key(bench: Bench, name: str, servers: Servers) -> None:
    """300 connections with one key and its right password, again and again, and others who want theirs."""
    server = servers[0]
    popular, _ = made_key(server, "192.0.2.20")
    others = [made_key(server, f"192.0.2.{30 + number}")[0] for number in range(OTHERS)]
    over = threading.Event()
    answers: list[int] = []

    def ask() -> None:
        while not over.is_set():
            answers.append(unlock(server, popular, "192.0.2.20"))

    threads = [threading.Thread(target=ask) for _ in range(CROWD)]
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
    bench.state(*takes_turns(name, served, answers))


def makes_a_day(name: str, made: Sequence[int], other: int) -> list[Claim]:
    return [
        Claim(made.count(200) == KEYS_A_DAY and set(made) == {200, 429},
              f"{name}: an address makes {KEYS_A_DAY} a day over all instances ({tally(made)})"),
        Claim(other == 200, f"{name}: others make theirs ({other})")]


def many_keys(bench: Bench, name: str, servers: Servers) -> None:
    """Keys without end, at all instances."""
    made = crowd(3 * KEYS_A_DAY, lambda number: made_key(servers[number % len(servers)], "192.0.2.99")[1], threads=8)
    bench.figure(f"{name}_keys", tally(made))
    bench.state(*makes_a_day(name, made, made_key(servers[0], "192.0.2.100")[1]))


def gets_a_mail(name: str, is_sent: bool) -> Claim:
    return Claim(is_sent, f"{name}: somebody else gets a mail")


def are_three(name: str, count: int, statuses: Sequence[int]) -> Claim:
    return Claim(count == 3, f"{name}: {count} mails go to one person for 59 sign-ups ({tally(statuses)})")


def sign_ups(bench: Bench, name: str, carriers: Carriers, servers: Servers) -> None:
    """59 sign-ups with one address, under as many names."""
    def sign_up(number: int) -> int:
        address = [f"jane@{name}.example", f"JANE@{name}.Example", f"jane+{number}@{name}.example"][number % 3]
        return servers[number % len(servers)].call(
            "POST", "/users/signup", body={"username": f"{name}{number}", "email": address},
            headers=of(f"198.51.100.{number}")).status

    def mails(recipient: str) -> int:
        found = json.loads(carriers.call("GET", "/control/mails", issuer="beyond").body)["mails"]
        return sum(recipient in json.dumps(mail).lower() for mail in found)

    seen = crowd(59, sign_up, threads=8)
    honest = f"other@{name}-honest.example"
    servers[0].call("POST", "/users/signup", body={"username": f"{name}-other", "email": honest},
                    headers=of("198.51.100.99"))
    bench.state(gets_a_mail(name, eventually(lambda: mails(honest) > 0, 30)))
    # What was ordered before has been looked at by then, or is within moments.
    time.sleep(2)
    count = mails(f"@{name}.example")
    bench.figure(f"{name}_mails", count)
    bench.state(are_three(name, count, seen))


def is_asked_for(name: str, asked: int, statuses: Sequence[int], other: Answer) -> list[Claim]:
    return [
        Claim(asked <= 10 and statuses.count(200) == 10 and set(statuses) == {200, 429},
              f"{name}: the provider is asked ten times ({asked}, {tally(statuses)})"),
        Claim(other.status == 200, f"{name}: another user's profile is asked for ({other})")]


def profile(bench: Bench, name: str, carriers: Carriers, servers: Servers) -> None:
    """One user has the provider asked again and again."""
    tokens = [by_browser(servers[0], f"{name}{number}") for number in range(2)]
    before = carriers.requests("userinfo")
    seen = crowd(CROWD, lambda number: servers[number % len(servers)].call(
        "POST", "/users/me/refresh-profile", body={}, bearer=tokens[0]).status, threads=8)
    asked = carriers.requests("userinfo") - before
    bench.figure(f"{name}_profiles", tally(seen))
    other = servers[0].call("POST", "/users/me/refresh-profile", body={}, bearer=tokens[1])
    bench.state(*is_asked_for(name, asked, seen, other))


def encoded(value: object) -> str:
    return jose.encoded(json.dumps(value).encode())


def is_refused(name: str, told: Answer) -> Claim:
    return Claim(told.status == 400, f"{name}: a made-up key name is refused ({told})")


def fetch_the_key(name: str, statuses: Sequence[int]) -> Claim:
    return Claim(set(statuses) == {200}, f"{name}: real sign-ins fetch the rotated key at once ({tally(statuses)})")


def made_up_kids(bench: Bench, name: str, carriers: Carriers, servers: Servers) -> None:
    """Logout tokens that name keys which nobody has, and then a provider that rotates its keys."""
    for server in servers:
        server.sign_in(f"{name}-before", "plain")
        for number in range(6):
            header = {"typ": "logout+jwt", "alg": "RS256", "kid": f"made-up-{number}"}
            claims: JSONObject = {
                "iss": carriers.urls["plain"], "aud": "gatehouse-demo", "iat": int(time.time()),
                "jti": secrets.token_hex(8), "exp": int(time.time()) + 60, "sid": "x",
                "events": {"http://schemas.openid.net/event/backchannel-logout": {}}}
            token = f"{encoded(header)}.{encoded(claims)}.{jose.encoded(bytes(256))}"
            refused = server.call("POST", "/auth/plain/backchannel-logout", form={"logout_token": token})
            bench.state(is_refused(name, refused))
    carriers.call("POST", "/control/rotate-keys?issuer=plain")
    bench.state(fetch_the_key(name, [server.sign_in(f"{name}-after", "plain").status for server in servers]))


def self_test() -> None:
    shows([may_begin("file", [303])], ("may begin", [may_begin("file", [303, 503])]))
    shows([is_too_large("file", {"error": ["invalid_request"]})], ("too large", [is_too_large("file", {})]))
    most = PENDING_BYTES + OVERHEAD
    shows(begun("file", [303, 503], most, [303]), ("strangers", begun("file", [303, 500], most, [303])),
          ("in the store", begun("file", [303], most + 1, [303])),
          ("gives way", begun("file", [303], most, [303, "429 "])))
    shows([is_one_address("file", [200, 200, 429], 1)], ("spelling", [is_one_address("file", [200] * 3, 1)]))
    shows(counts_as_sixteen("file", [200] * 32, 1, 200), ("sixteen", counts_as_sixteen("file", [200] * 33, 1, 200)),
          ("neighbour", counts_as_sixteen("file", [200], 1, 429)))
    shows(takes_turns("file", [200] * OTHERS, [200, 503, 0]),
          ("others", takes_turns("file", [200] * (OTHERS - 1) + [503], [200])),
          ("its turns", takes_turns("file", [200] * OTHERS, [503])),
          ("its turns", takes_turns("file", [200] * OTHERS, [200, 500])))
    made = [200] * KEYS_A_DAY
    shows(makes_a_day("file", [*made, 429], 200), ("a day", makes_a_day("file", [*made, 200, 429], 200)),
          ("a day", makes_a_day("file", [*made, 503], 200)), ("others make", makes_a_day("file", [*made, 429], 429)))
    shows([gets_a_mail("file", True)], ("gets a mail", [gets_a_mail("file", False)]))
    shows([are_three("file", 3, [202])], ("one person", [are_three("file", 4, [202])]),
          ("one person", [are_three("file", 2, [202])]))
    good = [*[200] * 10, 429]
    shows(is_asked_for("file", 10, good, answer(200)), ("ten times", is_asked_for("file", 11, good, answer(200))),
          ("ten times", is_asked_for("file", 10, [*good, 200], answer(200))),
          ("ten times", is_asked_for("file", 10, [*good, 503], answer(200))),
          ("another user", is_asked_for("file", 10, good, answer(429))))
    shows([is_refused("file", answer(400))], ("made-up", [is_refused("file", answer(200))]))
    shows([fetch_the_key("file", [200])], ("at once", [fetch_the_key("file", [200, 502])]))
