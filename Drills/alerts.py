"""One provider fails, another turns its keys badly, a disk is full and a primary is gone: Prometheus says so, then that
it is over."""

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Collection, Mapping
from typing import Any

from bench import Bench, eventually
from claims import Claim, shows
from gatehouse import Gatehouse
from mounts import Unavailable, mount, unmount
from postgres import NotInstalled as NoDatabase
from postgres import Postgres, storage
from storage import fill
from testbed.carriers import Carriers
from testbed.client import LOST, JSONObject
from testbed.ports import free_port
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


# The name of an alert, and the provider or instance that it is about.
Alert = tuple[str, str]


class NotInstalled(Exception):
    """Prometheus is not to be had here."""


def run(bench: Bench) -> None:
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


def live(bench: Bench, prometheus: "Prometheus", carriers: Carriers, pair: "Pair", filler: str) -> None:
    watch = Watch(bench, prometheus)
    time.sleep(CALM_SECONDS)
    bench.state(nothing_fires(watch.look()))
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
    fading = {("GatehouseProviderCircuitOpen", "zenkey"), ("GatehouseReadinessFlapping", "file")}
    watch.ends(stores, again, also=providers | budget | fading)
    watch.ends(providers, mended, also=budget)
    watch.ends({("GatehouseSignInErrorBudgetFast", "")}, again, also=budget)
    bench.state(nothing_else_fires(watch.strange))


def nothing_fires(firing: Collection[Alert]) -> Claim:
    return Claim(not firing, f"while all is well nothing fires ({firing})")


def nothing_else_fires(strange: Collection[Alert]) -> Claim:
    return Claim(not strange, f"nothing else fires ({sorted(strange)})")


def have_fired(left: Collection[Alert]) -> Claim:
    return Claim(not left, f"these fire within {FIRES_WITHIN} s, too: {sorted(left)}")


def have_ended(left: Collection[Alert]) -> Claim:
    return Claim(not left, f"these end within {ENDS_WITHIN} s, too: {sorted(left)}")


def is_in_step(in_step: bool) -> Claim:
    return Claim(in_step, "the standby is in step")


class Watch:
    """What fires, as of when."""

    def __init__(self, bench: Bench, prometheus: "Prometheus") -> None:
        self.bench, self.prometheus = bench, prometheus
        self.strange: set[Alert] = set()

    def look(self, expected: Collection[Alert] = ()) -> set[Alert]:
        firing = {(alert["labels"]["alertname"], alert["labels"].get("provider") or alert["labels"].get("instance", ""))
                  for alert in self.prometheus.alerts() if alert["state"] == "firing"}
        self.strange |= firing - set(expected)
        return firing

    def fires(self, alerts: set[Alert], since: float, also: set[Alert]) -> None:
        left = set(alerts)

        def all_fire() -> bool:
            for alert in left & self.look(alerts | also):
                self.tell(alert, "fires_after_s", since)
                left.discard(alert)
            return not left

        eventually(all_fire, FIRES_WITHIN)
        self.bench.state(have_fired(left))

    def ends(self, alerts: set[Alert], since: float, also: set[Alert]) -> None:
        left = set(alerts)

        def all_end() -> bool:
            for alert in left - self.look(alerts | also):
                self.tell(alert, "ends_after_s", since)
                left.discard(alert)
            return not left

        eventually(all_end, ENDS_WITHIN)
        self.bench.state(have_ended(left))

    def tell(self, alert: Alert, what: str, since: float) -> None:
        seconds = time.monotonic() - since
        self.bench.note(f"{alert[0]} {alert[1]} {what.replace('_', ' ')} {seconds:.0f}")
        self.bench.figure(f"{alert[0]}_{alert[1]}_{what}", round(seconds))


class Prometheus(Process):
    def __init__(self, bench: Bench, servers: Mapping[str, Gatehouse]) -> None:
        self.port = free_port()
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

    # Any, because each path has data of another shape.
    def ask(self, path: str, **query: str) -> Any:
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return json.load(answer)["data"]

    def is_up(self) -> bool:
        try:
            return len(self.ask("query", query='up{job="gatehouse"} == 1')["result"]) == 2
        except OSError:
            return False

    def alerts(self) -> list[JSONObject]:
        alerts: list[JSONObject] = self.ask("alerts")["alerts"]
        return alerts


class Pair:
    """A primary and a standby that lags behind nothing."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.primary = Postgres(bench, "primary", {"synchronous_standby_names": "standby"})
        self.standby = Postgres(bench, "standby")

    def make(self) -> None:
        self.primary.make()
        self.primary.start()
        self.primary.await_ready()
        self.standby.copy(self.primary)
        self.standby.start()
        in_step = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        self.bench.state(is_in_step(eventually(lambda: self.primary.ask(in_step) == "1", 30)))

    def remove(self) -> None:
        for database in (self.primary, self.standby):
            database.remove()


class Load:
    """People who sign in all the time, at each instance and provider."""

    def __init__(self, carriers: Carriers, servers: Mapping[str, Gatehouse]) -> None:
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.sign_in, args=(carriers, server, name, issuer))
                        for name, server in servers.items() for issuer in ("aurora", "plain")]

    def sign_in(self, carriers: Carriers, server: Gatehouse, name: str, issuer: str) -> None:
        number = 0
        while not self.over.wait(PAUSE):
            number += 1
            with contextlib.suppress(*LOST, RuntimeError):
                server.call("POST", "/auth/signin", body=carriers.authorize(f"{name}{number % 50}", issuer))

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()


def self_test() -> None:
    alert = ("GatehouseStoreDown", "file")
    shows([nothing_fires([])], ("while all is well", [nothing_fires([alert])]))
    shows([nothing_else_fires([])], ("nothing else", [nothing_else_fires([alert])]))
    shows([have_fired([])], ("StoreDown", [have_fired([alert])]))
    shows([have_ended([])], ("StoreDown", [have_ended([alert])]))
    shows([is_in_step(True)], ("in step", [is_in_step(False)]))
