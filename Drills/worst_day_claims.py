"""What must be true on the worst day of a database."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench import tally
from claims import Claim, answer, shows
from testbed.client import Answer


@dataclass(frozen=True)
class Day:
    """Which one it is, as its claims call it."""

    name: str

    def is_attached(self, holds: bool) -> Claim:
        return Claim(holds, f"{self.name}: the standby is attached")

    def is_in_step(self, holds: bool) -> Claim:
        return Claim(holds, f"{self.name}: the standby has everything so far")

    def is_there(self, answer: Answer) -> Claim:
        return Claim(answer.status == 200, f"{self.name}: who is there before signs in ({answer})")

    def is_erased(self, erased: Answer) -> Claim:
        return Claim(erased.status == 200, f"{self.name}: a user is erased ({erased})")

    def has_ended(self, ended: Answer) -> Claim:
        return Claim(ended.status in (200, 204), f"{self.name}: a session ends")

    def is_locked(self, locked: Answer) -> Claim:
        return Claim(locked.status in (200, 204), f"{self.name}: a user is locked ({locked})")

    def are_let_in(self, kind: str, answers: Sequence[Answer]) -> Claim:
        return Claim(all(answer.status == 200 for answer in answers),
                     f"{self.name}: {kind}: all sign in ({tally(map(str, answers))})")

    def has_run(self, what: str, status: int, said: str) -> Claim:
        return Claim(status == 0, f"{self.name}: {what}: the tool succeeds ({said.strip()[-300:]})")

    def refuses(self, instance: str, refused: Answer, codes: int, is_told: bool, said: str) -> list[Claim]:
        """Of an instance on a store that lacks something, how many `codes` it has sent meanwhile, and what /readyz
        said."""
        return [
            Claim(refused.status == 503, f"{self.name}: {instance} refuses ({refused})"),
            Claim(codes == 0, f"{self.name}: {instance} sends no code"),
            Claim(is_told, f"{self.name}: {instance} is not ready, and says why ({said})")]

    def is_ready(self, instance: str, holds: bool) -> Claim:
        return Claim(holds, f"{self.name}: {instance} is ready again")

    def keeps_numbers(self, acknowledged: dict[str, str], held: dict[str, str]) -> Claim:
        """Of who had which number before, and who has it now."""
        double = [number for number, reference in acknowledged.items() if held.get(number, reference) != reference]
        return Claim(not double,
                     f"{self.name}: no number is anybody else's ({len(double)} of {len(acknowledged)} are)")

    def stays_out(self, ended: Answer) -> Claim:
        return Claim(ended.status == 401, f"{self.name}: who was signed out is ({ended})")

    def has_other_keys(self, holds: bool) -> Claim:
        return Claim(holds, f"{self.name}: no key of before signs")

    def is_new(self, again: Answer, before: Answer) -> Claim:
        """Of somebody who was erased, and signs in again."""
        is_another = again.status == 200 and again.json["user"]["user_id"] != before.json["user"]["user_id"]
        return Claim(is_another, f"{self.name}: who was erased is new ({again})")

    def stays_locked(self, locked: Answer) -> Claim:
        return Claim(locked.status == 423, f"{self.name}: who was locked is ({locked})")

    def has_standing(self, is_ready: bool, says_why: bool) -> Claim:
        return Claim(is_ready or says_why, f"{self.name}: the third has a standing")

    def is_one(self, used: int, answers: Sequence[int]) -> Claim:
        """Of how many servers have new sessions, where two go on."""
        return Claim(used <= 1,
                     f"{self.name}: one server at most has those who sign in ({used} have some, {list(answers)})")

    def all_serve(self, answers: Sequence[int]) -> Claim:
        return Claim(set(answers) == {200}, f"{self.name}: all serve from the second ({list(answers)})")


def self_test() -> None:
    day = Day("promoted-ledger")
    good, bad = answer(200, user={"user_id": 1}), answer(500)
    shows([day.is_attached(True)], ("is attached", [day.is_attached(False)]))
    shows([day.is_in_step(True)], ("everything so far", [day.is_in_step(False)]))
    shows([day.is_there(good)], ("is there before", [day.is_there(bad)]))
    shows([day.is_erased(good)], ("is erased", [day.is_erased(bad)]))
    shows([day.has_ended(good), day.has_ended(answer(204))], ("a session ends", [day.has_ended(bad)]))
    shows([day.is_locked(good), day.is_locked(answer(204))], ("a user is locked", [day.is_locked(bad)]))
    shows([day.are_let_in("lost", [good])], ("lost: all sign in", [day.are_let_in("lost", [good, bad])]))
    shows([day.has_run("keys", 0, "")], ("keys: the tool", [day.has_run("keys", 1, "")]))
    refused = answer(503)
    shows(day.refuses("one", refused, 0, True, ""),
          ("one refuses", day.refuses("one", good, 0, True, "")),
          ("sends no code", day.refuses("one", refused, 1, True, "")),
          ("says why", day.refuses("one", refused, 0, False, "200")))
    shows([day.is_ready("one", True)], ("is ready again", [day.is_ready("one", False)]))
    acknowledged = {"1": "a", "2": "b"}
    shows([day.keeps_numbers(acknowledged, {"1": "a", "3": "c"})],
          ("(1 of 2 are)", [day.keeps_numbers(acknowledged, {"1": "a", "2": "c"})]))
    shows([day.stays_out(answer(401))], ("signed out is", [day.stays_out(good)]))
    shows([day.has_other_keys(True)], ("no key of before", [day.has_other_keys(False)]))
    shows([day.is_new(answer(200, user={"user_id": 2}), good)], ("erased is new", [day.is_new(good, good)]),
          ("erased is new", [day.is_new(answer(423, user={"user_id": 2}), good)]))
    shows([day.stays_locked(answer(423))], ("was locked is", [day.stays_locked(good)]))
    shows([day.has_standing(True, False), day.has_standing(False, True)],
          ("a standing", [day.has_standing(False, False)]))
    shows([day.is_one(1, [200, 503, 503])], ("(2 have some", [day.is_one(2, [200, 503, 200])]))
    shows([day.all_serve([200] * 3)], ("from the second", [day.all_serve([200, 503, 200])]))
