"""Patroni with a synchronous standby switches over and fails over, and Gatehouse goes along by itself, having lost
nothing."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from apps import SETTINGS, Answers, App
from bench import Bench, eventually
from claims import Claim, shows
from fleet import Fleet
from gatehouse import Gatehouse
from instances import report
from postgres import NotInstalled, programs
from recall import check, check_chains
from testbed.carriers import Carriers
from testbed.client import LOST, JSONObject
from testbed.ports import free_ports
from testbed.process import Process

LONGEST = 600
APPS = 6
NODES = ("one", "two")
LOAD_SECONDS, AFTERWARDS = 4, 4
# Patroni's own terms: how long a leader that says nothing stays one, and between two looks.
TTL, LOOP_WAIT = 20, 2
# A planned switchover, and the end of a leader: its time to be missed, the election, and ours.
SWITCHED_WITHIN, FAILED_OVER_WITHIN = 10, TTL + 2 * LOOP_WAIT + 10
CONFIGURATION = """\
scope: gatehouse
name: {name}
restapi: {{listen: "127.0.0.1:{rest}", connect_address: "127.0.0.1:{rest}"}}
etcd3: {{host: "127.0.0.1:{etcd}"}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop_wait}
    retry_timeout: {retry}
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: 100, wal_log_hints: "on", synchronous_commit: "on"}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}, data-checksums]
  pg_hba: ["host all all 127.0.0.1/32 md5", "host replication all 127.0.0.1/32 md5"]
postgresql:
  listen: "127.0.0.1:{port}"
  connect_address: "127.0.0.1:{port}"
  data_dir: {folder}/{name}
  bin_dir: {programs}
  pgpass: {folder}/{name}.pass
  authentication:
    superuser: {{username: gatehouse, password: {password}}}
    replication: {{username: replicator, password: {password}}}
  parameters: {{unix_socket_directories: "{folder}"}}
