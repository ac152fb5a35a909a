"""One user who signs in 64 times at once, whose row is held, a store that is locked or away: nobody else waits for
it."""

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import outages
from bench import Bench, eventually
from claims import Claim, shows
from closed_loop import Answers, ClosedLoop, Crowd, NoCompiler, Record
from gatehouse import Gatehouse
from locked_file import locked_file
from postgres import NotInstalled as NoDatabase
from postgres import Postgres, postgres, storage
from readiness import Look, Readiness
from ready_made import NotInstalled, ReadyMade
from testbed.carriers import Carriers
from testbed.client import FORM, LOST, JSONObject

LONGEST = 600
ROUNDS = int(os.environ.get("DRILL_HOT_ROUNDS", "3"))
# How long each is measured, and how many others sign in meanwhile, who pause so that there is time to spare.
SECONDS = 5
OTHERS, PAUSE = 8, 0.02
HOT, HOT_PAUSE = 64, 0.05
# Of a request's budget, besides the default.
BUDGET, DEFAULT_BUDGET = 2, 5
# An answer may be this much later than its budget.
SLACK = 0.1
# How much of the quiet p99 the others' may be, and what it may be where that is next to nothing: so many sign-ins at
# once are more than ten milliseconds' work of two processors, no matter whose.
SHARE, LEAST_BOUND = 2, 0.02
LONG_HOLD = 15
# Who signs in so often has as many sessions as one may have, so the oldest goes each time.
SETTINGS = {
    "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "50", "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "25",
    "GATEHOUSE_PROVIDERS": "ready,hot,zenkey", "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400",
    "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400",
    "GATEHOUSE_PROVIDER_ZENKEY_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0",
    "GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": "0",
    "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0"}
# What many ask at once that is one session's: the request, how many ask, and how they may be answered.
SESSION_REQUESTS = {
    "refresh": (("POST", "/auth/token", FORM), HOT, (200, 503)),
    "end-all": (("DELETE", "/users/me/sessions", ""), OTHERS, (200, 204, 401, 503)),
    "erase": (("DELETE", "/users/me", ""), OTHERS, (200, 204, 401, 503))}


@dataclass(frozen=True)
class Judged:
    """What the hot user and the others were answered in a situation."""

    # Of the store and the situation.
    name: str
    budget: float
    hot: Answers
    others: Answers
    # How the hot user may be answered.
    expected: tuple[int, ...] = (200, 503)

    def claims(self) -> list[Claim]:
        hot, others = self.hot, self.others
        return [
            Claim(len(others) > 0 and not others.untold() and len(others.of(200)) == len(others),
                  f"{self.name}: others are signed in ({others.tally()})"),
            Claim(hot.longest <= self.budget + SLACK,
                  f"{self.name}: every answer comes within its budget of {self.budget} s ({hot.longest:.2f} s)"),
            Claim(len(hot) > 0 and len(hot.of(*self.expected)) == len(hot) and not hot.untold(),
                  f"{self.name}: every answer is one of {self.expected}, refusals with Retry-After ({hot.tally()}, "
                  f"{hot.untold()} without)")]


def comes_back(name: str, is_well: bool) -> Claim:
    return Claim(is_well, f"{name}: the hot user signs in when the row is free")


def is_no_slower(name: str, p99: float, quiet: float) -> Claim:
    return Claim(
        p99 <= max(SHARE * quiet, LEAST_BOUND),
        f"{name}: others' p99 of {p99 * 1000:.1f} ms is at most {SHARE} times the quiet one of {quiet * 1000:.1f} ms, "
        f"or {LEAST_BOUND * 1000:.0f} ms")


def is_ready(name: str, looks: Sequence[Look]) -> Claim:
    return Claim(all(look.status == 200 for look in looks), f"{name}: it is ready all the time")


def run(bench: Bench) -> None:
    try:
        crowds = ClosedLoop(bench)
        with contextlib.ExitStack() as stack:
            ready = ReadyMade(os.path.join(bench.folder, "ready"), 0)
            stack.callback(ready.stop)
            hot = ReadyMade(os.path.join(bench.folder, "hot"), 0, 1, "hot", "hot")
            stack.callback(hot.stop)
            carriers = stack.enter_context(bench.carriers())
            settings = {**ready.settings(), **hot.section(), **SETTINGS}
            with bench.server(carriers, "file", settings=settings) as server:
                row = HotRow(bench, crowds, server, "file")
                row.compare({"hot": None})
                row.of_session()
            in_postgres(bench, crowds, carriers, settings)
            locked_file(bench, carriers)
    except (NotInstalled, NoDatabase, NoCompiler) as error:
        bench.skip(str(error))


