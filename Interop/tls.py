"""TLS before Gatehouse, as a proxy does it: libraries in their usual settings ask nothing of plain http."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import subprocess
import threading
from collections.abc import Iterator

# The paths of a certificate and of its key.
Files = tuple[str, str]

PIECE = 65536


def certificate(folder: str) -> Files:
    """A certificate for localhost that signs itself, and its key."""
    files = f"{folder}/tls.crt", f"{folder}/tls.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True)
    return files


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
    writer.close()


@contextlib.contextmanager
def terminating(files: Files, port: int, inner_port: int) -> Iterator[None]:
    """Listens on the port and hands on what was encrypted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    loop = asyncio.new_event_loop()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", inner_port)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer))

    loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", port, ssl=context))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        # Connections that a library keeps open for a next request.
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
