"""Connections to a carrier that the network has forgotten cost one sign-in, and the next ones go through."""

from collections.abc import Sequence

from bench import Bench, crowd, tally
from claims import Claim, answer, shows
from testbed.client import Answer
from wire import swallow

# Idle connections that are forgotten together; a client that tries them one after the other fails as often.
CROWD = 8
AFTERWARDS = 20
# Of a call to the carrier.
TIMEOUT_SECONDS = 2


def succeed_before(answers: Sequence[Answer]) -> Claim:
    return Claim(all(answer.status == 200 for answer in answers), f"sign-ins succeed before ({tally(answers)})")


def are_open(connections: int) -> Claim:
    return Claim(connections > 1, "several connections to the carrier are open")


def cost_one(answers: Sequence[Answer]) -> list[Claim]:
    failures = [answer for answer in answers if answer.status != 200]
    return [
        Claim(len(failures) <= 1, f"one sign-in fails at most ({tally(answers)})"),
        Claim(all(answer.status == 504 for answer in failures), "and is told that the carrier did not answer")]


def run(bench: Bench) -> None:
    settings = {"GATEHOUSE_PROVIDER_ZENKEY_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS), "GATEHOUSE_HTTP_LOOPS": "1"}
    with bench.carriers(latency=100) as carriers, bench.server(carriers, settings=settings) as server:
        answers = crowd(2 * CROWD, lambda number: server.sign_in(f"before{number}"), threads=CROWD)
        bench.state(succeed_before(answers))
        try:
            forgotten = swallow(carriers.id, carriers.ports["aurora"])
        except PermissionError:
            bench.skip("this process may not take part in the carriers' connections")
            return
        bench.figure("connections", forgotten)
        bench.state(are_open(forgotten))
        answers = [server.sign_in(f"after{number}") for number in range(AFTERWARDS)]
        bench.figure("answers", tally(answers))
        bench.state(*cost_one(answers))


def self_test() -> None:
    shows([succeed_before([answer(200)])], ("before", [succeed_before([answer(200), answer(504)])]))
    shows([are_open(2)], ("several", [are_open(1)]))
    shows(cost_one([answer(504), answer(200)]), ("at most", cost_one([answer(504), answer(504)])),
          ("is told", cost_one([answer(502), answer(200)])))
