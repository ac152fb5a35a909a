"""A PostgreSQL of a drill's own, whose commits last, and which can be killed, copied and promoted."""

import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from typing import Protocol

from bench import Bench
from testbed.process import Process

READY = re.compile(r"database system is ready to accept connections")
# What is killed has its log replayed first.
LONGEST_START = 60
# Both servers of a pair, and all connections of a few instances.
CONNECTIONS = 200


class NotInstalled(Exception):
    """PostgreSQL is not to be had here."""


def programs(bench: Bench) -> str:
    """The folder of its programs."""
    found = subprocess.run([f"{bench.root}/scripts/postgres-programs"], stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode:
        raise NotInstalled("PostgreSQL is not installed")
    return found.stdout.strip()


class Postgres:
    """It listens on a socket in a folder of its own and nowhere else. What it says goes to the drill's folder."""

    def __init__(self, bench: Bench, name: str = "postgres", settings: Mapping[str, str] | None = None) -> None:
        self.programs = programs(bench)
        self.settings = settings or {}
        # The drill's folder is nobody else's, and the server refuses to run as root. The name of a socket has to be
        # short, too.
        self.folder = tempfile.mkdtemp(prefix="gatehouse-postgres-", dir="/tmp")
        self.owner: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        os.chmod(self.folder, 0o711)
        self.data = f"{self.folder}/data"
        self.log = os.path.join(bench.folder, name)
        self.starts = 0
        self.started: Process | None = None

    @property
    def process(self) -> Process:
        """The one of the last start."""
        if self.started is None:
            raise RuntimeError("PostgreSQL has not been started")
        return self.started

    def command(self, program: str, *words: str) -> list[str]:
        return [*self.owner, "env", f"--chdir={self.folder}", f"{self.programs}/{program}", *words]

    def tool(self, program: str, *words: str) -> str:
        """What one of its programs prints; raises when that fails."""
        done = subprocess.run(
            self.command(program, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.strip()[-500:]}")
        return done.stdout.strip()

    def make(self) -> None:
        self.tool("initdb", f"--pgdata={self.data}", "--username=gatehouse", "--auth=trust", "--encoding=UTF8",
                  "--locale=C")

    def copy(self, primary: "Postgres") -> None:
        """Becomes a standby of another server, which knows it by the name `standby`."""
        self.tool("pg_basebackup", f"--pgdata={self.data}", "--write-recovery-conf", "--checkpoint=fast",
                  f"--dbname=host={primary.folder} user=gatehouse application_name=standby")

    def start(self) -> None:
        """Starts it and returns at once; see `await_ready`."""
        settings = {"listen_addresses": "", "unix_socket_directories": self.folder, "fsync": "on",
                    "max_connections": str(CONNECTIONS), **self.settings}
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self.started = Process(self.command("postgres", "-D", self.data, *options), f"{self.log}-{self.starts}.log")
        self.starts += 1

    def await_ready(self) -> float:
        """Waits until it accepts connections that may write, and says when, as of `time.monotonic`."""
        self.process.await_line(READY, LONGEST_START)
        return time.monotonic()

    def ask(self, query: str) -> str:
        return self.tool("psql", "--no-psqlrc", "--tuples-only", "--no-align", f"--host={self.folder}",
                         "--username=gatehouse", "--dbname=postgres", f"--command={query}")

    def kill(self) -> None:
        """Kills the server and every process that it has made, all at one instant as far as that can be."""
        # One that is stopped makes no more of them.
        self.process.child.send_signal(signal.SIGSTOP)
        self.signal(signal.SIGKILL)
        self.process.child.wait()

    def signal(self, number: int) -> None:
        """Sends a signal to the server and to every process that it has made."""
        with open(f"/proc/{self.process.id}/task/{self.process.id}/children", encoding="ascii") as file:
            children = [int(process) for process in file.read().split()]
        for process in [*children, self.process.id]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    @contextlib.contextmanager
    def silent(self) -> Iterator[None]:
        """Meanwhile it is stopped: its connections are there, and nothing answers on them."""
        self.process.child.send_signal(signal.SIGSTOP)
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def shut_down(self) -> None:
        """Ends it in good order, whatever connections there are."""
        self.tool("pg_ctl", f"--pgdata={self.data}", "--mode=fast", "--wait", "stop")
        self.process.child.wait()

    @contextlib.contextmanager
    def holding(self, *queries: str) -> Iterator[None]:
        """Meanwhile a transaction of somebody else's is open that has run these queries."""
        session = subprocess.Popen(
            self.command("psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1",
                         f"--host={self.folder}", "--username=gatehouse", "--dbname=postgres"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert session.stdin and session.stdout
        try:
            session.stdin.write("".join(f"{query};\n" for query in ("BEGIN", *queries)) + "\\echo held\n")
            session.stdin.flush()
            while (line := session.stdout.readline().strip()) != "held":
                if not line and session.poll() is not None:
                    raise RuntimeError(f"psql has ended: {queries}")
            yield
        finally:
            session.stdin.close()
            session.stdout.close()
            session.wait()

    def cut_off(self) -> None:
        """Has a standby receive nothing more of its primary, as where the network between the two is gone."""
        self.ask("ALTER SYSTEM SET primary_conninfo = ''")
        self.ask("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """Has a standby take over, and waits until it has."""
        self.tool("pg_ctl", f"--pgdata={self.data}", "--wait", "promote")

    def remove(self) -> None:
        if self.started and self.started.is_running:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def postgres(bench: Bench) -> Iterator[Postgres]:
    """A server that is up."""
    server = Postgres(bench)
    try:
        server.make()
        server.start()
        server.await_ready()
        yield server
    finally:
        server.remove()


class Place(Protocol):
    """A folder in which a server has its socket."""

    folder: str


def storage(bench: Bench, *servers: Place) -> dict[str, str]:
    """The settings of a Gatehouse that keeps its users in whichever of these servers may be written to."""
    key = os.path.join(bench.folder, "master.key")
    if not os.path.exists(key):
        with open(key, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(secrets.token_urlsafe(32))
    hosts = ",".join(server.folder.replace("/", "%2F") for server in servers)
    wanted = "&target_session_attrs=read-write" if len(servers) > 1 else ""
    return {"GATEHOUSE_STORAGE_URL": f"postgres://?host={hosts}&user=gatehouse&dbname=postgres{wanted}",
            "GATEHOUSE_STORAGE_MASTER_KEY_FILE": key, "GATEHOUSE_STORAGE_CREATE": "true"}
