"""One user who signs in 64 times at once, whose row is held, a store that is locked or away: nobody else waits for it."""

import contextlib
import os
import statistics
import time

import outages
from bench import eventually
from closed_loop import FORM, ClosedLoop, NoCompiler
from locked_file import locked_file
from postgres import NotInstalled as NoDatabase
from postgres import postgres, storage
from readiness import Readiness
from ready_made import NotInstalled, ReadyMade
from testbed.client import LOST

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
# once are more than ten milliseconds' work of two processors, whoever's they are.
SHARE, LEAST_BOUND = 2, 0.02
LONG_HOLD = 15
# Who signs in so often has as many sessions as one may have, so the oldest goes each time.
SETTINGS = {
    "GATEHOUSE_SESSION_MAXIMUM_PER_USER": "50", "GATEHOUSE_SESSION_MAXIMUM_PER_APP": "25",
    "GATEHOUSE_PROVIDERS": "ready,hot,zenkey", "GATEHOUSE_SESSION_ACCESS_TOKEN_SECONDS": "86400", "GATEHOUSE_SESSION_SENSITIVE_MAX_AGE_SECONDS": "86400",
    "GATEHOUSE_PROVIDER_ZENKEY_TRANSACTION_IDENTITY_MINIMUM_AGE_HOURS": "0", "GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": "0",
    "GATEHOUSE_RATE_LIMIT_FAILED_REFRESHES_PER_MINUTE_PER_ADDRESS": "0"}
# What many ask at once that is one session's: the request, how many ask, and how they may be answered.
SESSION_REQUESTS = {
    "refresh": (("POST", "/auth/token", FORM), HOT, (200, 503)),
    "end-all": (("DELETE", "/users/me/sessions", ""), OTHERS, (200, 204, 401, 503)),
    "erase": (("DELETE", "/users/me", ""), OTHERS, (200, 204, 401, 503))}


def run(bench):
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


def in_postgres(bench, crowds, carriers, settings):
    with postgres(bench) as database:
        settings = {**settings, **storage(bench, database)}
        with bench.server(carriers, "postgres", settings={**settings, "GATEHOUSE_STORAGE_REQUEST_SECONDS": str(BUDGET)}) as server:
            row = HotRow(bench, crowds, server, "postgres", database, BUDGET)
            row.compare({"hot": None, "held": row.hold})
            row.of_session()
            outages.away(row)
        with bench.server(carriers, "default", settings=settings) as server:
            HotRow(bench, crowds, server, "default", database, DEFAULT_BUDGET).hold_long()


