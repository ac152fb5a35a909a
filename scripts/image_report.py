"""Tells what is in an image, and fails where that is not what it should be: what it adds to its base, its labels, what
it says that it is made of, and whether Debian has mended something that is not in it.

  python3 scripts/image_report.py ENGINE IMAGE BASE [--again IMAGE]

ENGINE is docker, podman or buildah. With --again, another build of the same must have the same bytes, but for what the
compiler does otherwise in its executable: that is told."""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from typing import Any

# What an image may add to its base, in bytes.
MOST_ADDED = 60_000_000
# Two threads of the compiler take memory in an order of their own, and some of its choices hang on addresses: a build
# may exchange two registers of a function.
EXECUTABLE = "usr/local/bin/gatehouse"
BILL = "usr/share/doc/gatehouse/gatehouse.spdx.json"
LABELS = ["title", "description", "licenses", "version", "revision", "base.name"]


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, folder or link of an image."""

    kind: bytes
    mode: int
    owner: tuple[int, int]
    content: str
    size: int


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def container(engine: str, image: str) -> Iterator[str]:
    name = run(*([engine, "from", "--pull-never"] if engine == "buildah" else [engine, "create"]), image).strip()
    try:
        yield name
    finally:
        run(engine, "rm", name)


@contextlib.contextmanager
def files(engine: str, image: str) -> Iterator[tarfile.TarFile]:
    """The image's files, in the order in which they come."""
    with container(engine, image) as name:
        command = [engine, "export", name]
        if engine == "buildah":
            command = ["tar", "-C", run("buildah", "mount", name).strip(), "--sort=name", "-c", "."]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process, tarfile.open(
                fileobj=process.stdout, mode="r|") as archive:
            yield archive


def entries(engine: str, image: str) -> tuple[dict[str, Entry], bytes]:
    """By their paths; and the document of what the image is made of, empty where there is none."""
    found: dict[str, Entry] = {}
    bill = b""
    with files(engine, image) as archive:
        for member in archive:
            content = member.linkname
            path = member.name.removeprefix("./")
            if member.isreg():
                file = archive.extractfile(member)
                data = file.read() if file else b""
                content = hashlib.sha256(data).hexdigest()
                if path == BILL:
                    bill = data
            found[path] = Entry(member.type, member.mode, (member.uid, member.gid), content, member.size)
    return found, bill


def configuration(engine: str, image: str) -> tuple[str, dict[str, Any]]:
    """The image's identity, which is the hash of all that it is, and what it says of itself."""
    if engine == "buildah":
        told = json.loads(run("buildah", "inspect", "--type", "image", image))
        return told["FromImageID"], told["Docker"]["config"]
    told = json.loads(run(engine, "image", "inspect", image))[0]
    return told["Id"].removeprefix("sha256:"), told["Config"]


def added(image: dict[str, Entry], base: dict[str, Entry]) -> list[str]:
    """What it adds, and what is wrong with that."""
    more = {path: entry.size for path, entry in image.items() if base.get(path) != entry}
    folders: dict[str, int] = collections.defaultdict(int)
    for path, size in more.items():
        folders["/".join(path.split("/")[:3])] += size
    total = sum(more.values())
    print(f"adds {total / 1e6:.1f} MB to its base:")
    for folder, size in sorted(folders.items(), key=lambda one: -one[1])[:8]:
        print(f"  {size / 1e6:6.1f} MB  /{folder}")
    return [f"it adds {total} bytes to its base, and {MOST_ADDED} are allowed"] if total > MOST_ADDED else []


def labelled(config: dict[str, Any], bill: dict[str, Any]) -> list[str]:
    labels = config.get("Labels") or {}
    wrong = []
    for name in LABELS:
        value = labels.get(f"org.opencontainers.image.{name}", "")
        print(f"label {name}: {value}")
        if not value:
            wrong.append(f"the label {name} is empty")
    version = labels.get("org.opencontainers.image.version")
    if bill and bill["packages"][0]["versionInfo"] != version:
        wrong.append(f"the label says {version}, the executable {bill['packages'][0]['versionInfo']}")
    return wrong


