"""Whether what apps were told is so when another instance is asked, and the store has been through something."""

from collections.abc import Sequence
from typing import Unpack

from apps import App, generation
from bench import Bench, crowd
from claims import Claim, shows
from fleet import CutOff
from testbed.client import LOST, Answer, Content


def call(app: App, at: str, method: str, path: str, **content: Unpack[Content]) -> Answer | None:
    """The answer of another instance than that one; None where none comes."""
    try:
        return app.fleet.call(app.fleet.other(at), method, path, **content)
    except (CutOff, *LOST):
        return None


def check(bench: Bench, apps: Sequence[App], when: str, newest: int | None = None) -> None:
    """States that all that was acknowledged, or the newest so much of each app, is there when another instance is
    asked."""
    sessions = [(app, session) for app in apps for session in app.sessions[-(newest or 1_000_000):]]
    ended = [(app, *end) for app in apps for end in app.ended[-(newest or 1_000_000):]]

    def is_there(number: int) -> bool:
        app, session = sessions[number]
        answer = call(app, session.at, "GET", "/users/me", bearer=session.token)
        return answer is not None and answer.status == 200 and bool(answer.json.get("user_id") == session.user)

    def is_over(number: int) -> bool:
        app, token, at = ended[number]
        answer = call(app, at, "GET", "/users/me", bearer=token)
        return answer is not None and answer.status == 401

    bench.state(are_there(when, crowd(len(sessions), is_there, threads=8)))
    bench.state(are_out(when, crowd(len(ended), is_over, threads=8)))


def are_there(when: str, found: Sequence[bool]) -> Claim:
    return Claim(all(found),
                 f"{when}, every acknowledged session is there ({found.count(False)} of {len(found)} lost)")


def are_out(when: str, found: Sequence[bool]) -> Claim:
    return Claim(all(found), f"{when}, who was signed out is ({found.count(False)} of {len(found)} are not)")


def check_chains(bench: Bench, apps: Sequence[App], when: str) -> None:
    """States that the newest refresh token of every session is good, once, and none but the one before it. Sessions end
    by it."""
    sessions = [(app, session) for app in apps for session in app.sessions]

    def renews(number: int) -> bool:
        app, session = sessions[number]
        answer = call(app, session.at, "POST", "/auth/token", form=app.form(session))
        return (answer is not None and answer.status == 200
                and generation(answer.json["refresh_token"]) == generation(session.refresh) + 1)

    def refuses(number: int) -> bool:
        app, session = replaced[number]
        form = {"grant_type": "refresh_token", "refresh_token": session.replaced[-1]}
        answer = call(app, session.at, "POST", "/auth/token", form=form)
        return answer is not None and answer.status in (400, 401)

    bench.state(are_good(when, crowd(len(sessions), renews, threads=8)))
    # What they have replaced has now been replaced twice.
    replaced = [(app, session) for app, session in sessions if session.replaced]
    bench.state(are_refused(when, crowd(len(replaced), refuses, threads=8)))


def are_good(when: str, found: Sequence[bool]) -> Claim:
    return Claim(all(found),
                 f"{when}, the newest refresh tokens are good ({found.count(False)} of {len(found)} are not)")


def are_refused(when: str, found: Sequence[bool]) -> Claim:
    return Claim(all(found), f"{when}, those before are not ({found.count(False)} of {len(found)} are)")


def self_test() -> None:
    good, bad = [True, True], [True, False]
    shows([are_there("now", good)], ("(1 of 2 lost)", [are_there("now", bad)]))
    shows([are_out("now", good)], ("signed out is (1 of 2", [are_out("now", bad)]))
    shows([are_good("now", good)], ("are good (1 of 2", [are_good("now", bad)]))
    shows([are_refused("now", good)], ("those before are not (1 of 2", [are_refused("now", bad)]))
