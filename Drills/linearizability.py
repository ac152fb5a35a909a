"""Whether what is known of each session can have happened in one order (Herlihy and Wing's linearizability).

A pure function of the log, beside the rules of history_checker. The rules say what must not be; this asks whether any
order of a session's operations explains all its answers at once. An operation takes effect at one instant between its
invocation and its answer, one without an answer at one instant since its invocation, or never. The search is that of
Wing and Gong, and remembers where it has been, as Lowe's does: what is left to order and the state that was reached.

A session is what a client sees of it: how often it was renewed, and whether it is over.
"""

import collections
import dataclasses
import math
from collections.abc import Iterator, Sequence

from history_log import OK, REFUSED, UNKNOWN, Facts, Operation

UNORDERED = "unordered"
OPENS = ("sign-in", "register")
# What only a session that is there is answered to, and what it leaves as it was.
LOOKS = ("look", "link")
# Kind, times of invocation and answer, outcome, what was asked and what was told.
Row = tuple[str, float, float, str, Facts, Facts]
# Of a search that takes longer nothing is said.
MOST_STEPS = 200_000


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """Nothing is known of a session before it is opened."""

    generation: int | None = None
    is_over: bool = False

    @property
    def is_there(self) -> bool:
        return self.generation is not None and not self.is_over

    def ended(self) -> "State":
        return dataclasses.replace(self, is_over=True)


def after(state: State, operation: Operation, session: str) -> Iterator[State]:
    """The states that an operation can leave, where it is answered as it was. One whose answer is unknown leaves what
    any answer would."""
    kind, outcome = operation.kind, operation.outcome
    if kind in OPENS:
        yield from opened(state, operation)
    elif kind == "recover" or operation.asked.get("session") != session:
        # An end of all sessions of its user, by another one of them.
        if state.generation is not None:
            yield state.ended()
        else:
            yield state
    elif kind == "refresh":
        yield from refreshed(state, operation)
    elif kind in LOOKS:
        if outcome != REFUSED and state.is_there or outcome == REFUSED and not state.is_there:
            yield state
    elif kind == "sign-out":
        # It is answered in the same way again.
        yield state.ended()
    elif outcome == REFUSED:
        if not state.is_there:
            yield state
    elif kind == "merge":
        if state.is_there:
            yield state
    elif state.is_there:
        yield state.ended()


def opened(state: State, operation: Operation) -> Iterator[State]:
    """The same request once more is answered in the same way, as long as the session is there."""
    if state.generation is None:
        yield State(operation.told["generation"])
    elif state.is_there:
        yield state


def refreshed(state: State, operation: Operation) -> Iterator[State]:
    """A refresh token makes the next one, its parent is given that again, and one from before ends the session."""
    newest, shown = state.generation, operation.asked["generation"]
    if newest is None:
        return
    if operation.outcome != REFUSED and state.is_there and shown in (newest, newest - 1):
        yield State(shown + 1)
    if operation.outcome != OK and (state.is_over or shown < newest - 1):
        yield state.ended()


def check(operations: Sequence[Operation]) -> Iterator[tuple[str, str, list[Operation]]]:
    """A finding for each session whose operations have no order."""
    for session, known in by_session(operations).items():
        if culprit := unexplained(known, session):
            yield UNORDERED, "no order of what is known of a session explains this", [known[0], culprit]


def by_session(operations: Sequence[Operation]) -> dict[str, list[Operation]]:
    """What concerns each session that was opened by an answer, in the order of invocation."""
    users = {operation.told["session"]: operation.told["user"] for operation in operations
             if operation.kind in OPENS and operation.outcome == OK}
    of_user: dict[int, list[str]] = collections.defaultdict(list)
    for session, user in users.items():
        of_user[user].append(session)
    found: dict[str, list[Operation]] = collections.defaultdict(list)
    for operation in operations:
        for session in concerned(operation, users, of_user):
            found[session].append(operation)
    return found


def concerned(operation: Operation, users: dict[str, int], of_user: dict[int, list[str]]) -> set[str]:
    """The sessions that an operation tells something of, or may end."""
    kind, asked = operation.kind, operation.asked
    if kind in OPENS:
        return {operation.told["session"]} if operation.outcome == OK else set()
    if kind == "recover":
        return set(users) if operation.outcome != REFUSED else set()
    own = {asked["session"]} & users.keys()
    if operation.outcome == REFUSED:
        # A refused merge does not say which of the two it means, and other errors say nothing of the session.
        gone = "invalid_grant" if kind == "refresh" else "invalid_token"
        return own if kind != "merge" and operation.told.get("error") == gone else set()
    if kind in ("end-all", "erase"):
        return own | set(of_user[asked["user"]])
    return own | set(of_user[asked["absorbed"]]) if kind == "merge" else own


