"""Thousands of browsers sign in at once at a carrier that is slow, and strangers make up the states of others."""

import asyncio
import secrets
import socket
import threading
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench import MIB, Bench, tally
from claims import Claim, answer, shows
from testbed import pkce
from testbed.client import Answer

LATENCY_MS = 200
BROWSERS = 2000
# Requests with a state of a stranger's own making. They cost a look into the store each, and leave nothing behind.
STATES = 10_000_000
CONNECTIONS = 4
BATCH = 200
ISSUER = "https://sign-in.example"
APP = "https://app.example/cb"
SETTINGS = {
    "GATEHOUSE_APPS": "drill", "GATEHOUSE_APP_DRILL_CLIENT_ID": "drill", "GATEHOUSE_APP_DRILL_REDIRECT_URIS": APP,
    "GATEHOUSE_RATE_LIMIT_AUTHORIZATIONS_PER_MINUTE_PER_ADDRESS": "0"}
LONGEST = 1800


async def call(port: int, method: str, target: str, headers: str = "",
               body: str = "") -> tuple[int, dict[str, str], bytes]:
    """Status and header fields of one request on a connection of its own, and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        head = f"{method} {target} HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n{length}{headers}"
        writer.write(f"{head}\r\n{body}".encode())
        received, _, content = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    lines = received.decode().split("\r\n")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    return int(lines[0].split(" ")[1]), fields, content


def local(address: str) -> tuple[str, dict[str, str], int]:
    """Path and query of an address, the query's parameters, and the port, which is 0 where none is named."""
    parts = urllib.parse.urlsplit(address)
    return f"{parts.path}?{parts.query}", dict(urllib.parse.parse_qsl(parts.query)), parts.port or 0


async def sign_in(number: int, port: int) -> list[int | str]:
    """All that one browser and its app do. The statuses on the way."""
    verifier = pkce.new_verifier()
    request = {
        "client_id": "drill", "redirect_uri": APP, "response_type": "code", "state": "s", "scope": "openid email",
        **pkce.parameters(verifier), "provider": "zenkey", "mccmnc": "310410", "prompt": "none",
        "login_hint": f"browser{number}"}
    begun, fields, _ = await call(port, "GET", "/auth/authorize?" + urllib.parse.urlencode(request))
    if begun != 303:
        return [begun]
    cookie = fields["set-cookie"].split(";")[0]
    target, _, carrier = local(fields["location"])
    approved, fields, _ = await call(carrier, "GET", target)
    if approved not in (303, 302):
        return [begun, approved]
    target, _, _ = local(fields["location"])
    back, fields, _ = await call(port, "GET", target, f"Cookie: {cookie}\r\n")
    code = local(fields.get("location", ""))[1].get("code")
    if not code:
        return [begun, approved, back, fields.get("location", "")]
    form = urllib.parse.urlencode({
        "grant_type": "authorization_code", "code": code, "redirect_uri": APP, "client_id": "drill",
        "code_verifier": verifier})
    redeemed, _, _ = await call(
        port, "POST", "/auth/token", "Content-Type: application/x-www-form-urlencoded\r\n", form)
    return [begun, 303, back, redeemed]


async def crowd(port: int) -> list[list[int | str]]:
    return await asyncio.gather(*(sign_in(number, port) for number in range(BROWSERS)))


def make_up(port: int, count: int) -> int:
    """Sends states that nobody has given out, one after the other on one connection, and counts the answers."""
    connection = socket.create_connection(("127.0.0.1", port))
    answered = 0
    for start in range(0, count, BATCH):
        batch = min(BATCH, count - start)
        connection.sendall(b"".join(
            b"GET /auth/zenkey/callback?code=x&state=%s HTTP/1.1\r\nHost: drill\r\n\r\n"
            % secrets.token_urlsafe(32).encode() for _ in range(batch)))
        seen, tail = 0, b""
        while seen < batch:
            chunk = connection.recv(1 << 18)
            if not chunk:
                return answered + seen
            # The end of what came before may be the beginning of a status line.
            seen += (tail + chunk).count(b"HTTP/1.1 400 ") - tail.count(b"HTTP/1.1 400 ")
            tail = chunk[-12:]
        answered += batch
    connection.close()
    return answered


def sign_in_all(outcomes: Sequence[list[int | str]]) -> Claim:
    odd = [outcome for outcome in outcomes if outcome != [303, 303, 303, 200]]
    return Claim(not odd, f"all of {BROWSERS} browsers sign in ({tally(odd)})")


@dataclass(frozen=True)
class MadeUp:
    """What strangers have brought about with states of their own making."""

    sent: int
    refused: int
    # Bytes of memory, and of the store.
    grown: int
    written: int
    after: Answer

    def claims(self) -> list[Claim]:
        return [
            Claim(self.refused == self.sent, "every made-up state is refused"),
            Claim(self.grown < 8 * MIB, "made-up states leave nothing in memory"),
            # On a slow machine the server clears up meanwhile what the browsers have left.
            Claim(self.written < MIB, "made-up states leave nothing on disk"),
            Claim(self.after.status == 200, "a sign-in succeeds after them")]


def run(bench: Bench) -> None:
    callback = f"{ISSUER}/auth/zenkey/callback"
    with bench.carriers(latency=LATENCY_MS, redirect_uris=[callback]) as carriers, \
            bench.server(carriers, settings=SETTINGS) as server:
        before = server.resident()
        began = time.monotonic()
        outcomes = asyncio.run(crowd(server.port))
        bench.figure("browsers_s", time.monotonic() - began)
        bench.figure("browsers_MiB", (server.resident() - before) / MIB)
        bench.state(sign_in_all(outcomes))

        states = STATES
        make_up(server.port, 20_000)
        before, written, began = server.resident(), server.database_size(), time.monotonic()
        counts = [0] * CONNECTIONS

        def stranger(index: int) -> None:
            counts[index] = make_up(server.port, states // CONNECTIONS)

        threads = [threading.Thread(target=stranger, args=(index,)) for index in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        bench.figure("states", sum(counts))
        bench.figure("states_a_second", sum(counts) / took)
        bench.figure("states_MiB", (server.resident() - before) / MIB)
        bench.state(*MadeUp(
            states // CONNECTIONS * CONNECTIONS, sum(counts), server.resident() - before,
            server.database_size() - written, server.sign_in("after")).claims())


def self_test() -> None:
    whole: list[int | str] = [303, 303, 303, 200]
    shows([sign_in_all([whole, whole])], ("browsers sign in", [sign_in_all([whole, [303, 303, 303, ""]])]),
          ("[503]×1", [sign_in_all([whole, [503]])]))
    good = MadeUp(STATES, STATES, 8 * MIB - 1, MIB - 1, answer(200))
    shows(good.claims(), ("is refused", replace(good, refused=STATES - 1).claims()),
          ("nothing in memory", replace(good, grown=8 * MIB).claims()),
          ("nothing on disk", replace(good, written=MIB).claims()),
          ("a sign-in succeeds", replace(good, after=answer(500)).claims()))
