"""Behind a proxy that tries nothing twice, instances on one PostgreSQL are replaced in turn, and no request is lost."""

import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence

from apps import SETTINGS, Answers, App
from bench import Bench, eventually, tally
from claims import Claim, shows
from fleet import Proxied
from gatehouse import Gatehouse
from instances import is_not_refused, report
from postgres import NotInstalled, postgres, storage
from recall import check, check_chains
from stops import LAME_DUCK_SECONDS, Load, Proxy, is_in_good_order, is_seen
from testbed.carriers import Carriers
from testbed.ports import free_ports

REQUESTS = int(os.environ.get("DRILL_ROLLING_REQUESTS", "100000"))
LONGEST = 120 + REQUESTS // 100
# Besides the apps, whose requests have connections of their own, there are connections that are kept.
APPS, KEEPING = 6, 4
# However fast the requests are answered, each instance is replaced so often.
LEAST_STOPS = 4


def run(bench: Bench) -> None:
    if not shutil.which("haproxy"):
        bench.skip("haproxy is not installed")
        return
    try:
        with postgres(bench) as database, bench.carriers() as carriers:
            replace_in_turn(bench, carriers, storage(bench, database))
    except NotInstalled as error:
        bench.skip(str(error))


def replace_in_turn(
        bench: Bench, carriers: Carriers, settings: Mapping[str, str], earlier: str | None = None,
        before: Callable[[], None] = lambda: None) -> None:
    """Replaces one instance after the other under load.

    Those that are there first are of `earlier`, an executable of another version; `before` is called beside them.
    """
    ports = free_ports(5)
    places = {"one": ports[:2], "two": ports[2:4]}

    def start(name: str, executable: str | None = None) -> Gatehouse:
        own = {
            **SETTINGS, **settings, "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_HTTP_PORT": str(places[name][0]),
            "GATEHOUSE_LOG_LEVEL": "notice", "GATEHOUSE_ADMIN_PORT": str(places[name][1]),
            "GATEHOUSE_HTTP_LAME_DUCK_SECONDS": str(LAME_DUCK_SECONDS)}
        # Variables had no prefix once.
        former = {key.removeprefix("GATEHOUSE_"): value for key, value in own.items()} if executable else {}
        return bench.start(carriers, name, executable=executable, settings={**former, **own})

    servers = {name: start(name, earlier) for name in places}
    proxy, answers = Proxy(bench.folder, ports[4], places), Answers()
    apps = [App(f"app{number}", carriers, Proxied(proxy.port), answers) for number in range(APPS)]
    load = Load(carriers, proxy.port)
    threads = [threading.Thread(target=app.work, args=(load.over,)) for app in apps]
    threads += [threading.Thread(target=load.keep) for _ in range(KEEPING)]
    stops = 0
    try:
        bench.state(sees_both(eventually(lambda: all(proxy.sees(name) for name in places))))
        for thread in threads:
            thread.start()
        before()
        while stops < LEAST_STOPS or load.answered + answers.total < REQUESTS:
            name = list(places)[stops % 2]
            bench.state(is_in_good_order(stops, servers[name].stop()))
            servers[name] = start(name)
            bench.state(sees_again(stops, is_seen(proxy, name)))
            stops += 1
        end(load, threads)
        check(bench, apps, "at the end")
        check_chains(bench, apps, "at the end")
    finally:
        end(load, threads)
        proxy.kill()
        for server in servers.values():
            if server.is_running:
                server.kill()
    bench.figure("stops", stops)
    bench.figure("of_kept_connections", load.answered)
    bench.figure("failed", len(load.failed) + len(answers.wrong) + answers.refused)
    report(bench, apps, answers)
    bench.state(succeed(load.failed), is_not_refused(answers.refused))


def sees_both(holds: bool) -> Claim:
    return Claim(holds, "the proxy sees both instances")


def sees_again(stop: int, holds: bool) -> Claim:
    return Claim(holds, f"the proxy sees the instance again ({stop})")


def succeed(failed: Sequence[str]) -> Claim:
    return Claim(not failed, f"none of the requests on kept connections fails ({tally(failed)})")


def end(load: Load, threads: Sequence[threading.Thread]) -> None:
    load.over.set()
    for thread in threads:
        if thread.is_alive():
            thread.join()


def self_test() -> None:
    shows([sees_both(True)], ("sees both", [sees_both(False)]))
    shows([sees_again(1, True)], ("sees the instance again (1)", [sees_again(1, False)]))
    shows([succeed([])], ("/healthz:502×1", [succeed(["/healthz:502"])]))