def unexplained(history: Sequence[Operation], session: str) -> Operation | None:
    """The operation that no order has a place for, of all orders the one that comes latest; None where one has."""
    ends = [operation.answered if operation.outcome != UNKNOWN else math.inf for operation in history]
    answered = sum(1 << number for number, end in enumerate(ends) if end != math.inf)
    seen: set[tuple[int, State]] = set()
    stack = [(0, State())]
    furthest, most = 0, -1
    while stack:
        done, state = stack.pop()
        if done & answered == answered or len(seen) > MOST_STEPS:
            return None
        if (count := (done & answered).bit_count()) > most:
            furthest, most = done, count
        for number in candidates(history, ends, done):
            for left in after(state, history[number], session):
                if (place := (done | 1 << number, left)) not in seen:
                    seen.add(place)
                    stack.append(place)
    waiting = [number for number in range(len(history)) if answered >> number & 1 and not furthest >> number & 1]
    return history[min(waiting, key=lambda number: ends[number])]


def candidates(history: Sequence[Operation], ends: Sequence[float], done: int) -> list[int]:
    """What can come next: what was invoked before anything that is left was answered."""
    found: list[int] = []
    first_end = math.inf
    for number, operation in enumerate(history):
        if operation.invoked > first_end:
            break
        if not done >> number & 1:
            found.append(number)
            first_end = min(first_end, ends[number])
    return [number for number in found if history[number].invoked <= first_end]


def made_up(*rows: Row) -> list[Operation]:
    """A history of the session s of the user 1."""
    return [Operation(number, "app", kind, invoked, {"session": "s", "user": 1, **asked}, answered, outcome, told)
            for number, (kind, invoked, answered, outcome, asked, told) in enumerate(rows)]


def self_test() -> None:
    opening: Row = ("sign-in", 0.0, 1.0, OK, {"code": "c"}, {"session": "s", "user": 1, "generation": 0})

    def refresh(at: float, end: float, shown: int, outcome: str = OK) -> Row:
        told: Facts = {"error": "invalid_grant"} if outcome == REFUSED else {"generation": shown + 1}
        return "refresh", at, end, outcome, {"generation": shown}, told

    lost: Row = ("refresh", 2.0, math.inf, UNKNOWN, {"generation": 0}, {})
    out: Row = ("sign-out", 4.0, 5.0, OK, {}, {})
    gone: Facts = {"error": "invalid_token"}
    good: dict[str, tuple[Row, ...]] = {
        "one after the other": (opening, refresh(2, 3, 0), refresh(4, 5, 1)),
        "at once": (opening, refresh(2, 4, 0), refresh(3, 5, 0)),
        "a lost answer that counts": (opening, lost, refresh(3, 4, 1)),
        "a lost answer that does not": (opening, lost, refresh(3, 4, 0), refresh(5, 6, 0)),
        "beside its end": (opening, out, ("look", 4.5, 6.0, OK, {}, {})),
        "a thief": (opening, refresh(2, 3, 0), refresh(4, 5, 1), refresh(6, 7, 0, REFUSED), refresh(8, 9, 2, REFUSED)),
        "a copy": (opening, ("sign-in", 2.0, 3.0, OK, {"code": "c"}, opening[5])),
        "an end by another session": (
            opening, ("end-all", 2.0, 3.0, OK, {"session": "t"}, {}), ("look", 4.0, 5.0, REFUSED, {}, gone)),
    }
    bad: dict[str, tuple[Row, ...]] = {
        "a successor after the successor's own": (opening, refresh(2, 3, 0), refresh(4, 5, 1), refresh(6, 7, 0)),
        "a refusal for nothing": (opening, refresh(2, 3, 0, REFUSED)),
        "alive after its end": (opening, out, ("look", 6.0, 7.0, OK, {}, {})),
        "not there for nothing": (opening, ("look", 2.0, 3.0, REFUSED, {}, gone)),
        "two that each would need the other to be first": (
            opening, refresh(2, 3, 0), ("look", 4.0, 9.0, REFUSED, {}, gone), out, refresh(6, 7, 1)),
        "renewed after the end of all": (
            opening, ("end-all", 2.0, 3.0, OK, {"session": "t"}, {}), refresh(4, 5, 0)),
    }
    wrong = [case for case, rows in good.items() if list(check(made_up(*rows)))]
    wrong += [case for case, rows in bad.items() if not list(check(made_up(*rows)))]
    if wrong:
        raise AssertionError(f"judged wrongly: {', '.join(wrong)}")
