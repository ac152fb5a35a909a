"""The parent of a refresh token, which comes again and again as if its answer had been lost."""

from bench import crowd, tally

REPEATS = 3000
# What one user has in an hour here, and the most rows that all of them may be told by.
BUDGET = 500
ROWS = 10
SETTINGS = {"GATEHOUSE_RATE_LIMIT_REFRESH_REPEATS_PER_HOUR_PER_USER": str(BUDGET)}


def refresh(server, token):
    return server.call("POST", "/auth/token", form={"grant_type": "refresh_token", "refresh_token": token})


def repeats(bench, name, servers):
    """Is answered so many times and no more, while what is good stays good, and another user waits for nobody."""
    parents = [servers[0].sign_in(f"{name}-repeats{number}", "plain").json["refresh_token"] for number in range(2)]
    successors = [refresh(servers[0], parent).json["refresh_token"] for parent in parents]
    seen = crowd(REPEATS, lambda number: refresh(servers[number % len(servers)], parents[0]).status, threads=8)
    bench.figure(f"{name}_repeats", tally(seen))
    bench.claim(seen.count(200) == BUDGET and set(seen) == {200, 429},
                f"{name}: a user's lost answers are given again {BUDGET} times ({tally(seen)})")
    same = refresh(servers[-1], parents[1])
    bench.claim(same.status == 200 and same.json["refresh_token"] == successors[1],
                f"{name}: another user's lost answer is given again ({same})")
    good = refresh(servers[-1], successors[0])
    bench.claim(good.status == 200, f"{name}: the token that is good is good ({good})")


def told(bench, name, store):
    """How many rows of the audit trail tell of it, with no server running."""
    rows = store.events("refresh_answer_repeated")
    bench.figure(f"{name}_repeat_rows", rows)
    bench.claim(0 < rows < ROWS, f"{name}: {rows} rows tell of {REPEATS} repeats")
