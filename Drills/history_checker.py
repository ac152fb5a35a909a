"""Whether a history can be that of a service which loses nothing, ends what is over, and counts nothing twice.

A pure function of the log: it opens no socket and reads no clock. An operation that was answered took effect at some
instant between its invocation and its answer; one that was refused took none; one that is unknown took effect at some
instant since its invocation, or never, and once it is seen to have, that stays so. What can be explained by any such
choice is no anomaly. The rules:

*lost*
- A session whose opening was answered is there, for those who ask later, until something that may end it was invoked:
  a sign-out, an end of all sessions or an erasure by its user, a merge into another user, a refresh token older than
  the newest one's parent.
- A subject that has a user, by a sign-in, a registration or a link, is neither new nor unknown until its user may be
  erased.
*stale*
- A session opens nothing that is invoked after it was seen to be over: after its sign-out, the end of all sessions, the
  erasure or the merge of its user was answered, after a spent refresh token of it was refused, or after it was refused.
- A sign-in that had begun before its user ended all sessions, was erased, or merged into another, and is posted after
  that was answered, opens nothing.
- A number that was erased, or merged into another, is told nobody any more; nor is one whose subject has been seen to
  be another user.
- A refresh token renews nothing once its successor has.
*double*
- A refresh token has one successor: the next generation of its own session, and always the same token.
- A code or a ticket opens one session, and a session is opened by one code or ticket.
- A subject has one user, until that one may be erased or merged.
- A number is one person's: all subjects that are told it are linked to it, or those of a user who may be part of it.
- A session is its user's: it is told no other's number.

After a recovery anybody may be unknown, as after an erasure; every session is over; and whatever was over stays so.
"""

import bisect
import collections
import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence

from history_log import OK, REFUSED, UNKNOWN, Operation
from history_people import Finding, People

LOST, STALE, DOUBLE = "lost", "stale", "double"
# What shows that a session is there by being answered. A sign-out that is sent again is answered in either case.
ALIVE = {"look", "refresh", "end-all", "erase", "link", "merge", "sign-in", "register"}
OPENS = {"sign-in", "register"}


@dataclasses.dataclass
class Anomaly:
    name: str
    sentence: str
    operations: list[Operation]

    def __str__(self) -> str:
        return f"{self.name}: {self.sentence}: {', '.join(map(str, self.operations))}"


def check(operations: Sequence[Operation]) -> list[Anomaly]:
    """The anomalies of a history, by rule, and those of a rule in the order of their last operation."""
    operations = [*operations, *by_recoveries(operations)]
    people = People(operations)
    found = [Anomaly(*anomaly) for anomaly in people.anomalies()]
    for anomaly in Sessions(operations, people).anomalies():
        found.append(Anomaly(*anomaly))
    return found


def by_recoveries(operations: Sequence[Operation]) -> list[Operation]:
    """What recoveries mean, as operations: the end of all sessions of every user, and perhaps of the user."""
    users = {told["user"] for told in (operation.told for operation in operations) if "user" in told}
    return [
        dataclasses.replace(recovery, kind=kind, asked={"user": user}, outcome=outcome, answered=answered)
        for recovery in operations if recovery.kind == "recover" and recovery.outcome == OK
        for user in users
        for kind, outcome, answered in (("end-all", OK, recovery.answered), ("erase", UNKNOWN, math.inf))]