def in_postgres(bench: Bench, crowds: ClosedLoop, carriers: Carriers, settings: Mapping[str, str]) -> None:
    with postgres(bench) as database:
        settings = {**settings, **storage(bench, database)}
        with_budget = {**settings, "GATEHOUSE_STORAGE_REQUEST_SECONDS": str(BUDGET)}
        with bench.server(carriers, "postgres", settings=with_budget) as server:
            row = HotRow(bench, crowds, server, "postgres", database, BUDGET)
            row.compare({"hot": None, "held": lambda: row.hold(database)})
            row.of_session()
            outages.away(row, database)
        with bench.server(carriers, "default", settings=settings) as server:
            HotRow(bench, crowds, server, "default", database, DEFAULT_BUDGET).hold_long(database)


class HotRow:
    """One user whom everybody wants, and the others."""

    def __init__(self, bench: Bench, crowds: ClosedLoop, server: Gatehouse, name: str,
                 database: Postgres | None = None, budget: float = DEFAULT_BUDGET) -> None:
        self.bench, self.crowds, self.server, self.name = bench, crowds, server, name
        self.database, self.budget = database, budget
        self.user: int = self.sign_in()["user"]["user_id"]
        crowds.sign_in(server.port, OTHERS, 2).answers()

    def sign_in(self) -> JSONObject:
        """The hot user's session; raises where there is none."""
        answer = self.server.call("POST", "/auth/signin", body={
            "client_id": "hot", "code": f"one{time.monotonic_ns()}", "redirect_uri": "https://app.example/cb",
            "code_verifier": "v" * 43})
        if answer.status != 200:
            raise RuntimeError(f"the hot user is answered {answer}")
        return answer.json

    def hold(self, database: Postgres, user: int | None = None) -> AbstractContextManager[None]:
        """Meanwhile everything of a user's, the hot one's, is locked by somebody else's transaction."""
        return database.holding(*(
            f"SELECT 1 FROM {table} WHERE {column} = {user or self.user} FOR UPDATE"
            for table, column in (("users", "id"), ("identities", "user_id"), ("sessions", "user_id"))))

    def others(self, seconds: float = SECONDS) -> Crowd:
        return self.crowds.sign_in(self.server.port, OTHERS, seconds, pause=PAUSE)

    def compare(self, situations: Mapping[str, Callable[[], AbstractContextManager[None]] | None]) -> None:
        """Measures the others while it is quiet and in each situation in turn, several times, and compares medians."""
        seen: dict[str, list[Answers]] = {"quiet": [], "spread": []}
        hot_seen: dict[str, list[Answers]] = {}
        for _ in range(ROUNDS):
            seen["quiet"].append(self.others().answers())
            # As many sign-ins at once, each of somebody else: what they cost the others by being so many.
            beside = self.crowds.sign_in(self.server.port, HOT, SECONDS, pause=HOT_PAUSE)
            seen["spread"].append(self.others().answers())
            beside.answers()
            for name, holds in situations.items():
                with holds() if holds else contextlib.nullcontext(), Readiness(self.server) as readiness:
                    hot = self.crowds.sign_in(self.server.port, HOT, SECONDS, "hot", pause=HOT_PAUSE)
                    seen.setdefault(name, []).append(self.others().answers())
                    hot_seen.setdefault(name, []).append(hot.answers())
                self.judge(name, hot_seen[name][-1], seen[name][-1], is_held=bool(holds))
                self.bench.state(is_ready(f"{self.name}, {name}", readiness.seen))
        quiet = self.report("quiet", seen.pop("quiet"))
        self.report("spread", seen.pop("spread"))
        for name, answers in seen.items():
            self.report(f"{name}_user", hot_seen[name])
            self.bench.state(is_no_slower(f"{self.name}, {name}", self.report(name, answers), quiet))

    def report(self, name: str, rounds: Sequence[Answers]) -> float:
        """Tells the medians of some rounds; that of p99."""
        p50, p99 = (statistics.median(answers.quantile(share) for answers in rounds) for share in (0.5, 0.99))
        longest = max(answers.longest for answers in rounds)
        self.bench.figure(f"{self.name}_{name}_ms", f"{p50 * 1000:.1f}/{p99 * 1000:.1f}/{longest * 1000:.0f}")
        self.bench.note(f"{self.name}, {name}: p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, "
                        f"longest {longest * 1000:.0f} ms, {rounds[-1].tally()} in the last round")
        return p99

    def judge(self, name: str, hot: Answers, others: Answers, is_held: bool,
              expected: tuple[int, ...] = (200, 503)) -> None:
        """What holds of every answer, to the hot user and to the others."""
        self.bench.state(*Judged(f"{self.name}, {name}", self.budget, hot, others, expected).claims())
        if is_held:
            self.bench.state(comes_back(f"{self.name}, {name}", eventually(self.is_well, 2)))

    def is_well(self) -> bool:
        try:
            self.sign_in()
        except (RuntimeError, *LOST):
            return False
        return True

    def hold_long(self, database: Postgres) -> None:
        """As long as several budgets, with the budget that there is by default."""
        quiet = self.others().answers().quantile(0.99)
        with self.hold(database), Readiness(self.server) as readiness:
            crowd = self.crowds.sign_in(self.server.port, HOT, LONG_HOLD - self.budget, "hot", pause=HOT_PAUSE)
            others = self.others(LONG_HOLD - self.budget).answers()
            hot = crowd.answers()
        self.judge("long", hot, others, is_held=True)
        self.bench.state(is_ready(f"{self.name}, long", readiness.seen),
                         is_no_slower(f"{self.name}, long", self.report("long", [others]), quiet))
        self.report("long_user", [hot])

    def of_session(self) -> None:
        """Refreshes of one session, signing out everywhere and an erasure, many at once, free, and held where that can
        be."""
        quiet = self.others().answers().quantile(0.99)
        for held in (None, self.database) if self.database else (None,):
            for name, (request, clients, expected) in SESSION_REQUESTS.items():
                session = self.server.sign_in(f"session{len(self.bench.figures)}").json
                body = f"grant_type=refresh_token&refresh_token={session['refresh_token']}" if name == "refresh" else ""
                bearer = "" if name == "refresh" else session["token"]
                name += "-held" if held else ""
                with self.hold(held, session["user"]["user_id"]) if held else contextlib.nullcontext():
                    crowd = self.crowds.start(
                        self.server.port, clients, SECONDS, request, body, pause=HOT_PAUSE, bearer=bearer)
                    others, hot = self.others().answers(), crowd.answers()
                self.judge(name, hot, others, held is not None, expected)
                self.report(f"{name}_user", [hot])
                self.bench.state(is_no_slower(f"{self.name}, {name}", self.report(name, [others]), quiet))


