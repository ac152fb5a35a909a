"""What clients have asked and were answered, as a list of operations in the order of their invocation."""

import dataclasses
import math
import threading
import time
from typing import Any

# Any, because what stands under a name is of the type that `Operation` tells of its kind.
Facts = dict[str, Any]

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dataclasses.dataclass(slots=True)
class Operation:
    """One request. Until an answer came it is unknown, and may have happened at any time since it was invoked.

    What it asked for and was told, by its kind (`subject` is who somebody is at a provider, `user` a number of ours):

    sign-in     asked subject, code, begun (when our challenge for it was answered);
                told session, user, generation, token, is_new
    register    asked subject, code (the link ticket); told as a sign-in is
    refresh     asked session, user, generation; told session, generation, token
    look        asked session, user; told user (`GET /users/me`)
    sign-out, end-all, erase   asked session, user
    link        asked session, user, subject
    merge       asked session, user, other, absorbed: the session and the user that end
    recover     an operator had the store go on without what was acknowledged last: refused where that was not needed

    What was refused is told `error`.
    """

    number: int
    client: str
    kind: str
    invoked: float
    asked: Facts
    answered: float = math.inf
    outcome: str = UNKNOWN
    told: Facts = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        end = "…" if self.answered == math.inf else f"{self.answered:.3f}"
        answer = self.told.get("error", self.outcome) if self.outcome == REFUSED else self.outcome
        return f"#{self.number} {self.kind} by {self.client} ({self.invoked:.3f}–{end} s: {answer})"


class Log:
    """Times are seconds since it was begun, by a clock that nobody sets."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.operations: list[Operation] = []

    def now(self) -> float:
        return time.monotonic() - self.began

    def invoke(self, client: str, kind: str, **asked: object) -> Operation:
        with self.lock:
            operation = Operation(len(self.operations), client, kind, self.now(), asked)
            self.operations.append(operation)
        return operation

    def end(self, operation: Operation, outcome: str, **told: object) -> None:
        """The answer. The outcome is noted last, so that those who read the log meanwhile take it for unknown."""
        if outcome != UNKNOWN:
            operation.told, operation.answered = told, self.now()
            operation.outcome = outcome
