"""The life of the Debian package in a bare Debian: installed, upgraded under load, downgraded where the store allows
it, refused where not, removed, purged."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench import Bench, crowd, tally
from claims import Claim, answer, shows
from gatehouse import CONFIGURATION, LISTENING
from testbed.carriers import PLAIN_CLIENT, PLAIN_REDIRECT, ZENKEY_CLIENT, ZENKEY_REDIRECT, Carriers
from testbed.client import Answer, Client
from testbed.process import Process
from upgrade import Load

LONGEST = 1200
USERS = 100
ENOUGH = 500
STORE = "/var/lib/gatehouse/gatehouse.db"
CONFIG = "/etc/gatehouse/gatehouse.yaml"
# What is there once it is installed, beside its program and its units.
INSTALLED = [
    "/usr/bin/gatehouse", "/lib/systemd/system/gatehouse.service", "/lib/systemd/system/gatehouse.socket",
    "/usr/share/bash-completion/completions/gatehouse", "/usr/share/zsh/vendor-completions/_gatehouse",
    "/usr/share/fish/vendor_completions.d/gatehouse.fish", "/usr/share/man/man1/gatehouse.1.gz",
    "/usr/share/doc/gatehouse/copyright", CONFIG, "/var/lib/gatehouse", "/etc/gatehouse/credentials"]


def run(bench: Bench) -> None:
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        bench.skip("debootstrap is not installed, or this is not root")
        return
    with Machine(bench).mounted() as machine, bench.carriers() as carriers:
        live(bench, machine, carriers)


@dataclass
class Version:
    """A package under another name: of a version before or after, that knows a store of some schema."""
    version: str
    schema: str = ""

    def built(self, bench: Bench) -> str:
        folder = os.path.join(bench.folder, "packages", self.version or "own")
        names = {"DEV_PACKAGE_VERSION": self.version, "DEV_PACKAGE_SCHEMA": self.schema}
        subprocess.run(
            [f"{bench.root}/scripts/package-deb", "--binary", f"{bench.binaries}/gatehouse", folder],
            env={**os.environ, **{name: value for name, value in names.items() if value}}, check=True,
            stdout=subprocess.DEVNULL)
        return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".deb")))


class Machine:
    """A bare Debian in a folder, with the network and the processes of this one."""

    def __init__(self, bench: Bench) -> None:
        self.root = os.path.join(bench.folder, "machine")
        self.binaries = bench.binaries
        text = ""
        for place in ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"):
            with contextlib.suppress(OSError), open(place, encoding="utf-8") as file:
                text += file.read()
        found = re.search(r"^(?:URIs: |deb (?:\[[^]]*\] )?)(http\S+)", text, re.MULTILINE)
        libraries = "ca-certificates,libssl3,zlib1g,libcurl4,libsqlite3-0,libyaml-0-2,libpq5,systemd"
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={libraries}", "bookworm", self.root]
            + ([found[1]] if found else []), check=True, stdout=subprocess.DEVNULL)

    @contextlib.contextmanager
    def mounted(self) -> Iterator["Machine"]:
        places = [("/proc", "/proc"), ("/dev", "/dev")]
        # A build that shares Swift's libraries looks for them where they are here.
        linked = subprocess.run(["ldd", f"{self.binaries}/gatehouse"], capture_output=True, text=True, check=False)
        if found := re.search(r"=> (\S+)/libswiftCore\.so", linked.stdout):
            places.append((found[1], found[1]))
        mounted: list[str] = []
        try:
            for source, place in places:
                os.makedirs(self.root + place, exist_ok=True)
                subprocess.run(["mount", "--bind", source, self.root + place], check=True)
                mounted.append(self.root + place)
            yield self
        finally:
            for place in reversed(mounted):
                subprocess.run(["umount", "--lazy", place], check=False)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["chroot", self.root, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"},
            text=True, check=False)

    def dpkg(self, action: str, package: str) -> subprocess.CompletedProcess[str]:
        if action == "--install":
            shutil.copy(package, f"{self.root}/package.deb")
            package = "/package.deb"
        return self.run("dpkg", action, package)

    def has(self, path: str) -> bool:
        return os.path.lexists(self.root + path)


class Installed(Process):
    """The program of the package, as its user, where the package has put it."""

    def __init__(self, machine: Machine, log: str) -> None:
        super().__init__(
            ["chroot", "--userspec=gatehouse:gatehouse", machine.root, "/usr/bin/gatehouse", "serve", "--config",
             CONFIG], log, {})
        self.port = int(self.await_line(LISTENING)[1])

    def call(self, method: str, path: str, **content: object) -> Answer:
        with Client(self.port) as client:
            return client.call(method, path, **content)  # type: ignore[arg-type]


def live(bench: Bench, machine: Machine, carriers: Carriers) -> None:
    own = Version("").built(bench)
    bench.figure("KiB", os.path.getsize(own) // 1024)
    schema = int(re.search(r"SQLite (\d+)", machine_version(bench))[1])  # type: ignore[index]
    before = Version("0.9.9~drill").built(bench)
    older = Version("0.9.8~drill", str(schema - 1)).built(bench)
    if shutil.which("lintian"):
        said = subprocess.run(["lintian", "--fail-on", "error", own], capture_output=True, text=True, check=False)
        bench.state(pleases_lintian(said.returncode, said.stdout))
    else:
        bench.skip("lintian is not installed")

    bench.state(succeeds("installs", machine.dpkg("--install", before)))
    bench.state(is_there([path for path in INSTALLED if not machine.has(path)]))
    configure(machine, carriers)
    server = start(bench, machine, 0)
    bodies = [carriers.authorize(f"loyal{number}", "plain") for number in range(USERS)]
    answers = crowd(USERS, lambda number: server.call("POST", "/auth/signin", body=bodies[number]))
    bench.state(are_signed_in(answers))
    tokens = [found.json["refresh_token"] for found in answers]

    # The one that runs goes on while files are replaced; systemd, which is not there, would restart it then.
    load = Load(server.port)
    load.begin()
    load.await_more(ENOUGH)
    upgraded = machine.dpkg("--install", own)
    load.await_more(ENOUGH)
    load.end()
    bench.state(succeeds("is upgraded", upgraded), refuses_nobody(load.failed), keeps(configuration(machine)))
    bench.state(stops(server.stop()))
    server, tokens = go_on(bench, machine, tokens, 1)
    bench.state(stops(server.stop()))

    bench.state(succeeds("goes back to a version that knows the store", machine.dpkg("--install", before)))
    server, tokens = go_on(bench, machine, tokens, 2)
    bench.state(succeeds("is upgraded", machine.dpkg("--install", own)))
    bench.state(*is_refused(machine.dpkg("--install", older), schema, machine.run("dpkg", "-s", "gatehouse").stdout))
    bench.state(stops(server.stop()))
    server, tokens = go_on(bench, machine, tokens, 3)
    bench.state(stops(server.stop()))

    bench.state(succeeds("is removed", machine.dpkg("--remove", "gatehouse")))
    bench.state(*leaves({path: machine.has(path) for path in ("/usr/bin/gatehouse", STORE, STORE + ".key", CONFIG)}))
    bench.state(succeeds("is installed again", machine.dpkg("--install", own)))
    server, tokens = go_on(bench, machine, tokens, 4)
    bench.state(stops(server.stop()))
    bench.state(succeeds("is purged", machine.dpkg("--purge", "gatehouse")))
    bench.state(leaves_nothing([path for path in ("/etc/gatehouse", "/var/lib/gatehouse") if machine.has(path)]))


def machine_version(bench: Bench) -> str:
    return subprocess.run(
        [f"{bench.binaries}/gatehouse", "--version"], capture_output=True, text=True, check=True).stdout


def configure(machine: Machine, carriers: Carriers) -> None:
    with open(machine.root + CONFIG, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(
            database=STORE, urls=carriers.urls, zenkey=(ZENKEY_CLIENT, ZENKEY_REDIRECT),
            plain=(PLAIN_CLIENT, PLAIN_REDIRECT)))


def configuration(machine: Machine) -> str:
    with open(machine.root + CONFIG, encoding="utf-8") as file:
        return file.read()


def start(bench: Bench, machine: Machine, number: int) -> Installed:
    return Installed(machine, os.path.join(bench.folder, f"installed-{number}.log"))


def go_on(bench: Bench, machine: Machine, tokens: Sequence[str], number: int) -> tuple[Installed, list[str]]:
    """Starts what is installed now, and has everybody refresh."""
    server = start(bench, machine, number)
    answers = crowd(len(tokens), lambda index: server.call(
        "POST", "/auth/token", form={"grant_type": "refresh_token", "refresh_token": tokens[index]}))
    bench.state(go_on_with(answers, number))
    return server, [found.json.get("refresh_token", "") for found in answers]


# MARK: Claims


def succeeds(what: str, done: subprocess.CompletedProcess[str]) -> Claim:
    said = f" ({done.stdout[-500:]})" if done.returncode else ""
    return Claim(done.returncode == 0, f"the package {what}{said}")


def pleases_lintian(status: int, said: str) -> Claim:
    errors = [line for line in said.splitlines() if line.startswith("E:")]
    return Claim(status == 0 and not errors, f"lintian finds no error ({errors})")


def is_there(missing: Sequence[str]) -> Claim:
    return Claim(not missing, f"what is to be there after the installation is there (missing: {missing})")


def are_signed_in(answers: Sequence[Answer]) -> Claim:
    return Claim(all(found.status == 200 for found in answers), f"users sign in ({tally(map(str, answers))})")


def go_on_with(answers: Sequence[Answer], number: int) -> Claim:
    return Claim(all(found.status == 200 for found in answers),
                 f"every session goes on, start {number} ({tally(map(str, answers))})")


def refuses_nobody(failed: Sequence[str]) -> Claim:
    return Claim(not failed, f"no request fails while the package is replaced ({tally(failed)})")


def keeps(text: str) -> Claim:
    return Claim("sign-in.example" in text, "an upgrade leaves a configuration that was changed")


def stops(status: int) -> Claim:
    return Claim(status == 0, f"the server stops in good order ({status})")


def is_refused(done: subprocess.CompletedProcess[str], schema: int, status: str) -> list[Claim]:
    return [
        Claim(done.returncode != 0, "a version that does not know the store is not installed over a later one"),
        Claim(f"schema {schema}" in done.stdout, f"and says which schema it found ({done.stdout[-300:]})"),
        Claim("Status: install ok installed" in status, f"and what is there stays installed ({status[:200]})")]


def leaves(there: Mapping[str, bool]) -> list[Claim]:
    kept = [path for path in there if path != "/usr/bin/gatehouse"]
    return [Claim(not there["/usr/bin/gatehouse"], "what is removed is gone"),
            Claim(all(there[path] for path in kept), f"store, key and configuration stay ({there})")]


def leaves_nothing(left: Sequence[str]) -> Claim:
    return Claim(not left, f"what is purged leaves nothing ({left})")


def self_test() -> None:
    good, bad = (subprocess.CompletedProcess([], status, "schema 31") for status in (0, 1))
    shows([succeeds("installs", good)], ("installs", [succeeds("installs", bad)]))
    shows([pleases_lintian(0, "W: x")], ("no error", [pleases_lintian(0, "E: gatehouse: bad")]))
    shows([is_there([])], ("is there", [is_there([CONFIG])]))
    shows([are_signed_in([answer(200)])], ("users sign in", [are_signed_in([answer(503)])]))
    shows([go_on_with([answer(200)], 1)], ("goes on", [go_on_with([answer(400)], 1)]))
    shows([refuses_nobody([])], ("no request fails", [refuses_nobody(["reset"])]))
    shows([keeps("https://sign-in.example")], ("was changed", [keeps("")]))
    shows([stops(0)], ("good order", [stops(-9)]))
    status = "Status: install ok installed"
    shows(is_refused(bad, 31, status), ("is not installed", is_refused(good, 31, status)),
          ("which schema", is_refused(bad, 30, status)), ("stays installed", is_refused(bad, 31, "")))
    there = {"/usr/bin/gatehouse": False, STORE: True}
    shows(leaves(there), ("is gone", leaves({**there, "/usr/bin/gatehouse": True})),
          ("stay", leaves({**there, STORE: False})))
    shows([leaves_nothing([])], ("leaves nothing", [leaves_nothing([STORE])]))
