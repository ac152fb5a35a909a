"""Shows that the checker of histories finds each anomaly, by its name, and none where there is none."""

import math
from collections.abc import Iterator
from typing import Self

from history_checker import check
from history_log import OK, REFUSED, UNKNOWN, Facts, Operation

GONE = {"look": "invalid_token", "refresh": "invalid_grant"}


# When an operation is invoked, and when it is answered.
Times = tuple[float, float]


class Made:
    """A history that is made up: operations one after the other, a second each, unless they are given times."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def add(self, kind: str, outcome: str, told: Facts, asked: Facts, at: Times | None = None) -> Self:
        number = len(self.operations)
        invoked, answered = at or (number + 0.1, number + 0.9)
        if outcome == UNKNOWN:
            answered, told = math.inf, {}
        self.operations.append(Operation(number, "client", kind, invoked, asked, answered, outcome, told))
        return self

    def opened(self, session: str = "s", user: int = 1, subject: str = "ann", code: str | None = None,
               is_new: bool = False, kind: str = "sign-in", outcome: str = OK, at: Times | None = None,
               begun: float | None = None) -> Self:
        told = {"session": session, "user": user, "generation": 1, "token": f"{session}1", "is_new": is_new}
        asked: Facts = {"subject": subject, "code": code or f"code of {session}"}
        if begun is not None:
            asked["begun"] = begun
        return self.add(kind, outcome, told, asked, at)

    def refresh(self, generation: int, outcome: str = OK, session: str = "s", told: Facts | None = None,
                token: str | None = None, at: Times | None = None, user: int = 1) -> Self:
        after = generation + 1
        told = told or {"session": session, "generation": after, "token": token or f"{session}{after}"}
        told = told if outcome != REFUSED else {"error": GONE["refresh"]}
        return self.add("refresh", outcome, told, {"session": session, "user": user, "generation": generation}, at)

    def does(self, kind: str, outcome: str = OK, session: str = "s", user: int = 1, told: Facts | None = None,
             at: Times | None = None, error: str = "invalid_token", **asked: str | int) -> Self:
        told = {"error": error} if outcome == REFUSED else told or ({"user": user} if kind == "look" else {})
        return self.add(kind, outcome, told, {"session": session, "user": user, **asked}, at)


def signed_in(code: str | None = None) -> Made:
    return Made().opened(is_new=True, code=code)


def two() -> Made:
    return signed_in().opened("t", 2, "ben", is_new=True)


def merged(outcome: str = OK) -> Made:
    return two().does("merge", outcome, other="t", absorbed=2)


def unknown(made: Made, code: str, outcome: str = REFUSED) -> Made:
    return made.add("sign-in", outcome, {"error": "unlinked_user"}, {"subject": "ann", "code": code})


def recovered(made: Made | None = None, outcome: str = OK) -> Made:
    return (made or signed_in()).add("recover", outcome, {}, {})


def cases() -> Iterator[tuple[str, Made, str | None]]:
    """Sentence, history, and the name of what is to be found there, with some words where another rule would find it as
    well; None where there is nothing."""
    yield "a session is there until it is signed out", (
        signed_in().does("look").does("sign-out").does("look", REFUSED)), None
    yield "a session that nobody ended is not there", signed_in().does("look", REFUSED), "lost"
    yield "a refresh token that nobody used is refused", signed_in().refresh(1, REFUSED), "lost"
    yield "a link's code that is refused says nothing of the session", (
        signed_in().does("link", REFUSED, subject="b", error="invalid_grant").does("look")), None
    yield "a look beside the sign-out may see either", (
        signed_in().does("sign-out", at=(1, 4)).does("look", at=(2, 3)).does("look", REFUSED, at=(2, 3))), None
    yield "an unknown sign-out may have happened", signed_in().does("sign-out", UNKNOWN).does("look", REFUSED), None
    yield "an unknown sign-out may not have happened", signed_in().does("sign-out", UNKNOWN).does("look"), None
    yield "an unknown sign-out happens late", (
        signed_in().does("sign-out", UNKNOWN).does("look").does("look").does("look", REFUSED)), None
    yield "an unknown sign-out that was seen is taken back", (
        signed_in().does("sign-out", UNKNOWN).does("look", REFUSED).does("look")), "stale"
    yield "a refused sign-out has ended the session", (
        signed_in().does("sign-out", REFUSED, error="rate_limited").does("look", REFUSED)), "lost"
    yield "a session is alive after its sign-out", signed_in().does("sign-out").does("look"), "stale"
    yield "a session is renewed after its sign-out", signed_in().does("sign-out").refresh(1), "stale"
    yield "a session is alive after the end of all", (
        signed_in().opened("t").does("end-all", session="t").does("look")), "stale"
    yield "a session that was opened beside the end of all may be either", (
        signed_in().does("end-all", at=(2, 5)).opened("t", at=(3, 4)).does("look", session="t", at=(6, 7)).does(
            "look", REFUSED, session="t", at=(8, 9))), None
    yield "a session that was opened after the end of all has gone", (
        signed_in().does("end-all").opened("t").does("look", REFUSED, session="t")), "lost"
    yield "a sign-in that had begun before the end of all", (
        signed_in().does("end-all", at=(2, 3)).opened("t", begun=1.5, at=(4, 5))), "stale"
    yield "a sign-in that had begun before the erasure", (
        signed_in().does("erase", at=(2, 3)).opened("t", 2, is_new=True, begun=1.5, at=(4, 5))), "stale"
    yield "a sign-in that had begun before the merge", (
        two().does("merge", other="t", absorbed=2, at=(3, 4)).opened("u", 1, "ben", begun=2.5, at=(5, 6))), "stale"
    yield "a sign-in that had begun before the other user's merge", (
        two().does("merge", other="t", absorbed=2, at=(3, 4)).opened("u", 1, begun=2.5, at=(5, 6))), None
    yield "a sign-in that has begun beside the end of all", (
        signed_in().does("end-all", at=(2, 3)).opened("t", begun=2.5, at=(4, 5))), None
    yield "a session is alive after the erasure", signed_in().does("erase").does("look"), "stale"
    yield "a person who was erased is back", signed_in().does("erase").opened("t"), "stale: a number is told"
    yield "a person who was erased is somebody new", signed_in().does("erase").opened("t", 2, is_new=True), None
    yield "an unknown erasure that was seen is taken back", (
        signed_in().does("erase", UNKNOWN).opened("t", 2, is_new=True).opened("u", 1)), "stale"
    yield "an unknown erasure that was seen leaves a session", (
        signed_in().does("erase", UNKNOWN).opened("t", 2, is_new=True).does("look")), "stale"
    yield "an erasure that was refused has happened", (
        signed_in().does("erase", REFUSED, error="locked").opened("t", 2, is_new=True)), "lost"
    yield "a known subject is new", signed_in().opened("t", 2, is_new=True), "lost"
    yield "a known subject is unknown", signed_in().add(
        "sign-in", REFUSED, {"error": "unlinked_user"}, {"subject": "ann", "code": "c"}), "lost"
    yield "an answer of before there was a user is given again", (
        unknown(unknown(Made(), "c").opened(is_new=True), "c")), None
    yield "so is one that was lost", unknown(unknown(Made(), "c", UNKNOWN).opened(is_new=True), "c"), None
    yield "an answer of before is given to another code", (
        unknown(unknown(Made(), "c").opened(is_new=True), "d")), "lost"
    yield "a linked subject is new", (
        signed_in().does("link", subject="ann@b").opened("t", 2, "ann@b", is_new=True)), "lost"
    yield "a linked subject is the user's", signed_in().does("link", subject="ann@b").opened("t", 1, "ann@b"), None
    yield "an unknown link may have happened", (
        signed_in().does("link", UNKNOWN, subject="ann@b").opened("t", 1, "ann@b")), None
    yield "an unknown link that was seen is taken back", (
        signed_in().does("link", UNKNOWN, subject="ann@b").opened("t", 1, "ann@b").opened(
            "u", 2, "ann@b", is_new=True)), "lost"
    yield "a link that was refused has happened", (
        signed_in().does("link", REFUSED, subject="ann@b", error="identity_in_use").opened("t", 1, "ann@b")), "double"
    yield "a subject is linked to two users", (
        two().does("link", subject="c").does("link", session="t", user=2, subject="c")), "double"
    yield "a subject has two users", two().opened("u", 2, "ann"), "double"
    yield "a subject becomes two users at once", (
        Made().opened("s", 1, is_new=True, at=(1, 4)).opened("t", 2, is_new=True, at=(2, 3))), "double"
    yield "two new people have one number", signed_in().opened("t", 1, "ben", is_new=True), "double"
    yield "a person is told another's number", two().opened("u", 1, "cat"), "double"
    yield "a number of an unknown sign-in is that subject's own", (
        Made().opened("r", 1, outcome=UNKNOWN).opened("s", 1).does("link", subject="b").opened("t", 1, "b")), None
    yield "a merged subject is the user that stays", merged().opened("u", 1, "ben"), None
    yield "a merged subject is who they were", merged().opened("u", 2, "ben"), "stale"
    yield "a merged session is alive", merged().does("look", session="t", user=2), "stale"
    yield "the session of the user that stays is not there", merged().does("look", REFUSED), "lost"
    yield "an unknown merge may have happened", merged(UNKNOWN).opened("u", 1, "ben"), None
    yield "an unknown merge may not have happened", merged(UNKNOWN).opened("u", 2, "ben"), None
    yield "an unknown merge that was seen is taken back", (
        merged(UNKNOWN).opened("u", 1, "ben").opened("v", 2, "ben")), "stale"
    yield "refresh tokens are a chain", signed_in().refresh(1).refresh(2).refresh(2).refresh(3), None
    yield "a lost answer is asked for again", signed_in().refresh(1, UNKNOWN).refresh(1).refresh(1).refresh(2), None
    yield "a generation is left out", (
        signed_in().refresh(1, told={"session": "s", "generation": 3, "token": "s3"})), "double"
    yield "a refresh is answered with another session", (
        two().refresh(1, told={"session": "t", "generation": 2, "token": "t2"})), "double"
    yield "a refresh token has two successors", signed_in().refresh(1, token="a").refresh(1, token="b"), "double"
    yield "a spent refresh token renews", signed_in().refresh(1).refresh(2).refresh(1), "stale"
    yield "a refresh beside its successor's may come first", (
        signed_in().refresh(1).refresh(2, at=(3, 5)).refresh(1, at=(4, 6))), None
    yield "a spent refresh token ends the session", (
        signed_in().refresh(1).refresh(2).refresh(1, REFUSED).does("look", REFUSED)), None
    yield "a spent refresh token leaves the session", (
        signed_in().refresh(1).refresh(2).refresh(1, REFUSED).does("look")), "stale"
    yield "the parent of the newest refresh token is refused", signed_in().refresh(1).refresh(1, REFUSED), "lost"
    yield "after a recovery a session is over", recovered().does("look", REFUSED), None
    yield "a sign-in that has begun after a recovery, beside the end of all", (
        signed_in().add("recover", OK, {}, {}, at=(2, 3)).opened("t", begun=3.1, at=(3.2, 3.3)).does(
            "end-all", session="t", at=(3.5, 3.6)).opened("u", begun=3.7, at=(3.8, 3.9)).does(
            "end-all", session="u", at=(5, 6)).opened("v", begun=4, at=(5.5, 5.6))), None
    yield "after a recovery a session is alive", recovered().does("look"), "stale"
    yield "after a recovery that was not needed a session is there", recovered(outcome=REFUSED).does("look"), None
    yield "after a recovery that was not needed a session has gone", (
        recovered(outcome=REFUSED).does("look", REFUSED)), "lost"
    yield "after a recovery a subject may be new", recovered().opened("t", 2, is_new=True), None
    yield "after a recovery a subject may be who they were", recovered().opened("t"), None
    yield "after a recovery a number is another person's", recovered().opened("t", 1, "ben", is_new=True), "double"
    yield "after a recovery a person who was erased is back", recovered(signed_in().does("erase")).opened("t"), "stale"
    yield "after a recovery the user that was to stay is lost, and the merged one there", (
        recovered(merged()).opened("u", 2, "ben")), None
    yield "after a recovery the user that was to stay is there, and the merged one too", (
        recovered(merged()).opened("u", 2, "ben").opened("v", 1, "ann")), "stale"
    yield "after a recovery a linked subject is new, and the other as before", (
        recovered(signed_in().does("link", subject="ann@b").opened("t", 1, "ann@b")).opened(
            "u", 2, "ann@b", is_new=True).opened("v", 1, "ann")), None
    yield "a code opens two sessions", signed_in(code="c").opened("t", code="c"), "double"
    yield "a code that is sent again opens the same session", signed_in(code="c").opened(code="c", is_new=True), None
    yield "a ticket makes two sessions", (
        Made().opened("s", kind="register", code="t", is_new=True).opened(
            "t", kind="register", code="t", is_new=True)), "double"
    yield "two codes open one session", signed_in(code="c").opened(code="d"), "double"
    yield "a session is told another's number", signed_in().does("look", told={"user": 2}), "double"


def check_all() -> None:
    for sentence, made, expected in cases():
        found = [str(anomaly) for anomaly in check(made.operations)]
        name = (expected or "").partition(":")[0]
        is_right = all(one.startswith(f"{name}:") for one in found)
        if not is_right or expected and not any(one.startswith(expected) for one in found):
            raise AssertionError(f"{sentence}: expected {expected}, found {found}")
