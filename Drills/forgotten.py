"""Connections to a carrier that the network has forgotten cost one sign-in, and the next ones go through."""

from bench import crowd, tally
from wire import swallow

# Idle connections that are forgotten together; a client that tries them one after the other fails as often.
CROWD = 8
AFTERWARDS = 20
# Of a call to the carrier.
TIMEOUT_SECONDS = 2


def run(bench):
    settings = {"GATEHOUSE_PROVIDER_ZENKEY_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS), "GATEHOUSE_HTTP_LOOPS": "1"}
    with bench.carriers(latency=100) as carriers, bench.server(carriers, settings=settings) as server:
        answers = crowd(2 * CROWD, lambda number: server.sign_in(f"before{number}"), threads=CROWD)
        bench.claim(all(answer.status == 200 for answer in answers), f"sign-ins succeed before ({tally(answers)})")
        try:
            forgotten = swallow(carriers.id, carriers.ports["aurora"])
        except PermissionError:
            bench.skip("this process may not take part in the carriers' connections")
            return
        bench.figure("connections", forgotten)
        bench.claim(forgotten > 1, "several connections to the carrier are open")
        answers = [server.sign_in(f"after{number}") for number in range(AFTERWARDS)]
        failures = [answer for answer in answers if answer.status != 200]
        bench.figure("answers", tally(answers))
        bench.claim(len(failures) <= 1, f"one sign-in fails at most ({tally(answers)})")
        bench.claim(all(answer.status == 504 for answer in failures), "and is told that the carrier did not answer")
