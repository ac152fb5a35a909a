"""Clients log what they ask and are told during faults, and a checker finds nothing lost, stale or double."""

import collections
import copy
import os
import random
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import history_self_test
import linearizability
from bench import Bench, crowd, tally
from claims import Claim, shows
from history_checker import Anomaly, check
from history_clients import Person
from history_faults import FAULTS
from history_log import OK, REFUSED, UNKNOWN, Log, Operation
from history_plants import PLANTS, Proxy
from history_service import Service, service
from history_world import World
from postgres import NotInstalled
from testbed.carriers import Carriers

SECONDS = int(os.environ.get("DRILL_HISTORY_SECONDS", "20"))
# Some of the faults, by their names; a planted fault instead of them, or all of those.
CHOSEN = os.environ.get("DRILL_HISTORY_FAULTS", "").replace(",", " ").split() or list(FAULTS)
PLANTED = os.environ.get("DRILL_HISTORY_PLANT", "")
PLANT_SECONDS = 5
# A history is checked so often, and begins anew: by then millions of operations would have to be kept.
CHAPTER = 60
# What is read back takes time as well, and so do starts.
LONGEST = 300 + len(CHOSEN) * (3 * SECONDS + 120)
CLIENTS, READERS = 12, 8
# How long a service is left alone before each time that it is harmed.
LEAST_PAUSE, LONGEST_PAUSE = 0.3, 1.5
# How many anomalies are printed, and stand in the drill's folder with all that concerns them.
PRINTED, WRITTEN = 5, 50


def has_run(name: str, error: Exception | None) -> Claim:
    return Claim(error is None, f"{name}: the history runs to its end ({error})")


def is_well(name: str, counts: Mapping[str, int]) -> list[Claim]:
    """`counts` are how much there was of what."""
    return [
        Claim(not counts["anomalies"], f"{name}: the history has no anomaly ({counts['anomalies']} found)"),
        Claim(counts["harms"] > 0 and counts[OK] > 0, f"{name}: there was harm, and there were answers")]


def is_found(name: str, anomaly: str, sessions: Collection[str]) -> Claim:
    """`sessions` are those that a fault was planted in, and of which the anomaly was reported."""
    return Claim(len(sessions) > 0, f"{name}: a planted fault is reported as {anomaly}")


def run(bench: Bench) -> None:
    if PLANTED:
        for name in PLANTS if PLANTED == "all" else [PLANTED]:
            find_planted(of_its_own(bench, name), name)
        return
    total: collections.Counter[str] = collections.Counter()
    for number, name in enumerate(CHOSEN):
        # Who registers by ticket is asked for in every second one.
        settings = {"GATEHOUSE_REGISTRATION": "ticket"} if number % 2 else {}
        try:
            place = of_its_own(bench, name)
            with place.carriers() as carriers, FAULTS[name](place, carriers, name, settings) as (instances, harm):
                total.update(under_fault(place, carriers, name, instances, harm))
        except NotInstalled as error:
            bench.skip(f"{name}: {error}")
        except RuntimeError as error:  # The other faults still run.
            bench.state(has_run(name, error))
    for what, count in total.items():
        bench.figure(what, count)


def of_its_own(bench: Bench, name: str) -> Bench:
    """The same bench in a folder of its own, where no log is another history's."""
    place = copy.copy(bench)
    place.folder = os.path.join(bench.folder, name)
    os.makedirs(place.folder)
    return place


