"""Makes what the PostgreSQL of each simulated world is copied from: its programs, an empty cluster, and its clock.

Prints the folder, which is kept from one run to the next."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CLOCK = "scripts/testbed/set_clock.c"


def folder() -> pathlib.Path:
    """Beside other temporary files, one for each user."""
    return pathlib.Path(tempfile.gettempdir()) / f"gatehouse-simulation-engine-{os.getuid()}"


def make(root: pathlib.Path, place: pathlib.Path) -> None:
    """Makes all of it in `place`, which appears only once it is whole."""
    programs = subprocess.run(
        [root / "scripts/postgres-programs"], check=True, capture_output=True, text=True).stdout.strip()
    draft = pathlib.Path(tempfile.mkdtemp(prefix=place.name, dir=place.parent))
    draft.chmod(0o755)
    (draft / "bin").symlink_to(programs)
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", "-o", draft / "clock.so", root / CLOCK], check=True)
    as_owner: list[str] = []
    if os.getuid() == 0:
        # It refuses to run as root.
        shutil.chown(draft, "postgres")
        as_owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
    subprocess.run(
        [*as_owner, f"{programs}/initdb", f"--pgdata={draft}/data", "--username=gatehouse", "--auth=trust",
         "--encoding=UTF8", "--locale=C", "--no-sync", "--wal-segsize=1"],
        check=True, stdout=subprocess.DEVNULL, cwd=draft)
    try:
        draft.rename(place)
    except OSError:  # Another run was faster.
        shutil.rmtree(draft)


def ready(root: pathlib.Path) -> pathlib.Path:
    """The folder, with everything in it: made where it is not there, or made of an earlier clock."""
    place = folder()
    clock = place / "clock.so"
    if clock.exists() and clock.stat().st_mtime < (root / CLOCK).stat().st_mtime:
        shutil.rmtree(place)
    if not place.exists():
        make(root, place)
    return place


if __name__ == "__main__":
    print(ready(pathlib.Path(__file__).resolve().parent.parent))
    sys.exit(0)
