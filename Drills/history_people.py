"""Who is which user in a history: subjects, the numbers that they are told, and what may have moved them."""

import bisect
import collections
import itertools
from collections.abc import Iterator, Sequence

from history_log import OK, REFUSED, UNKNOWN, Operation

TELLS = {"sign-in", "register"}
# The name of an anomaly, a sentence, and the operations that show it.
Finding = tuple[str, str, list[Operation]]


class People:
    def __init__(self, operations: Sequence[Operation]) -> None:
        # Where a number may have become part of another one, when, and what may have erased it, or has.
        self.merges: dict[int, list[tuple[float, int]]] = collections.defaultdict(list)
        self.erasures: dict[int, list[Operation]] = collections.defaultdict(list)
        # What told a subject a number, those that say that nobody has it, and the links that may have been made.
        self.told: dict[str, list[Operation]] = collections.defaultdict(list)
        self.strangers: dict[str, list[Operation]] = collections.defaultdict(list)
        # When each code was first posted that may have been answered before there was a user.
        self.first_posts: dict[str, Operation] = {}
        self.links: dict[str, list[Operation]] = collections.defaultdict(list)
        self.merged: list[tuple[int, Operation]] = []
        # What has ended all that a user had, in the order of invocation.
        self.ends: dict[int, list[Operation]] = collections.defaultdict(list)
        # What has first shown that a number is nobody's any more.
        self.gone: dict[int, Operation] = {}
        # When the store went on without what was acknowledged last.
        self.recoveries = [one for one in operations if one.kind == "recover" and one.outcome == OK]
        for operation in operations:
            self.add(operation)
        for absorbed, merge in self.merged:
            if not self.is_lost(merge.asked["user"], merge.answered):
                self.is_gone(absorbed, merge)
        # What a recovery means comes behind all others.
        for ends in self.ends.values():
            ends.sort(key=lambda operation: operation.invoked)
        for tells in self.told.values():
            tells.sort(key=lambda operation: operation.invoked)
        for tells in self.told.values():
            for before, after in self.successions(tells):
                # Who is told another number behind a recovery may have lost what gave them the first, which others may
                # have; and where the other one is lost, the first is there as before.
                if user_of(before) != user_of(after) and not self.is_between(before.answered, after.invoked) and not (
                        self.is_lost(user_of(after), after.answered)):
                    self.is_gone(user_of(before), after)

    def add(self, operation: Operation) -> None:
        kind, asked = operation.kind, operation.asked
        if kind in TELLS and operation.outcome == OK:
            self.told[asked["subject"]].append(operation)
        elif kind == "sign-in" and operation.outcome == UNKNOWN:
            self.may_be_told_again(operation)
        elif kind == "sign-in" and operation.told.get("error") == "unlinked_user":
            self.may_be_told_again(operation)
            self.strangers[asked["subject"]].append(operation)
        elif operation.outcome == REFUSED:
            return
        elif kind == "link":
            self.links[asked["subject"]].append(operation)
            if operation.outcome == OK:
                self.told[asked["subject"]].append(operation)
        elif kind == "end-all" and operation.outcome == OK:
            self.ends[asked["user"]].append(operation)
        elif kind == "merge":
            self.merges[asked["absorbed"]].append((operation.invoked, asked["user"]))
            if operation.outcome == OK:
                self.ends[asked["absorbed"]].append(operation)
                self.merged.append((asked["absorbed"], operation))
        elif kind == "erase":
            self.erasures[asked["user"]].append(operation)
            if operation.outcome == OK:
                self.ends[asked["user"]].append(operation)
                self.is_gone(asked["user"], operation)

    def is_between(self, begin: float, end: float) -> bool:
        return any(recovery.answered > begin and recovery.invoked < end for recovery in self.recoveries)

    def is_lost(self, user: int, since: float) -> bool:
        """Whether a recovery after that may have lost a user, whom nobody has seen again."""
        later = [recovery for recovery in self.recoveries if recovery.answered > since]
        return bool(later) and not any(
            user_of(tell) == user and tell.invoked > later[0].answered
            for tells in self.told.values() for tell in tells)

    def is_gone(self, user: int, operation: Operation) -> None:
        if user not in self.gone or operation.answered < self.gone[user].answered:
            self.gone[user] = operation

    @staticmethod
    def successions(tells: Sequence[Operation]) -> Iterator[tuple[Operation, Operation]]:
        """Each of what told a subject a number, with the last one that was answered before it was invoked."""
        answered = sorted(tells, key=lambda operation: operation.answered)
        last, next_answer = None, 0
        for after in tells:
            while answered[next_answer].answered < after.invoked:
                last = answered[next_answer]
                next_answer += 1
            if last is not None:
                yield last, after

    def may_be(self, user: int, before: float) -> set[int]:
        """The numbers that somebody may have who had this one, by merges that were invoked before a time."""
        found, waiting = {user}, [user]
        while waiting:
            for invoked, kept in self.merges.get(waiting.pop(), ()):
                if invoked < before and kept not in found:
                    found.add(kept)
                    waiting.append(kept)
        return found

    def may_be_nobody(self, user: int, before: float) -> bool:
        """Whether those who had this number may be erased before a time."""
        return any(erasure.invoked < before
                   for one in self.may_be(user, before) for erasure in self.erasures.get(one, ()))

    def may_be_told_again(self, post: Operation) -> None:
        code = post.asked["code"]
        self.first_posts[code] = min(post, self.first_posts.get(code, post), key=lambda operation: operation.invoked)

    def explains(self, before: Operation, after: Operation) -> bool:
        """Whether somebody can be told what the second was, who was told what the first was."""
        user = user_of(before)
        return user_of(after) in self.may_be(user, after.answered) or self.may_be_nobody(user, after.answered)

    def is_too_late(self, tell: Operation) -> bool:
        """Whether it tells a number that had been seen to be nobody's. A link is judged by its session."""
        gone = self.gone.get(user_of(tell))
        return gone is not None and gone.answered < tell.invoked and tell.kind != "link"

    def anomalies(self) -> Iterator[Finding]:
        """Their names, sentences, and operations."""
        for subject, tells in self.told.items():
            yield from self.of_subject(tells, self.strangers[subject])
            yield from self.begun(tells)
        yield from self.of_numbers()

    def of_subject(self, tells: Sequence[Operation], strangers: Sequence[Operation]) -> Iterator[Finding]:
        for before, after in self.successions(tells):
            if not self.explains(before, after) and not self.is_too_late(after):
                if after.told.get("is_new"):
                    yield "lost", "a subject that has a user is taken for new", [before, after]
                else:
                    yield "double", "a subject has two users", [before, after]
        for one, other in itertools.pairwise(tells):
            is_both = one.invoked < other.answered and other.invoked < one.answered
            if is_both and not self.explains(one, other) and not self.explains(other, one):
                yield "double", "a subject has two users at once", [one, other]
        for stranger in strangers:
            # The same code again is answered as the first time.
            if self.first_posts[stranger.asked["code"]].invoked < stranger.invoked:
                continue
            known = [tell for tell in tells if tell.answered < stranger.invoked]
            last = max(known, key=lambda operation: operation.answered, default=None)
            if last and not self.may_be_nobody(user_of(last), stranger.answered):
                yield "lost", "a subject that has a user is unknown", [last, stranger]
        for tell in tells:
            if self.is_too_late(tell):
                yield "stale", "a number is told that is nobody's any more", [self.gone[user_of(tell)], tell]

    def begun(self, tells: Sequence[Operation]) -> Iterator[Finding]:
        """Sign-ins that had begun when all that their subject's user had was ended, and were posted after that."""
        known: dict[int, float] = {}
        for tell in sorted(tells, key=lambda operation: operation.answered):
            known.setdefault(user_of(tell), tell.answered)
        for tell in tells:
            begun = tell.asked.get("begun", tell.invoked)
            for user, since in known.items():
                # Those that lie before the beginning, or are invoked after it is posted, are none of its.
                first = bisect.bisect_right(self.ends[user], begun, key=lambda end: end.invoked)
                for end in self.ends[user][first:]:
                    if end.invoked >= tell.invoked:
                        break
                    if since < end.invoked and end.answered < tell.invoked:
                        sentence = f"a sign-in that had begun before a user's {end.kind} opens something"
                        yield "stale", sentence, [end, tell]

    def of_numbers(self) -> Iterator[Finding]:
        """A number that two subjects have come to by themselves."""
        roots: dict[int, list[Operation]] = collections.defaultdict(list)
        for subject, tells in self.told.items():
            first: dict[int, Operation] = {}
            for tell in tells:
                first.setdefault(user_of(tell), tell)
            for user, tell in first.items():
                if not self.has_come_by(subject, user, tell.answered, tells):
                    roots[user].append(tell)
        for own in roots.values():
            if len(own) > 1:
                yield "double", "two people have one number", own

    def has_come_by(self, subject: str, user: int, before: float, tells: Sequence[Operation]) -> bool:
        """Whether a link, or a merge of a user that the subject was before, can have brought it to that number."""
        before_that = [user_of(tell) for tell in tells if tell.invoked < before and user_of(tell) != user]
        linked = [link.asked["user"] for link in self.links[subject] if link.invoked < before]
        return any(user in self.may_be(one, before) for one in {*before_that, *linked})


def user_of(operation: Operation) -> int:
    """The number that an operation says a subject has."""
    return int(operation.asked["user"] if operation.kind == "link" else operation.told["user"])