def made_of(engine: str, image: str, bill: dict[str, Any]) -> list[str]:
    """The document beside what Debian's own list says, and what is pinned."""
    locators = {ref["referenceLocator"] for package in bill["packages"] for ref in package.get("externalRefs", [])}
    with open("Package.resolved", encoding="utf-8") as file:
        pins = {
            f"pkg:swift/{pin['location'].removeprefix('https://').removesuffix('.git')}@{pin['state']['version']}"
            for pin in json.load(file)["pins"]}
    listed = within(engine, image, "dpkg-query -W -f='${Package} ${Version}\\n'").splitlines()
    named = {
        f"{package['name']} {package['versionInfo']}" for package in bill["packages"]
        if package["SPDXID"].startswith("SPDXRef-Debian-")}
    print(f"made of {len(pins)} Swift packages and {len(listed)} of Debian, by {BILL}")
    wrong = [f"{BILL} does not name {pin}" for pin in sorted(pins - locators)]
    return wrong + [f"{BILL} and the image differ in {one}" for one in sorted(named ^ set(listed))]


def within(engine: str, image: str, command: str) -> str:
    """What a command prints as root in a container of the image, which is thrown away."""
    if engine != "buildah":
        return run(engine, "run", "--rm", "--user", "0", "--entrypoint", "/bin/sh", image, "-c", command)
    with container(engine, image) as name:
        return run("buildah", "run", "--user", "0", name, "--", "/bin/sh", "-c", command)


def mended(engine: str, image: str) -> list[str]:
    """What Debian has mended, by its own archive of security updates, and the image does not have."""
    told = within(engine, image, "apt-get update -q >/dev/null && apt-get -s dist-upgrade")
    waiting = [line for line in told.splitlines() if line.startswith("Inst ")]
    print(f"packages with an update in Debian's archives: {len(waiting)}")
    return [f"Debian has a newer one: {line}" for line in waiting]


def vulnerable(engine: str, image: str) -> list[str]:
    """What Debian's list of vulnerabilities says of the image's packages, where that list can be reached."""
    if not shutil.which("debsecan"):
        print("known vulnerabilities: not looked up, for debsecan is not installed")
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".status") as status:
        status.write(within(engine, image, "cat /var/lib/dpkg/status"))
        status.flush()
        asked = subprocess.run(
            ["debsecan", "--suite", "bookworm", "--status", status.name, "--only-fixed", "--format", "summary"],
            check=False, capture_output=True, text=True, timeout=120)
    if asked.returncode != 0:
        print("known vulnerabilities: not looked up, for Debian's list can not be reached from here")
        return []
    found = asked.stdout.splitlines()
    print(f"known vulnerabilities that are mended elsewhere: {len(found)}")
    return found


def compared(first: dict[str, Entry], second: dict[str, Entry], same: bool) -> list[str]:
    """What differs between two builds."""
    different = sorted(path for path in first.keys() | second.keys() if first.get(path) != second.get(path))
    for path in different:
        print(f"differs: /{path}\n  {first.get(path)}\n  {second.get(path)}")
    print(f"built twice: {len(first)} files, {len(different)} of them differ; one identity: {same}")
    if different == [EXECUTABLE] and first[EXECUTABLE].size == second[EXECUTABLE].size:
        print("only the executable differs, by what the compiler chose")
        return []
    wrong = [f"two builds differ in {len(different)} files"] if different else []
    return wrong if same else [*wrong, "two builds have two identities"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=["docker", "podman", "buildah"])
    parser.add_argument("image")
    parser.add_argument("base")
    parser.add_argument("--again")
    given = parser.parse_args()
    engine, image = given.engine, given.image
    own, text = entries(engine, image)
    base, _ = entries(engine, given.base)
    identity, config = configuration(engine, image)
    print(f"image {identity}")
    wrong = added(own, base)
    bill = json.loads(text) if text else {}
    wrong += labelled(config, bill)
    wrong += made_of(engine, image, bill) if bill else [f"{BILL} is not in it"]
    wrong += mended(engine, image) + vulnerable(engine, image)
    if given.again:
        wrong += compared(own, entries(engine, given.again)[0], identity == configuration(engine, given.again)[0])
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
