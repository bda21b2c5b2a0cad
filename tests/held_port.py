"""A port that a server can leave and take again, without another process getting it meanwhile."""

import socket
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def held_port() -> Generator[int]:
    """Bound, but not listened on: servers that reuse addresses can bind it too, and nobody is given it at random."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
