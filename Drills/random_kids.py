"""ID tokens that name keys nobody knows cost the carrier a few requests, however many there are."""

import time

from bench import crowd, tally

STORM = 400
# ProviderKeys: of tokens that a provider gave us, one fetch a second, for all of them together.


def run(bench):
    with bench.carriers() as carriers, bench.server(carriers) as server:
        for number in range(4):
            server.sign_in(f"warm{number}")
        before = carriers.requests("keys")
        began = time.monotonic()

        def attempt(number):
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
        bench.claim(fetches <= seconds + 2, f"the keys are fetched at most once a second ({fetches} in {seconds:.1f} s)")
        bench.claim(fetches > 0, "an unknown key is looked for at all")
        bench.claim(all(answer.error == "invalid_id_token" and answer.json.get("reason") == "unknown_key"
                        for answer in bad), f"each such token is refused ({tally(bad)})")
        bench.claim(all(answer.status == 200 for answer in good), f"good sign-ins go on ({tally(good)})")
