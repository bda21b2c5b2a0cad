"""Connections that leave this machine are refused while they are watched, whoever makes them."""

import asyncio
import socket
from collections.abc import Callable

import pytest

from mulligan.runtime.connection_watch import connections_watched

ELSEWHERE = "192.0.2.1"
"""An address that nobody has: it is for documents."""


def by_tcp() -> None:
    with socket.socket() as plain:
        plain.settimeout(1)
        plain.connect((ELSEWHERE, 80))


def by_udp() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as plain:
        plain.sendto(b"", (ELSEWHERE, 9))


def by_a_thread_of_asyncio() -> None:
    asyncio.run(asyncio.to_thread(by_tcp))


def by_asyncio() -> None:
    asyncio.run(asyncio.wait_for(asyncio.open_connection(ELSEWHERE, 80), 1))


@pytest.mark.parametrize("connect", [by_tcp, by_udp, by_asyncio, by_a_thread_of_asyncio])
def test_what_leaves_the_machine_is_refused_and_told(connect: Callable[[], None]) -> None:
    with connections_watched() as seen, pytest.raises(OSError, match="nothing may be fetched"):
        connect()
    assert seen.refused == [ELSEWHERE]


def test_a_name_is_not_even_looked_up() -> None:
    with connections_watched() as seen, pytest.raises(OSError, match="nothing may be fetched"):
        socket.getaddrinfo("mulligan.invalid", 443)
    assert seen.refused == ["mulligan.invalid"]


def test_this_machine_can_be_reached_by_name_and_by_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, connections_watched() as seen:
        for host in ("127.0.0.1", "localhost"):
            socket.create_connection((host, server.getsockname()[1])).close()
    assert seen.refused == []


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        pytest.param("10.9.8.7", True, id="an address of a closed network"),
        pytest.param("1.1.1.1", False, id="an address on the internet"),
        pytest.param("mulligan.invalid", False, id="a name that nobody knows"),
    ],
)
def test_a_host_that_was_named_is_allowed_unless_it_is_on_the_internet(host: str, allowed: bool) -> None:
    with connections_watched([host]) as seen:
        assert (host in seen.allowed) is allowed


def test_nothing_is_refused_once_the_watch_has_ended() -> None:
    with connections_watched():
        pass
    socket.getaddrinfo(ELSEWHERE, 80)
