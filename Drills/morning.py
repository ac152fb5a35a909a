"""The highest rate for half an hour, of people who lie spread over a million users: what the database's log takes of
it, whether dead rows grow, and whether what is over goes as fast as it comes."""

import os
import threading
import time
from collections.abc import Sequence

import load
import moving
from bench import MIB, Bench
from claims import Claim, shows
from cost import provider
from gatehouse import Gatehouse
from postgres import NotInstalled as NoDatabase
from postgres import Postgres, postgres, storage
from ready_made import NotInstalled, programs

SECONDS = int(os.environ.get("DRILL_MORNING_SECONDS", "1800"))
# Who sign in, at equal distances among all users; a power of sixteen.
PEOPLE = int(os.environ.get("DRILL_MORNING_PEOPLE", "65536"))
LONGEST = SECONDS + 1800
CONNECTIONS = 128
# Between two looks at the tables.
PAUSE = 30
TABLES = "'users', 'identities', 'sessions', 'not_before', 'used_codes'"
# All that a code's use is remembered in goes by one name.
DEAD = f"""
    SELECT CASE WHEN relname LIKE 'code_uses%' THEN 'code_uses' ELSE relname END || ' ' || sum(n_dead_tup) || ' '
        || sum(pg_total_relation_size(relid))
    FROM pg_stat_user_tables WHERE relname IN ({TABLES}) OR relname LIKE 'code_uses%' GROUP BY
        CASE WHEN relname LIKE 'code_uses%' THEN 'code_uses' ELSE relname END"""
LOG = "SELECT wal_bytes || ' ' || wal_fpi FROM pg_stat_wal"
# A code's use is remembered for twenty minutes, and what is over for some more goes as a whole by the half-hour.
OVER = "SELECT count(*) FROM {} WHERE expires < extract(epoch FROM now()) - 5400"


def run(bench: Bench) -> None:
    try:
        programs("wrk", "nginx", "openssl")
        with provider(bench, "morning-provider", moving.USERS, PEOPLE) as carrier, postgres(bench) as database:
            settings = {**carrier.settings(), **storage(bench, database)}
            file = moving.fill(bench, carrier, settings)
            moving.command(bench, settings, "store", "copy", "--from", f"file:{file.database}", "--to",
                           settings["GATEHOUSE_STORAGE_URL"], url=settings["GATEHOUSE_STORAGE_URL"])
            os.remove(file.database)
            database.ask("VACUUM ANALYZE")
            with moving.server(bench, carrier, settings) as servers:
                Morning(bench, database, servers).live()
    except (NotInstalled, NoDatabase) as error:
        bench.skip(str(error))


class Morning:
    def __init__(self, bench: Bench, database: Postgres, servers: Sequence[Gatehouse]) -> None:
        self.bench, self.database, self.servers = bench, database, servers
        self.over = threading.Event()
        # By table, the dead rows at each look, and the bytes.
        self.dead: dict[str, list[int]] = {}
        self.sizes: dict[str, list[int]] = {}

    def live(self) -> None:
        watcher = threading.Thread(target=self.watch)
        first = load.sign_in(self.bench, self.servers, CONNECTIONS, seconds=20)
        self.bench.note(f"at first: {first}")
        self.after_a_checkpoint()
        before = self.log()
        watcher.start()
        try:
            cost = load.sign_in(self.bench, self.servers, CONNECTIONS, seconds=SECONDS)
        finally:
            self.over.set()
            watcher.join()
        signed_in = cost.a_second * SECONDS
        self.bench.note(f"{SECONDS} s: {cost}")
        self.bench.figure("sign_ins_a_second", cost.a_second)
        self.bench.figure("postgres_us", cost.database)
        after = self.log()
        self.bench.figure("log_bytes_a_sign_in", (after[0] - before[0]) / signed_in)
        self.bench.figure("page_images_a_sign_in", (after[1] - before[1]) / signed_in)
        self.judge()

    def log(self) -> list[int]:
        """The bytes that the log has taken, and the whole pages among them."""
        # The view is some hundred milliseconds behind.
        time.sleep(2)
        return [int(word) for word in self.database.ask(LOG).split()]

    def after_a_checkpoint(self) -> None:
        """What a sign-in takes of the log in the first seconds after a checkpoint, when each page goes into it
        whole."""
        self.database.ask("CHECKPOINT")
        for second in (1, 2, 3):
            before = self.database.ask("SELECT pg_current_wal_lsn()")
            cost = load.sign_in(self.bench, self.servers, CONNECTIONS, seconds=1)
            count = max(1, cost.a_second)
            size = int(self.database.ask(f"SELECT pg_current_wal_lsn() - '{before}'::pg_lsn"))
            self.bench.figure(f"log_bytes_in_second_{second}", size / count)

    def watch(self) -> None:
        while not self.over.wait(PAUSE):
            words = []
            for line in self.database.ask(DEAD).splitlines():
                name, dead, size = line.split()
                self.dead.setdefault(name, []).append(int(dead))
                self.sizes.setdefault(name, []).append(int(size))
                words.append(f"{name} {dead} dead, {int(size) / MIB:.0f} MiB")
            self.bench.note("; ".join(sorted(words)))

    def judge(self) -> None:
        for name, dead in sorted(self.dead.items()):
            half = len(dead) // 2
            self.bench.figure(f"{name}_most_dead", max(dead))
            self.bench.figure(f"{name}_MiB", self.sizes[name][-1] / MIB)
            if half > 4:
                self.bench.state(do_not_grow(name, max(dead[:half]), max(dead[half:])))
        table = "code_uses" if "code_uses" in self.dead else "used_codes"
        left = int(self.database.ask(OVER.format(table)))
        self.bench.state(has_gone(table, left))


def do_not_grow(name: str, before: int, after: int) -> Claim:
    """What must be true of the most dead rows in the first half of the time, and in the second."""
    return Claim(after <= 1.5 * before + 20_000, f"dead rows of {name} do not grow ({before}, then {after})")


def has_gone(table: str, left: int) -> Claim:
    return Claim(left == 0, f"what is long over has gone ({left} rows of {table} are left)")


def self_test() -> None:
    shows([do_not_grow("users", 10_000, 35_000)],
          ("dead rows of users", [do_not_grow("users", 10_000, 35_001)]))
    shows([has_gone("used_codes", 0)], ("(1 rows of", [has_gone("used_codes", 1)]))
