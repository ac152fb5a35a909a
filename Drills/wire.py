"""Raw connections, as those speak HTTP who mean no good."""

import ctypes
import os
import socket
import struct


def connect(port: int, source: str | None = None, receive_buffer: int | None = None, segment: int | None = None,
            timeout: float = 10) -> socket.socket:
    """A raw connection, with a small window and small segments for who means to be slow."""
    connection = socket.socket()
    connection.settimeout(timeout)
    if receive_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    if segment is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
    if source is not None:
        connection.bind((source, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def reset(connection: socket.socket) -> None:
    """Ends a connection with a reset (TCP RST)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def swallow(process: int, port: int) -> int:
    """Has the packets dropped, before TCP sees them, that come on connections which a process has accepted on a port.

    Returns how many connections there are. To who is connected it is what a firewall does that has forgotten them.
    """
    # pidfd_getfd(2), SO_ATTACH_FILTER, and the filter BPF_RET | BPF_K, 0, which takes no byte of a packet.
    get_descriptor, attach_filter = 438, 26
    program = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    drops = struct.pack("@HP", 1, ctypes.addressof(program))
    library = ctypes.CDLL(None, use_errno=True)
    handle = os.pidfd_open(process)
    count = 0
    for name in os.listdir(f"/proc/{process}/fd"):
        descriptor = library.syscall(get_descriptor, handle, int(name), 0)
        if descriptor < 0:
            if ctypes.get_errno() == 1:
                os.close(handle)
                raise PermissionError("pidfd_getfd")
            continue
        try:
            connection = socket.socket(fileno=descriptor)
        except OSError:
            os.close(descriptor)
            continue
        with connection:
            try:
                connection.getpeername()
                if connection.getsockname()[1] == port:
                    connection.setsockopt(socket.SOL_SOCKET, attach_filter, drops)
                    count += 1
            except (OSError, IndexError, TypeError):
                pass
    os.close(handle)
    return count


def has_ended(connection: socket.socket) -> bool:
    """Whether the other side has closed; what it sent before is thrown away."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def read_status(connection: socket.socket) -> int | None:
    """The status of an answer on a raw connection; None when none comes."""
    received = b""
    try:
        while b"\r\n" not in received and (chunk := connection.recv(65536)):
            received += chunk
    except OSError:
        pass
    words = received.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else None