"""


# The role and the state of a node by its name.
Members = Mapping[str, tuple[str, str]]


def is_in_step(in_step: bool, members: Members) -> Claim:
    return Claim(in_step, f"the cluster is in step ({members})")


def has_stopped(status: int) -> Claim:
    return Claim(status == 0, "an instance stops in good order")


def is_back(name: str, back: Sequence[float], longest: float) -> Claim:
    """`back` has the seconds until sign-ins succeed at each instance."""
    return Claim(max(back) <= longest, f"{name}: sign-ins again within {longest} s ({max(back):.1f})")


def has_a_standby(name: str, in_step: bool, members: Members) -> Claim:
    return Claim(in_step, f"{name}: a standby is in step again ({members})")


def hands_over(told: object) -> Claim:
    return Claim("Successfully" in str(told), f"the leader hands over ({told})")


def another_leads(leads: bool) -> Claim:
    return Claim(leads, "another one leads")


def run(bench: Bench) -> None:
    try:
        for program in ("patroni", "etcd"):
            if not shutil.which(program):
                raise NotInstalled(f"{program} is not installed")
        with Cluster(bench) as cluster, bench.carriers() as carriers:
            if not bench.state(is_in_step(eventually(cluster.is_in_step, 90), cluster.members())):
                return
            settings = {**SETTINGS, **cluster.storage(), "GATEHOUSE_INSTANCES": "2", "GATEHOUSE_LOG_LEVEL": "notice"}
            servers = {name: bench.start(carriers, name, settings=settings) for name in ("first", "second")}
            try:
                Failover(bench, cluster, carriers, servers).live()
                for server in servers.values():
                    bench.state(has_stopped(server.stop()))
            finally:
                for server in servers.values():
                    if server.is_running:
                        server.kill()
    except NotInstalled as error:
        bench.skip(str(error))


class Cluster:
    """Two nodes of Patroni's with one etcd, all on the loopback interface."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.programs = bench, programs(bench)
        self.folder = tempfile.mkdtemp(prefix="gatehouse-patroni-", dir="/tmp")
        os.chmod(self.folder, 0o711)
        self.owner: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        self.password = secrets.token_hex(12)
        self.etcd_port, self.peer_port, *ports = free_ports(6)
        self.ports = dict(zip(NODES, ports[:2], strict=True))
        self.rests = dict(zip(NODES, ports[2:], strict=True))
        self.nodes: dict[str, Process] = {}
        self.starts = 0

    def __enter__(self) -> Self:
        here = f"http://127.0.0.1:{self.etcd_port}"
        self.etcd = self.process("etcd", [
            "etcd", f"--data-dir={self.folder}/etcd", f"--listen-client-urls={here}", f"--advertise-client-urls={here}",
            f"--listen-peer-urls=http://127.0.0.1:{self.peer_port}"])
        for name in NODES:
            self.start(name)
            # The first makes the database, and the second copies it.
            eventually(lambda: self.leader() is not None, 60)
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes.values():
            self.kill_all(node)
        self.etcd.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def process(self, name: str, command: Sequence[str]) -> Process:
        self.starts += 1
        return Process([*self.owner, "env", f"--chdir={self.folder}", *command],
                       os.path.join(self.bench.folder, f"{name}-{self.starts}.log"))

    def start(self, name: str) -> None:
        path = f"{self.folder}/{name}.yaml"
        with open(path, "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(
                name=name, rest=self.rests[name], etcd=self.etcd_port, port=self.ports[name], folder=self.folder,
                programs=self.programs, password=self.password, ttl=TTL, loop_wait=LOOP_WAIT, retry=LOOP_WAIT * 2))
        os.chmod(path, 0o644)
        self.nodes[name] = self.process(name, ["patroni", path])

    def kill(self, name: str) -> None:
        """Ends a node with all its processes at one instant, as a machine ends that loses power."""
        self.kill_all(self.nodes[name])

    @staticmethod
    def kill_all(node: Process) -> None:
        family, left = [], [node.id]
        while left:
            one = left.pop()
            family.append(one)
            done = subprocess.run(["pgrep", "-P", str(one)], capture_output=True, text=True, check=False)
            left += [int(word) for word in done.stdout.split()]
        for signal_ in (signal.SIGSTOP, signal.SIGKILL):
            for one in family:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal_)
        node.child.wait()

    def ask(self, name: str, path: str, body: object = None) -> JSONObject | str | None:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rests[name]}{path}", json.dumps(body).encode() if body else None,
            {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
        except (urllib.error.URLError, OSError):
            return None
        if not text.startswith(b"{"):
            return str(text, "utf-8")
        value: JSONObject = json.loads(text)
        return value

    def members(self) -> Members:
        """The role of each node, as any of them knows it."""
        for name in NODES:
            if isinstance(found := self.ask(name, "/cluster"), dict):
                return {member["name"]: (member["role"], member["state"]) for member in found["members"]}
        return {}

    def leader(self) -> str | None:
        return next((name for name, member in self.members().items() if member == ("leader", "running")), None)

    def is_in_step(self) -> bool:
        return sorted(role for role, _ in self.members().values()) == ["leader", "sync_standby"]

    def storage(self) -> dict[str, str]:
        key = os.path.join(self.bench.folder, "master.key")
        with open(key, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(secrets.token_urlsafe(32))
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports.values())
        address = f"postgres://gatehouse@{hosts}/postgres?target_session_attrs=read-write&sslmode=disable"
        return {"GATEHOUSE_STORAGE_URL": address, "GATEHOUSE_STORAGE_PASSWORD": self.password,
                "GATEHOUSE_STORAGE_MASTER_KEY_FILE": key, "GATEHOUSE_STORAGE_CREATE": "true",
                "GATEHOUSE_STORAGE_CONNECT_SECONDS": "2", "GATEHOUSE_STORAGE_STATEMENT_SECONDS": "2"}


class Failover:
    def __init__(self, bench: Bench, cluster: Cluster, carriers: Carriers, servers: Mapping[str, Gatehouse]) -> None:
        self.bench, self.cluster, self.servers = bench, cluster, servers
        self.answers = Answers()
        fleet = Fleet(servers)
        self.apps = [App(f"app{number}", carriers, fleet, self.answers) for number in range(APPS)]

    def live(self) -> None:
        self.under_load("switchover", self.switch_over, SWITCHED_WITHIN)
        self.under_load("failover", self.fail_over, FAILED_OVER_WITHIN)
        # The node that was killed comes back as the standby, and may be lead again.
        self.under_load("back", self.switch_over, SWITCHED_WITHIN)
        check_chains(self.bench, self.apps, "at the end")
        self.bench.figure("refused", self.answers.refused)
        self.bench.figure("longest_answer_s", self.answers.slowest)
        report(self.bench, self.apps, self.answers)

    def under_load(self, name: str, harm: Callable[[], None], longest: float) -> None:
        over = threading.Event()
        threads = [threading.Thread(target=app.work, args=(over,)) for app in self.apps]
        for thread in threads:
            thread.start()
        try:
            time.sleep(LOAD_SECONDS)
            began = time.monotonic()
            harm()
            back = [self.seconds_until_back(server, f"{name}-{place}", began)
                    for place, server in self.servers.items()]
            self.bench.figure(f"{name}_s", max(back))
            self.bench.state(is_back(name, back, longest))
            time.sleep(AFTERWARDS)
        finally:
            over.set()
            for thread in threads:
                thread.join()
        check(self.bench, self.apps, f"after the {name}")
        in_step = eventually(self.cluster.is_in_step, 90)
        self.bench.state(has_a_standby(name, in_step, self.cluster.members()))

    def seconds_until_back(self, server: Gatehouse, subscriber: str, since: float) -> float:
        def signs_in() -> bool:
            try:
                return server.sign_in(subscriber).status == 200
            except LOST:
                return False

        eventually(signs_in, 60)
        return time.monotonic() - since

    def leader(self) -> str:
        leader = self.cluster.leader()
        if leader is None:
            raise RuntimeError("the cluster has no leader")
        return leader

    def switch_over(self) -> None:
        leader = self.leader()
        told = self.cluster.ask(leader, "/switchover", {"leader": leader})
        self.bench.state(hands_over(told))

    def fail_over(self) -> None:
        leader = self.leader()
        self.cluster.kill(leader)
        self.bench.state(another_leads(eventually(lambda: self.cluster.leader() not in (None, leader), 60)))
        self.cluster.start(leader)


def self_test() -> None:
    members = {"one": ("leader", "running")}
    shows([is_in_step(True, members)], ("in step", [is_in_step(False, members)]))
    shows([has_stopped(0)], ("good order", [has_stopped(-9)]))
    shows([is_back("failover", [1.0, FAILED_OVER_WITHIN], FAILED_OVER_WITHIN)],
          ("failover", [is_back("failover", [1.0, FAILED_OVER_WITHIN + 0.1], FAILED_OVER_WITHIN)]))
    shows([has_a_standby("back", True, members)], ("a standby", [has_a_standby("back", False, members)]))
    shows([hands_over("Successfully switched over to \"two\"")], ("hands over", [hands_over(None)]),
          ("hands over", [hands_over("no good candidates have been found")]))
    shows([another_leads(True)], ("another", [another_leads(False)]))
