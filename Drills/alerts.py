"""One provider fails, another turns its keys badly, a disk is full and a primary is gone: Prometheus says so, then that it is over."""

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from bench import eventually
from mounts import Unavailable, mount, unmount
from postgres import NotInstalled as NoDatabase
from postgres import Postgres, storage
from storage import fill
from testbed.client import LOST
from testbed.ports import free_ports
from testbed.process import Process

LONGEST = 1800
TMPFS_BYTES = 24 << 20
CALM_SECONDS = 90
# An alert waits a minute before it fires, and its five minutes have to fill with failures.
FIRES_WITHIN = 240
# The failures of five minutes have to become few again.
ENDS_WITHIN = 420
# Of each instance and provider; an alert needs more than ten in five minutes.
PAUSE = 0.5
CONFIGURATION = """\
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: gatehouse
    static_configs:
      - {{targets: ["127.0.0.1:{file}"], labels: {{instance: file}}}}
      - {{targets: ["127.0.0.1:{shared}"], labels: {{instance: shared}}}}
"""


class NotInstalled(Exception):
    """Prometheus is not to be had here."""


def run(bench):
    folder = os.path.join(bench.folder, "tmpfs")
    os.makedirs(folder)
    try:
        if not shutil.which("prometheus"):
            raise NotInstalled("prometheus is not installed")
        with contextlib.ExitStack() as stack:
            mount("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "tmpfs", folder)
            stack.callback(unmount, folder)
            pair = Pair(bench)
            stack.callback(pair.remove)
            pair.make()
            carriers = stack.enter_context(bench.carriers())
            shared = {**storage(bench, pair.primary, pair.standby), "GATEHOUSE_STORAGE_CONNECT_SECONDS": "2"}
            servers = {"file": bench.start(carriers, "file", database=f"{folder}/gatehouse.db"),
                       "shared": bench.start(carriers, "shared", settings=shared)}
            for server in servers.values():
                stack.callback(server.kill)
            prometheus = Prometheus(bench, servers)
            stack.callback(prometheus.kill)
            with Load(carriers, servers):
                live(bench, prometheus, carriers, pair, f"{folder}/filler")
    except (NotInstalled, NoDatabase, Unavailable) as error:
        bench.skip(str(error))


def live(bench, prometheus, carriers, pair, filler):
    watch = Watch(bench, prometheus)
    time.sleep(CALM_SECONDS)
    bench.claim(not watch.look(), f"while all is well nothing fires ({watch.look()})")
    began = time.monotonic()
    carriers.misbehave("status_503", endpoint="token", issuer="aurora")
    carriers.misbehave("id_token_unknown_kid", issuer="plain")
    providers = {("GatehouseProviderFailing", "zenkey"), ("GatehouseProviderFailing", "plain")}
    watch.fires(providers, began, also={("GatehouseProviderCircuitOpen", "zenkey")})
    carriers.behave()
    mended = time.monotonic()
    # While what is over with providers fades, the stores have their trouble.
    fill(filler)
    pair.standby.cut_off()
    pair.primary.kill()
    stores = {("GatehouseStoreDown", "file"), ("GatehouseStoreDown", "shared")}
    budget = {("GatehouseSignInErrorBudgetFast", ""), ("GatehouseSignInErrorBudgetSlow", "")}
    watch.fires(stores, mended, also=providers | budget | {("GatehouseProviderCircuitOpen", "zenkey")})
    os.remove(filler)
    pair.standby.promote()
    again = time.monotonic()
    watch.ends(stores, again, also=providers | budget | {("GatehouseProviderCircuitOpen", "zenkey"), ("GatehouseReadinessFlapping", "file")})
    watch.ends(providers, mended, also=budget)
    watch.ends({("GatehouseSignInErrorBudgetFast", "")}, again, also=budget)
    bench.claim(not watch.strange, f"nothing else fires ({sorted(watch.strange)})")


class Watch:
    """What fires, as of when."""

    def __init__(self, bench, prometheus):
        self.bench, self.prometheus = bench, prometheus
        self.strange = set()

    def look(self, expected=frozenset()):
        firing = {(alert["labels"]["alertname"], alert["labels"].get("provider") or alert["labels"].get("instance", ""))
                  for alert in self.prometheus.alerts() if alert["state"] == "firing"}
        self.strange |= firing - expected
        return firing

    def fires(self, alerts, since, also):
        left = set(alerts)

        def all_fire():
            for alert in left & self.look(alerts | also):
                self.tell(alert, "fires_after_s", since)
                left.discard(alert)
            return not left

        self.bench.claim(eventually(all_fire, FIRES_WITHIN), f"these fire within {FIRES_WITHIN} s, too: {sorted(left)}")

    def ends(self, alerts, since, also):
        left = set(alerts)

        def all_end():
            for alert in left - self.look(alerts | also):
                self.tell(alert, "ends_after_s", since)
                left.discard(alert)
            return not left

        self.bench.claim(eventually(all_end, ENDS_WITHIN), f"these end within {ENDS_WITHIN} s, too: {sorted(left)}")

    def tell(self, alert, what, since):
        seconds = time.monotonic() - since
        self.bench.note(f"{alert[0]} {alert[1]} {what.replace('_', ' ')} {seconds:.0f}")
        self.bench.figure(f"{alert[0]}_{alert[1]}_{what}", round(seconds))


class Prometheus(Process):
    def __init__(self, bench, servers):
        (self.port,) = free_ports(1)
        configuration = os.path.join(bench.folder, "prometheus.yml")
        with open(configuration, "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(
                rules=f"{bench.root}/Config/observability/gatehouse.rules.yml",
                **{name: server.admin_port for name, server in servers.items()}))
        subprocess.run(["promtool", "check", "config", configuration], check=True, capture_output=True)
        super().__init__(
            ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={bench.folder}/prometheus",
             f"--web.listen-address=127.0.0.1:{self.port}"], os.path.join(bench.folder, "prometheus.log"))
        if not eventually(self.is_up, 30):
            raise RuntimeError("Prometheus does not come up")

    def ask(self, path, **query):
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]

    def is_up(self):
        try:
            return len(self.ask("query", query='up{job="gatehouse"} == 1')["result"]) == 2
        except OSError:
            return False

    def alerts(self):
        return self.ask("alerts")["alerts"]


class Pair:
    """A primary and a standby that lags behind nothing."""

    def __init__(self, bench):
        self.bench = bench
        self.primary = Postgres(bench, "primary", {"synchronous_standby_names": "standby"})
        self.standby = Postgres(bench, "standby")

    def make(self):
        self.primary.make()
        self.primary.start()
        self.primary.await_ready()
        self.standby.copy(self.primary)
        self.standby.start()
        in_step = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        self.bench.claim(eventually(lambda: self.primary.ask(in_step) == "1", 30), "the standby is in step")

    def remove(self):
        for database in (self.primary, self.standby):
            database.remove()


class Load:
    """People who sign in all the time, at each instance and provider."""

    def __init__(self, carriers, servers):
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.sign_in, args=(carriers, server, name, issuer))
                        for name, server in servers.items() for issuer in ("aurora", "plain")]

    def sign_in(self, carriers, server, name, issuer):
        number = 0
        while not self.over.wait(PAUSE):
            number += 1
            with contextlib.suppress(LOST, RuntimeError):
                server.call("POST", "/auth/signin", body=carriers.authorize(f"{name}{number % 50}", issuer))

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()
