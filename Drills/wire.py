"""HTTP as apps speak it, and raw connections as those speak it who mean no good."""

import ctypes
import http.client
import json
import os
import socket
import struct
import urllib.parse

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# What a call of a client meets when the server goes away under it.
LOST = (OSError, http.client.HTTPException)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def json(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def error(self):
        return self.json.get("error")

    def __str__(self):
        return f"{self.status} {self.error or ''}".strip()


class Client:
    """One connection that is kept open from call to call."""

    def __init__(self, port, timeout=60):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def call(self, method, path, **content):
        """Sends a request and waits for its answer. Raises one of `LOST` when none comes."""
        self.send(method, path, **content)
        return self.receive()

    def send(self, method, path, body=None, form=None, text=None, bearer=None, headers=None):
        """Sends a request: `body` as JSON, `form` as a form, or `text` as it is."""
        headers = dict(headers or {})
        data = text
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body), JSON
        elif form is not None:
            data, headers["Content-Type"] = urllib.parse.urlencode(form), FORM
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        try:
            self.connection.request(method, path, data, headers)
        except LOST:
            self.connection.close()
            raise

    def receive(self):
        """The answer to the request that was sent."""
        try:
            response = self.connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        except LOST:
            self.connection.close()
            raise


def connect(port, source=None, receive_buffer=None, segment=None, timeout=10):
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


def reset(connection):
    """Ends a connection with a reset (TCP RST)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def swallow(process, port):
    """Has the packets dropped that come on the connections which a process has accepted on a port, before TCP sees them.

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


def has_ended(connection):
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


def read_status(connection):
    """The status of an answer on a raw connection; None when none comes."""
    received = b""
    try:
        while b"\r\n" not in received and (chunk := connection.recv(65536)):
            received += chunk
    except OSError:
        pass
    words = received.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else None
