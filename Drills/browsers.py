"""Thousands of browsers sign in at once at a carrier that is slow, and strangers make up the states of others."""

import asyncio
import base64
import hashlib
import secrets
import socket
import threading
import time
import urllib.parse

from bench import MIB, tally

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


async def call(port, method, target, headers="", body=""):
    """Status and header fields of one request on a connection of its own, and its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        writer.write(f"{method} {target} HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n{length}{headers}\r\n{body}".encode())
        head, _, content = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    lines = head.decode().split("\r\n")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
    return int(lines[0].split(" ")[1]), fields, content


def local(address):
    """Path and query of an address, and the query's parameters."""
    parts = urllib.parse.urlsplit(address)
    return f"{parts.path}?{parts.query}", dict(urllib.parse.parse_qsl(parts.query)), parts


async def sign_in(number, server, carriers):
    """All that one browser and its app do. The statuses on the way."""
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    request = {
        "client_id": "drill", "redirect_uri": APP, "response_type": "code", "state": "s", "scope": "openid email",
        "code_challenge": challenge, "code_challenge_method": "S256", "provider": "zenkey", "mccmnc": "310410",
        "prompt": "none", "login_hint": f"browser{number}"}
    begun, fields, _ = await call(server.port, "GET", "/auth/authorize?" + urllib.parse.urlencode(request))
    if begun != 303:
        return [begun]
    cookie = fields["set-cookie"].split(";")[0]
    target, _, parts = local(fields["location"])
    approved, fields, _ = await call(parts.port, "GET", target)
    if approved != 303 and approved != 302:
        return [begun, approved]
    target, _, _ = local(fields["location"])
    back, fields, _ = await call(server.port, "GET", target, f"Cookie: {cookie}\r\n")
    code = local(fields.get("location", ""))[1].get("code")
    if not code:
        return [begun, approved, back, fields.get("location", "")]
    form = urllib.parse.urlencode({
        "grant_type": "authorization_code", "code": code, "redirect_uri": APP, "client_id": "drill",
        "code_verifier": verifier})
    redeemed, _, _ = await call(
        server.port, "POST", "/auth/token", "Content-Type: application/x-www-form-urlencoded\r\n", form)
    return [begun, 303, back, redeemed]


async def crowd(server, carriers):
    return await asyncio.gather(*(sign_in(number, server, carriers) for number in range(BROWSERS)))


def make_up(port, count):
    """Sends states that nobody has given out, one after the other on one connection, and counts the answers."""
    connection = socket.create_connection(("127.0.0.1", port))
    answered = 0
    for start in range(0, count, BATCH):
        batch = min(BATCH, count - start)
        connection.sendall(b"".join(
            f"GET /auth/zenkey/callback?code=x&state={secrets.token_urlsafe(32)} HTTP/1.1\r\nHost: drill\r\n\r\n".encode()
            for _ in range(batch)))
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


def run(bench):
    callback = f"{ISSUER}/auth/zenkey/callback"
    with bench.carriers(latency=LATENCY_MS, redirect_uris=[callback]) as carriers, \
            bench.server(carriers, settings=SETTINGS) as server:
        before = server.resident()
        began = time.monotonic()
        outcomes = asyncio.run(crowd(server, carriers))
        bench.figure("browsers_s", time.monotonic() - began)
        bench.figure("browsers_MiB", (server.resident() - before) / MIB)
        whole = [303, 303, 303, 200]
        odd = [outcome for outcome in outcomes if outcome != whole]
        bench.claim(not odd, f"all of {BROWSERS} browsers sign in ({tally(str(outcome) for outcome in odd)})")

        states = STATES
        make_up(server.port, 20_000)
        before, written, began = server.resident(), server.database_size(), time.monotonic()
        counts = [0] * CONNECTIONS

        def stranger(index):
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
        bench.claim(sum(counts) == states // CONNECTIONS * CONNECTIONS, "every made-up state is refused")
        bench.claim(server.resident() - before < 8 * MIB, "made-up states leave nothing in memory")
        # On a slow machine the server clears up meanwhile what the browsers have left.
        bench.claim(server.database_size() - written < MIB, "made-up states leave nothing on disk")
        bench.claim(server.sign_in("after").status == 200, "a sign-in succeeds after them")