def under_fault(bench: Bench, carriers: Carriers, name: str, instances: Service,
                harm: Callable[[], None]) -> collections.Counter[str]:
    """The history of one fault, in chapters, and what is claimed of it."""
    counts: collections.Counter[str] = collections.Counter()
    for chapter in range(-(-SECONDS // CHAPTER)):
        # Nobody of a chapter is in another one.
        world = World(f"{name}{chapter}", carriers, instances, Log())
        instances.log = world.log
        with working(world, CLIENTS):
            deadline = time.monotonic() + min(CHAPTER, SECONDS - chapter * CHAPTER)
            while time.monotonic() < deadline:
                time.sleep(random.uniform(LEAST_PAUSE, LONGEST_PAUSE))
                harm()
                counts["harms"] += 1
        instances.await_well()
        read_back(world)
        counts.update(report(bench, world)[1])
    bench.note(f"{name}: " + ", ".join(f"{what} {count}" for what, count in counts.items()))
    bench.state(*is_well(name, counts))
    return counts


class working:
    """Has so many clients work while a block runs."""

    def __init__(self, world: World, count: int) -> None:
        self.over = threading.Event()
        self.failures: list[Exception] = []
        people = [Person(f"app{number}", world) for number in range(count)]
        self.threads = [threading.Thread(target=self.work, args=(person,)) for person in people]

    def work(self, person: Person) -> None:
        try:
            person.work(self.over)
        except Exception as error:  # A client that is gone makes the history smaller, and nobody would see that.
            self.failures.append(error)

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]


def read_back(world: World) -> None:
    """Asks for all that was acknowledged, at any instance: each session, each subject, the newest refresh tokens."""
    def show(number: int) -> bool:
        return Person("reader", world).show(sessions[number], sessions[number].generation)

    sessions, subjects = list(world.sessions.values()), sorted(world.subjects)
    crowd(len(sessions), lambda number: Person("reader", world).look_at(sessions[number]), READERS)
    crowd(len(subjects), lambda number: Person("reader", world).sign_in_as(subjects[number]), READERS)
    crowd(len(sessions), show, READERS)
    crowd(len(sessions), lambda number: Person("reader", world).look_at(sessions[number]), READERS)


def report(bench: Bench, world: World) -> tuple[list[Anomaly], dict[str, int]]:
    """The anomalies, and how many operations and of which outcome there were."""
    operations = world.log.operations
    outcomes = collections.Counter(operation.outcome for operation in operations)
    anomalies = check(operations) + [Anomaly(*finding) for finding in linearizability.check(operations)]
    kinds = tally(f"{operation.kind}:{operation.told.get('error', operation.outcome)}" for operation in operations)
    bench.note(f"{world.name}: {kinds}")
    for anomaly in anomalies[:PRINTED]:
        bench.note(str(anomaly))
    if anomalies:
        with open(os.path.join(bench.folder, f"{world.name}-anomalies.txt"), "w", encoding="utf-8") as file:
            for anomaly in anomalies[:WRITTEN]:
                file.write(f"{anomaly}\n")
                file.writelines(f"    {one}: {one.asked} {one.told}\n" for one in around(operations, anomaly))
    by_outcome = {outcome: outcomes[outcome] for outcome in (OK, REFUSED, UNKNOWN)}
    return anomalies, {"operations": len(operations), **by_outcome, "anomalies": len(anomalies)}


def around(operations: Sequence[Operation], anomaly: Anomaly) -> Iterator[Operation]:
    """All that concerns the same session, or is a sign-in or a link of the same subject."""
    sessions = {what.get("session") for one in anomaly.operations for what in (one.asked, one.told)} - {None}
    subjects = {one.asked.get("subject") for one in anomaly.operations} - {None}
    for operation in operations:
        named = {operation.asked.get("session"), operation.asked.get("other"), operation.told.get("session")}
        if named & sessions or operation.asked.get("subject") in subjects:
            yield operation


def find_planted(bench: Bench, name: str) -> None:
    """A short history without a fault but the planted one, which is found, and by its name."""
    with bench.carriers() as carriers, service(bench, carriers, name, {}) as instances:
        plant = PLANTS[name](instances.port())
        proxy = Proxy(plant)
        world = World(name, carriers, proxy, Log())
        try:
            with working(world, CLIENTS):
                time.sleep(PLANT_SECONDS)
            read_back(world)
        finally:
            proxy.shutdown()
            proxy.server_close()
    anomalies, _ = report(bench, world)
    found: set[str] = set()
    for anomaly in anomalies:
        named: set[object] = {what.get("session") for one in anomaly.operations for what in (one.asked, one.told)}
        if anomaly.name == plant.name:
            found |= plant.planted & named
    bench.figure(name, f"{len(found)} of {len(plant.planted)}")
    bench.note(f"{name}: " + tally(f"{anomaly.name}, {anomaly.sentence}" for anomaly in anomalies))
    bench.state(is_found(name, plant.name, found))


def self_test() -> None:
    shows([has_run("kill", None)], ("to its end", [has_run("kill", RuntimeError("no instance has come back"))]))
    good = {"anomalies": 0, "harms": 1, OK: 1}
    shows(is_well("kill", good), ("no anomaly", is_well("kill", {**good, "anomalies": 1})),
          ("there was harm", is_well("kill", {**good, "harms": 0})),
          ("there was harm", is_well("kill", {**good, OK: 0})))
    shows([is_found("lost-session", "lost", {"s"})], ("reported as lost", [is_found("lost-session", "lost", set())]))
    history_self_test.check_all()