class Sessions:
    """What happened to each session."""

    def __init__(self, operations: Sequence[Operation], people: People) -> None:
        self.people = people
        # The answered openings, and what was asked of it, by session.
        self.openings: dict[str, list[Operation]] = collections.defaultdict(list)
        self.uses: dict[str, list[Operation]] = collections.defaultdict(list)
        # What may end all of a user's, by user, and the answered openings by code or ticket.
        self.ends: dict[int, list[Operation]] = collections.defaultdict(list)
        self.codes: dict[str, list[Operation]] = collections.defaultdict(list)
        for operation in operations:
            asked = operation.asked
            for session in {asked[name] for name in ("session", "other") if name in asked}:
                self.uses[session].append(operation)
            if operation.kind in OPENS and operation.outcome == OK:
                self.openings[operation.told["session"]].append(operation)
                self.codes[asked["code"]].append(operation)
            if operation.kind in ("end-all", "erase") and operation.outcome != REFUSED:
                self.ends[asked["user"]].append(operation)
            if operation.kind == "merge" and operation.outcome != REFUSED:
                self.ends[asked["absorbed"]].append(operation)

    def anomalies(self) -> Iterator[Finding]:
        for session, openings in self.openings.items():
            uses = self.uses[session]
            yield from self.life(openings, uses)
            yield from self.refreshes(session, openings, uses)
            codes = {opening.asked["code"]: opening for opening in openings}
            if len(codes) > 1:
                yield DOUBLE, "two codes open one session", list(codes.values())
        for answered in self.codes.values():
            sessions = {operation.told["session"]: operation for operation in answered}
            if len(sessions) > 1:
                yield DOUBLE, "a code opens two sessions", list(sessions.values())

    def life(self, openings: Sequence[Operation], uses: Sequence[Operation]) -> Iterator[Finding]:
        """Whether it is there from its opening on, and nowhere after its end."""
        opening = min(openings, key=lambda operation: operation.answered)
        begun = min(operation.invoked for operation in openings)
        user = opening.told["user"]
        may_end: list[Operation] = []
        over: list[Operation] = []
        for end in self.ends[user]:
            if not (end.outcome == OK and end.answered < begun):
                may_end.append(end)
            if end.outcome == OK and end.invoked > opening.answered:
                over.append(end)
        if gone := self.people.gone.get(user):
            over.append(gone)
        for use in uses:
            if use.kind == "sign-out" and use.outcome != REFUSED:
                may_end.append(use)
                over += [use] if use.outcome == OK else []
            if use.kind != "refresh" and says_gone(use):
                over.append(use)
        reused, revoking = reuse(uses)
        may_end += reused
        over += revoking
        earliest = min((end.invoked for end in may_end), default=math.inf)
        first_end = min(over, key=lambda operation: operation.answered, default=None)
        for use in [*uses, *openings]:
            if says_gone(use) and opening.answered < use.invoked and use.answered <= earliest:
                yield LOST, "a session that nothing has ended is not there", [opening, use]
            if first_end and use.outcome == OK and use.kind in ALIVE and use.invoked > first_end.answered:
                yield STALE, "a session is alive after its end", [first_end, use]
            if use.kind == "look" and use.outcome == OK and use.told["user"] != user:
                yield DOUBLE, "a session is told another's number", [opening, use]

    def refreshes(self, session: str, openings: Sequence[Operation], uses: Sequence[Operation]) -> Iterator[Finding]:
        """Whether its refresh tokens are one chain."""
        tokens: dict[int, Operation] = {}
        for opening in openings:
            tokens.setdefault(opening.told["generation"], opening)
        renewals = [use for use in uses if use.kind == "refresh" and use.outcome == OK]
        # When it was first answered that a generation, or a later one, was renewed.
        spent = Earliest(renewals, "answered")
        for use in sorted(renewals, key=lambda operation: operation.answered):
            told, generation = use.told, use.asked["generation"]
            if told["session"] != session or told["generation"] != generation + 1:
                yield DOUBLE, "the answer to a refresh is not its token's successor", [use]
                continue
            first = tokens.setdefault(generation + 1, use)
            if first.told["token"] != told["token"]:
                yield DOUBLE, "a refresh token has two successors", [first, use]
            later = spent.since(generation + 1)
            if later and later.answered < use.invoked:
                yield STALE, "a refresh token renews a session though its successor has", [later, use]


def says_gone(use: Operation) -> bool:
    """Whether it was refused because there is no such session. A refused merge does not say which of two it means."""
    error = {"refresh": "invalid_grant", "merge": None}.get(use.kind, "invalid_token")
    return use.outcome == REFUSED and bool(use.told["error"] == error)


class Earliest:
    """Of refreshes, the earliest with a refresh token of a generation or a later one, by one of their times."""

    def __init__(self, refreshes: Iterable[Operation], time: str) -> None:
        self.generations: list[int] = []
        self.refreshes: list[Operation] = []
        best: Operation | None = None
        for use in sorted(refreshes, key=lambda operation: (-operation.asked["generation"], getattr(operation, time))):
            if best is None or getattr(use, time) < getattr(best, time):
                best = use
                self.generations.append(-use.asked["generation"])
                self.refreshes.append(use)

    def since(self, generation: int) -> Operation | None:
        """That refresh, or None."""
        index = bisect.bisect_right(self.generations, -generation)
        return self.refreshes[index - 1] if index else None


def reuse(uses: Sequence[Operation]) -> tuple[list[Operation], list[Operation]]:
    """The refreshes that may have been taken for the reuse of a spent token, and those that must have been."""
    refreshes = [use for use in uses if use.kind == "refresh"]
    shown = Earliest([use for use in refreshes if use.outcome != REFUSED], "invoked")
    spent = Earliest([use for use in refreshes if use.outcome == OK], "answered")
    may, must = [], []
    for use in refreshes:
        later, answered = shown.since(use.asked["generation"] + 1), spent.since(use.asked["generation"] + 1)
        if later and later.invoked < use.answered:
            may.append(use)
        if answered and answered.answered < use.invoked and says_gone(use):
            must.append(use)
    return may, must
