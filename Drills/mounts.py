"""Mounts of a drill's own, where they are permitted."""

import subprocess


class Unavailable(Exception):
    """A fault that can't be had on this machine."""


def mount(*arguments: str) -> None:
    result = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Unavailable(f"mounting is not permitted here ({result.stderr.strip()})")


def unmount(folder: str) -> None:
    subprocess.run(["umount", "--lazy", folder], capture_output=True, check=False)
