"""What a sign-in costs, by part, for Documentation/Scaling.md. For a machine that does nothing else."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

import load
import moving
from bench import MIB, Bench
from claims import Claim, shows
from gatehouse import Gatehouse
from postgres import NotInstalled as NoDatabase
from postgres import Postgres, postgres, storage
from ready_made import PEOPLE, NotInstalled, ReadyMade, programs
from testbed.ports import free_port
from testbed.process import Process

# Which of `PARTS`; all where it is empty.
WANTED = os.environ.get("DRILL_COST", "").split()
ROUNDS = int(os.environ.get("DRILL_COST_ROUNDS", "3"))
CROWDS = [64, 256, 1024]
LONGEST = 5400
# Added to the way to the database and back, in milliseconds.
WAY = 5
COUNTED = 500
SESSIONS = 2000
WARM_UP = 15


# What gives servers for as long as they are measured.
Arrangement = Callable[[], AbstractContextManager[Sequence[Gatehouse]]]


def run(bench: Bench) -> None:
    try:
        programs("wrk", "nginx", "openssl")
        for name in WANTED or PARTS:
            PARTS[name](bench)
    except (NotInstalled, NoDatabase) as error:
        bench.skip(str(error))


@contextlib.contextmanager
def provider(bench: Bench, name: str, population: int = 0, people: int = PEOPLE) -> Iterator[ReadyMade]:
    provider = ReadyMade(os.path.join(bench.folder, name), population, people)
    try:
        yield provider
    finally:
        provider.stop()


@contextlib.contextmanager
def relay(bench: Bench, database: Postgres, name: str) -> Iterator[str]:
    """The address of a database that is some milliseconds away."""
    port = free_port()
    # Half of it each way.
    process = Process(
        [sys.executable, "-B", f"{bench.root}/Drills/relay.py", str(port), f"{database.folder}/.s.PGSQL.5432",
         str(WAY / 2)],
        os.path.join(bench.folder, f"{name}.log"))
    try:
        yield f"postgres://gatehouse@127.0.0.1:{port}/postgres"
    finally:
        process.kill()


def compare(bench: Bench, arrangements: Mapping[str, Arrangement], crowds: Sequence[int]) -> None:
    """Measures each arrangement in turns, and tells the medians."""
    costs: dict[tuple[str, int], list[load.Cost]] = {}
    for _ in range(ROUNDS):
        for name, arrangement in arrangements.items():
            with arrangement() as servers:
                # So that everybody who signs in is known afterwards, with all that the provider says of them.
                first = load.sign_in(bench, servers, 64, seconds=WARM_UP)
                bench.note(f"{name}, at first: {first}")
                for crowd in crowds:
                    costs.setdefault((name, crowd), []).append(load.sign_in(bench, servers, crowd))
    for (name, crowd), some in costs.items():
        median = load.Cost.median_of(some)
        bench.note(f"{name}, {crowd} connections: {median}")
        bench.figure(f"{name.replace(' ', '_')}_{crowd}_us", median.own)


def connections(bench: Bench) -> None:
    """In a file, in PostgreSQL, in one that is some milliseconds away, and with two instances; and what the machine
    makes of the same work while a database that is none of ours is busy beside it."""
    with provider(bench, "provider") as carrier, postgres(bench) as database:
        @contextlib.contextmanager
        def servers(count: int = 1, at: str | None = None) -> Iterator[list[Gatehouse]]:
            settings = carrier.settings()
            if at:
                settings |= {
                    **storage(bench, database), "GATEHOUSE_STORAGE_URL": at, "GATEHOUSE_INSTANCES": str(count)}
            with contextlib.ExitStack() as stack:
                number = len(os.listdir(bench.folder))
                yield [stack.enter_context(bench.server(
                    carrier, f"server{number}-{one}", settings=settings)) for one in range(count)]

        @contextlib.contextmanager
        def away() -> Iterator[list[Gatehouse]]:
            with relay(bench, database, "relay") as address, servers(at=address) as some:
                yield some

        @contextlib.contextmanager
        def beside() -> Iterator[list[Gatehouse]]:
            with busy(bench, database), servers() as some:
                yield some

        here = storage(bench, database)["GATEHOUSE_STORAGE_URL"]
        compare(bench, {
            "file": servers, "postgres": lambda: servers(at=here), f"{WAY} ms away": away,
            "two instances": lambda: servers(2, here), "file beside a busy database": beside}, CROWDS)


@contextlib.contextmanager
def busy(bench: Bench, database: Postgres) -> Iterator[None]:
    """Has PostgreSQL do as much for others as for us: eight at once insert rows and update them, each a commit."""
    script = os.path.join(database.folder, "others.sql")
    with open(script, "w", encoding="ascii") as file:
        file.write("\\set a random(1, 200000)\n"
                   "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) "
                   "VALUES (1, 1, :a, 1, CURRENT_TIMESTAMP);\n"
                   "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :a;\n")
    os.chmod(script, 0o644)
    login = ["--host", database.folder, "--username=gatehouse"]
    database.ask("DROP SCHEMA IF EXISTS others CASCADE")
    database.tool("pgbench", *login, "--initialize", "--quiet", "--scale=2", "postgres")
    process = Process(database.command(
        "pgbench", *login, "--no-vacuum", "--client=8", "--time=3600", f"--file={script}", "postgres"),
        os.path.join(bench.folder, "others.log"))
    try:
        yield
    finally:
        process.stop()


def parts(bench: Bench) -> None:
    """How often a sign-in of somebody known goes to the database, with what, and what stays of it there."""
    database = Postgres(bench, "counted", {"shared_preload_libraries": "pg_stat_statements"})
    with provider(bench, "counted-provider") as carrier:
        try:
            database.make()
            database.start()
            database.await_ready()
            database.ask("CREATE EXTENSION pg_stat_statements")
            settings = {**carrier.settings(), **storage(bench, database)}
            with bench.server(carrier, "counted-server", settings=settings) as server:
                count(bench, database, server)
                go_on(bench, server)
        finally:
            database.remove()


def count(bench: Bench, database: Postgres, server: Gatehouse) -> None:
    load.sign_in(bench, [server], 64, seconds=5)
    database.ask("VACUUM ANALYZE")
    number = iter(range(1 << 30))

    def sign_in() -> None:
        answer = server.call("POST", "/auth/signin", body=moving.code(f"counted{next(number)}"))
        if answer.status != 200:
            raise RuntimeError(f"a sign-in is answered {answer}")

    before = database.ask("SELECT pg_current_wal_lsn()")
    rows = int(database.ask("SELECT count(*) FROM sessions"))
    database.ask("SELECT pg_stat_statements_reset()")
    for _ in range(COUNTED):
        sign_in()
    statements = database.ask(
        f"SELECT calls || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 60) FROM pg_stat_statements "
        f"WHERE calls >= {COUNTED} ORDER BY calls DESC")
    for line in statements.splitlines():
        bench.note(f"of {COUNTED} sign-ins: {line}")
    bench.figure("round_trips", sum(int(line.split()[0]) for line in statements.splitlines()) / COUNTED)
    bench.figure("log_bytes", int(database.ask(f"SELECT pg_current_wal_lsn() - '{before}'::pg_lsn")) / COUNTED)
    bench.state(opens_a_session(int(database.ask("SELECT count(*) FROM sessions")) - rows))
    database.ask("VACUUM")
    for table in ("users", "identities", "sessions", "audit", "code_uses"):
        size = int(database.ask(
            f"SELECT coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size('{table}')) "
            f"FROM pg_partition_tree('{table}')"))
        rows = int(database.ask(f"SELECT count(*) FROM {table}"))
        bench.figure(f"{table}_bytes", size / max(1, rows))


def opens_a_session(sessions: int) -> Claim:
    return Claim(sessions == COUNTED, "each opens a session")


def go_on(bench: Bench, server: Gatehouse) -> None:
    """What those cost who have signed in: a look-up of who somebody is, and a refresh."""
    path = os.path.join(bench.folder, "tokens")
    with open(path, "w", encoding="ascii") as file:
        for number in range(SESSIONS):
            answer = server.call("POST", "/auth/signin", body=moving.code(f"session{number}")).json
            file.write(f"{answer['token']} {answer['refresh_token']}\n")
    for what in ("look-up", "refresh"):
        costs = [load.run(bench, [server], 64, load.SECONDS, "tokens.lua", {"TOKENS": path, "WHAT": what})
                 for _ in range(1 if what == "refresh" else ROUNDS)]
        median = load.Cost.median_of(costs)
        bench.note(f"{what}, 64 connections: {median}")
        bench.figure(f"{what}_us", median.own)


def million(bench: Bench) -> None:
    """As many users as most services never have: what a sign-in costs then, and what it takes to move them."""
    with provider(bench, "million-provider", moving.USERS) as carrier, postgres(bench) as database:
        settings = {**carrier.settings(), **storage(bench, database),
                    "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400"}
        file = moving.fill(bench, carrier, settings)
        bench.figure("file_MiB", os.path.getsize(file.database) / MIB)
        moving.copy(bench, carrier, file, settings, f"file:{file.database}", settings["GATEHOUSE_STORAGE_URL"], "in")
        bench.figure("postgres_MiB", int(database.ask("SELECT pg_database_size('postgres')")) / MIB)
        back = os.path.join(bench.folder, "back.db")
        moving.copy(bench, carrier, file, settings, settings["GATEHOUSE_STORAGE_URL"], f"file:{back}", "back")

        def at(url: str) -> Arrangement:
            return lambda: moving.server(bench, carrier, {**settings, "GATEHOUSE_STORAGE_URL": url})

        database.ask("VACUUM ANALYZE")
        compare(bench, {"million in a file": at(f"file:{back}"),
                        "million in postgres": at(settings["GATEHOUSE_STORAGE_URL"])}, CROWDS[:2])


PARTS = {"connections": connections, "parts": parts, "million": million}


def self_test() -> None:
    shows([opens_a_session(COUNTED)], ("opens a session", [opens_a_session(COUNTED - 1)]),
          ("opens a session", [opens_a_session(COUNTED + 1)]))
