"""A server of ours or of others, as a child process that ends with us."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping

START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextlib.contextmanager
def running(
        command: list[str], port: int | None, log: str, environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a server and waits until it listens; stops it at the end.

    Without a port, whoever started it has to wait."""
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                if process.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended with status {process.returncode}; see {log}")
                if port is None:
                    break
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{command[0]} does not listen; see {log}")
                time.sleep(0.1)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=15)
            if process.poll() is None:
                process.kill()
                process.wait()
