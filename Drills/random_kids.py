"""ID tokens that name keys nobody knows cost the carrier a few requests, however many there are."""

import time
from collections.abc import Sequence

from bench import Bench, crowd, tally
from claims import Claim, answer, shows
from testbed.client import Answer

STORM = 400
# ProviderKeys: of tokens that a provider gave us, one fetch a second, for all of them together.


def run(bench: Bench) -> None:
    with bench.carriers() as carriers, bench.server(carriers) as server:
        for number in range(4):
            server.sign_in(f"warm{number}")
        before = carriers.requests("keys")
        began = time.monotonic()

        def attempt(number: int) -> tuple[str, Answer]:
            if number % 4 == 0:
                return "good", server.sign_in(f"good{number}")
            return "bad", server.sign_in(f"bad{number}", misbehave="id_token_unknown_kid")

        answers = crowd(STORM, attempt)
        seconds = time.monotonic() - began
        fetches = carriers.requests("keys") - before
        good = [answer for kind, answer in answers if kind == "good"]
        bad = [answer for kind, answer in answers if kind == "bad"]
        bench.figure("tokens", len(bad))
        bench.figure("fetches", fetches)
        bench.state(*weathers(fetches, seconds, bad, good))


def weathers(fetches: int, seconds: float, bad: Sequence[Answer], good: Sequence[Answer]) -> list[Claim]:
    """What must be true of a storm: of how often keys were fetched, of the tokens that name made-up ones, and of
    others."""
    return [
        Claim(fetches <= seconds + 2, f"the keys are fetched at most once a second ({fetches} in {seconds:.1f} s)"),
        Claim(fetches > 0, "an unknown key is looked for at all"),
        Claim(all(answer.error == "invalid_id_token" and answer.json.get("reason") == "unknown_key" for answer in bad),
              f"each such token is refused ({tally(bad)})"),
        Claim(all(answer.status == 200 for answer in good), f"good sign-ins go on ({tally(good)})")]


def self_test() -> None:
    bad, good = [answer(401, "invalid_id_token", reason="unknown_key")], [answer(200)]
    shows(weathers(6, 4.0, bad, good),
          ("once a second", weathers(7, 4.0, bad, good)),
          ("looked for at all", weathers(0, 4.0, bad, good)),
          ("is refused", weathers(6, 4.0, [*bad, answer(401, "invalid_id_token")], good)),
          ("is refused", weathers(6, 4.0, [answer(401, "invalid_code", reason="unknown_key")], good)),
          ("go on", weathers(6, 4.0, bad, [*good, answer(502)])))
