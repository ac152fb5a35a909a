"""The parent of a refresh token, which comes again and again as if its answer had been lost."""

from collections.abc import Sequence

from bench import Bench, crowd, tally
from claims import Claim, answer, shows
from gatehouse import Gatehouse
from lifetimes import Store
from testbed.client import Answer

REPEATS = 3000
# What one user has in an hour here, and the most rows that all of them may be told by.
BUDGET = 500
ROWS = 10
SETTINGS = {"GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": str(BUDGET)}


def repeats(bench: Bench, name: str, servers: Sequence[Gatehouse]) -> None:
    """Is answered so many times and no more, while what is good stays good, and another user waits for nobody."""
    parents = [servers[0].sign_in(f"{name}-repeats{number}", "plain").json["refresh_token"] for number in range(2)]
    successors = [servers[0].refresh(parent).json["refresh_token"] for parent in parents]
    seen = crowd(REPEATS, lambda number: servers[number % len(servers)].refresh(parents[0]).status, threads=8)
    bench.figure(f"{name}_repeats", tally(seen))
    bench.state(is_bounded(name, seen))
    bench.state(is_given_again(name, servers[-1].refresh(parents[1]), successors[1]))
    bench.state(is_good(name, servers[-1].refresh(successors[0])))


def is_bounded(name: str, seen: Sequence[int]) -> Claim:
    return Claim(seen.count(200) == BUDGET and set(seen) == {200, 429},
                 f"{name}: a user's lost answers are given again {BUDGET} times ({tally(seen)})")


def is_given_again(name: str, same: Answer, successor: str) -> Claim:
    return Claim(same.status == 200 and same.json["refresh_token"] == successor,
                 f"{name}: another user's lost answer is given again ({same})")


def is_good(name: str, good: Answer) -> Claim:
    return Claim(good.status == 200, f"{name}: the token that is good is good ({good})")


def told(bench: Bench, name: str, store: Store) -> None:
    """How many rows of the audit trail tell of it, with no server running."""
    rows = store.events("refresh_answer_repeated")
    bench.figure(f"{name}_repeat_rows", rows)
    bench.state(is_told(name, rows))


def is_told(name: str, rows: int) -> Claim:
    return Claim(0 < rows < ROWS, f"{name}: {rows} rows tell of {REPEATS} repeats")


def self_test() -> None:
    seen = [200] * BUDGET + [429]
    shows([is_bounded("file", seen)], ("given again", [is_bounded("file", [*seen, 200])]),
          ("given again", [is_bounded("file", [*seen, 401])]), ("given again", [is_bounded("file", seen[:-1])]))
    same, other = answer(200, refresh_token="a"), answer(200, refresh_token="b")
    shows([is_given_again("file", same, "a")], ("another user's", [is_given_again("file", other, "a")]),
          ("another user's", [is_given_again("file", answer(429, refresh_token="a"), "a")]))
    shows([is_good("file", answer(200))], ("is good", [is_good("file", answer(429))]))
    shows([is_told("file", 1), is_told("file", ROWS - 1)],
          ("0 rows", [is_told("file", 0)]), (f"{ROWS} rows", [is_told("file", ROWS)]))