def self_test() -> None:
    hot, other, refused = Record(1, BUDGET + SLACK, 503, 1), Record(1, 0.01, 200, None), Record(1, 0.01, 503, 1)
    good = Judged("file, hot", BUDGET, Answers([hot]), Answers([other]))

    def bad_hot(*records: Record) -> list[Claim]:
        return replace(good, hot=Answers(records)).claims()

    shows(good.claims(), ("others are signed in", replace(good, others=Answers([])).claims()),
          ("others are signed in", replace(good, others=Answers([other, refused])).claims()),
          ("within its budget", bad_hot(hot._replace(took=BUDGET + SLACK + 0.01))), ("is one of", bad_hot()),
          ("is one of", bad_hot(hot, hot._replace(status=500))), ("1 without", bad_hot(hot._replace(retry=None))))
    shows([comes_back("file, held", True)], ("is free", [comes_back("file, held", False)]))
    shows([is_no_slower("file, hot", 0.2, 0.1), is_no_slower("file, hot", LEAST_BOUND, 0.001)],
          ("at most", [is_no_slower("file, hot", 0.201, 0.1)]),
          ("at most", [is_no_slower("file, hot", LEAST_BOUND + 0.001, 0.001)]))
    shows([is_ready("file, hot", [Look(1, 0.1, 200)])],
          ("all the time", [is_ready("file, hot", [Look(1, 0.1, 200), Look(1.1, 5, None)])]))