class HotRow:
    """One user whom everybody wants, and the others."""

    def __init__(self, bench, crowds, server, name, database=None, budget=DEFAULT_BUDGET):
        self.bench, self.crowds, self.server, self.name = bench, crowds, server, name
        self.database, self.budget = database, budget
        self.user = self.sign_in()["user"]["user_id"]
        crowds.sign_in(server.port, OTHERS, 2).answers()

    def sign_in(self):
        """The hot user's session; raises where there is none."""
        answer = self.server.call("POST", "/auth/signin", body={
            "client_id": "hot", "code": f"one{time.monotonic_ns()}", "redirect_uri": "https://app.example/cb", "code_verifier": "v" * 43})
        if answer.status != 200:
            raise RuntimeError(f"the hot user is answered {answer}")
        return answer.json

    def hold(self, user=None):
        """Meanwhile everything of a user's, the hot one's, is locked by somebody else's transaction."""
        return self.database.holding(*(
            f"SELECT 1 FROM {table} WHERE {column} = {user or self.user} FOR UPDATE"
            for table, column in (("users", "id"), ("identities", "user_id"), ("sessions", "user_id"))))

    def others(self, seconds=SECONDS):
        return self.crowds.sign_in(self.server.port, OTHERS, seconds, pause=PAUSE)

    def compare(self, situations):
        """Measures the others while it is quiet and in each situation in turn, again and again, and compares medians."""
        seen, hot_seen = {"quiet": [], "spread": []}, {}
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
                self.is_ready(name, readiness)
        quiet = self.report("quiet", seen.pop("quiet"))
        self.report("spread", seen.pop("spread"))
        for name, answers in seen.items():
            self.report(f"{name}_user", hot_seen[name])
            self.is_no_slower(name, self.report(name, answers), quiet)

    def report(self, name, rounds):
        """Tells the medians of some rounds; that of p99."""
        p50, p99 = (statistics.median(answers.quantile(share) for answers in rounds) for share in (0.5, 0.99))
        longest = max(answers.longest for answers in rounds)
        self.bench.figure(f"{self.name}_{name}_ms", f"{p50 * 1000:.1f}/{p99 * 1000:.1f}/{longest * 1000:.0f}")
        self.bench.note(f"{self.name}, {name}: p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, longest {longest * 1000:.0f} ms, "
                        f"{rounds[-1].tally()} in the last round")
        return p99

    def is_no_slower(self, name, p99, quiet):
        self.bench.claim(p99 <= max(SHARE * quiet, LEAST_BOUND), f"{self.name}, {name}: others' p99 of {p99 * 1000:.1f} ms is at most "
                         f"{SHARE} times the quiet one of {quiet * 1000:.1f} ms, or {LEAST_BOUND * 1000:.0f} ms")

    def is_ready(self, name, readiness):
        self.bench.claim(all(status == 200 for _, _, status in readiness.seen), f"{self.name}, {name}: it is ready all the time")

    def judge(self, name, hot, others, is_held, expected=(200, 503)):
        """What holds of every answer, to the hot user and to the others."""
        claim = self.bench.claim
        claim(len(others) and not others.untold() and len(others.of(200)) == len(others),
              f"{self.name}, {name}: others are signed in ({others.tally()})")
        claim(hot.longest <= self.budget + SLACK,
              f"{self.name}, {name}: every answer comes within its budget of {self.budget} s ({hot.longest:.2f} s)")
        claim(len(hot) and len(hot.of(*expected)) == len(hot) and not hot.untold(),
              f"{self.name}, {name}: every answer is one of {expected}, refusals with Retry-After ({hot.tally()}, "
              f"{hot.untold()} without)")
        if is_held:
            claim(eventually(self.is_well, 2), f"{self.name}, {name}: the hot user signs in when the row is free")

    def is_well(self):
        try:
            self.sign_in()
        except (RuntimeError, *LOST):
            return False
        return True

    def hold_long(self):
        """As long as several budgets, with the budget that there is by default."""
        quiet = self.others().answers().quantile(0.99)
        with self.hold(), Readiness(self.server) as readiness:
            hot = self.crowds.sign_in(self.server.port, HOT, LONG_HOLD - self.budget, "hot", pause=HOT_PAUSE)
            others = self.others(LONG_HOLD - self.budget).answers()
            hot = hot.answers()
        self.judge("long", hot, others, is_held=True)
        self.is_ready("long", readiness)
        self.is_no_slower("long", self.report("long", [others]), quiet)
        self.report("long_user", [hot])

    def of_session(self):
        """Refreshes of one session, signing out everywhere and an erasure, many at once, free, and held where that can be."""
        quiet = self.others().answers().quantile(0.99)
        for held in (False, True) if self.database else (False,):
            for name, (request, clients, expected) in SESSION_REQUESTS.items():
                session = self.server.sign_in(f"session{len(self.bench.figures)}").json
                body = f"grant_type=refresh_token&refresh_token={session['refresh_token']}" if name == "refresh" else ""
                bearer = "" if name == "refresh" else session["token"]
                name += "-held" if held else ""
                with self.hold(session["user"]["user_id"]) if held else contextlib.nullcontext():
                    hot = self.crowds.start(
                        self.server.port, clients, SECONDS, request, body, pause=HOT_PAUSE, bearer=bearer)
                    others, hot = self.others().answers(), hot.answers()
                self.judge(name, hot, others, held, expected)
                self.report(f"{name}_user", [hot])
                self.is_no_slower(name, self.report(name, [others]), quiet)
