"""Behind a proxy that tries nothing twice, instances on one PostgreSQL are replaced in turn, and no request is lost."""

import os
import shutil
import threading

from apps import SETTINGS, Answers, App
from bench import eventually, tally
from fleet import Proxied
from instances import report
from postgres import NotInstalled, postgres, storage
from recall import check, check_chains
from stops import LAME_DUCK_SECONDS, Load, Proxy
from testbed.ports import free_ports

REQUESTS = int(os.environ.get("DRILL_ROLLING_REQUESTS", "100000"))
LONGEST = 120 + REQUESTS // 100
# Besides the apps, whose requests have connections of their own, there are connections that are kept.
APPS, KEEPING = 6, 4
# However fast the requests are answered, each instance is replaced so often.
LEAST_STOPS = 4


def run(bench):
    if not shutil.which("haproxy"):
        return bench.skip("haproxy is not installed")
    try:
        with postgres(bench) as database, bench.carriers() as carriers:
            replace_in_turn(bench, carriers, storage(bench, database))
    except NotInstalled as error:
        bench.skip(str(error))


def replace_in_turn(bench, carriers, settings):
    ports = free_ports(5)
    places = {"one": ports[:2], "two": ports[2:4]}

    def start(name):
        return bench.start(carriers, name, settings={
            **SETTINGS, **settings, "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_HTTP_PORT": str(places[name][0]), "GATEHOUSE_LOG_LEVEL": "notice",
            "GATEHOUSE_ADMIN_PORT": str(places[name][1]), "GATEHOUSE_HTTP_LAME_DUCK_SECONDS": str(LAME_DUCK_SECONDS)})

    servers = {name: start(name) for name in places}
    proxy, answers = Proxy(bench.folder, ports[4], places), Answers()
    apps = [App(f"app{number}", carriers, Proxied(proxy.port), answers) for number in range(APPS)]
    load = Load(carriers, proxy.port)
    threads = [threading.Thread(target=app.work, args=(load.over,)) for app in apps]
    threads += [threading.Thread(target=load.keep) for _ in range(KEEPING)]
    stops = 0
    try:
        bench.claim(eventually(lambda: all(proxy.sees(name) for name in places)), "the proxy sees both instances")
        for thread in threads:
            thread.start()
        while stops < LEAST_STOPS or load.answered + answers.total < REQUESTS:
            name = list(places)[stops % 2]
            bench.claim(servers[name].stop() == 0, f"stop {stops} is in good order")
            servers[name] = start(name)
            bench.claim(eventually(lambda: proxy.sees(name)), f"the proxy sees the instance again ({stops})")
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
    bench.claim(not load.failed, f"none of the requests on kept connections fails ({tally(load.failed)})")
    bench.claim(answers.refused == 0, f"no request is refused for the store ({answers.refused} are)")


def end(load, threads):
    load.over.set()
    for thread in threads:
        if thread.is_alive():
            thread.join()
