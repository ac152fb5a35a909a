"""Ports for what must be told its own before it is there."""

import socket


def free_ports(count: int) -> list[int]:
    """Ports of the loopback address that nobody has now, so that a server can come back to its own."""
    holders = [socket.socket() for _ in range(count)]
    try:
        for holder in holders:
            holder.bind(("127.0.0.1", 0))
        return [holder.getsockname()[1] for holder in holders]
    finally:
        for holder in holders:
            holder.close()


def free_port() -> int:
    return free_ports(1)[0]
