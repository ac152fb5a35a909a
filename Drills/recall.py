"""Whether what apps were told is so when another instance is asked, and the store has been through something."""

from apps import generation
from bench import crowd
from fleet import CutOff
from testbed.client import LOST


def call(app, at, method, path, **content):
    """The answer of another instance than that one; None where none comes."""
    try:
        return app.fleet.call(app.fleet.other(at), method, path, **content)
    except (CutOff, *LOST):
        return None


def check(bench, apps, when, newest=None):
    """States that all that was acknowledged, or the newest so much of each app, is there when another instance is asked."""
    sessions = [(app, session) for app in apps for session in app.sessions[-(newest or 1_000_000):]]
    ended = [(app, *end) for app in apps for end in app.ended[-(newest or 1_000_000):]]

    def is_there(number):
        app, session = sessions[number]
        answer = call(app, session.at, "GET", "/users/me", bearer=session.token)
        return bool(answer) and answer.status == 200 and answer.json.get("user_id") == session.user

    def is_over(number):
        app, token, at = ended[number]
        answer = call(app, at, "GET", "/users/me", bearer=token)
        return bool(answer) and answer.status == 401

    found = crowd(len(sessions), is_there, threads=8)
    bench.claim(all(found), f"{when}, every acknowledged session is there ({found.count(False)} of {len(found)} lost)")
    found = crowd(len(ended), is_over, threads=8)
    bench.claim(all(found), f"{when}, whoever was signed out is ({found.count(False)} of {len(found)} are not)")


def check_chains(bench, apps, when):
    """States that the newest refresh token of every session is good, once, and none but the one before it. Sessions end by it."""
    sessions = [(app, session) for app in apps for session in app.sessions]

    def renews(number):
        app, session = sessions[number]
        answer = call(app, session.at, "POST", "/auth/token", form=app.form(session))
        return (bool(answer) and answer.status == 200
                and generation(answer.json["refresh_token"]) == generation(session.refresh) + 1)

    def refuses(number):
        app, session = replaced[number]
        form = {"grant_type": "refresh_token", "refresh_token": session.replaced[-1]}
        answer = call(app, session.at, "POST", "/auth/token", form=form)
        return bool(answer) and answer.status in (400, 401)

    found = crowd(len(sessions), renews, threads=8)
    bench.claim(all(found), f"{when}, the newest refresh tokens are good ({found.count(False)} of {len(found)} are not)")
    # What they have replaced has now been replaced twice.
    replaced = [(app, session) for app, session in sessions if session.replaced]
    found = crowd(len(replaced), refuses, threads=8)
    bench.claim(all(found), f"{when}, those before are not ({found.count(False)} of {len(found)} are)")
