"""Watches the connections of this process, and refuses those that would leave this machine and its network.

Python reports every connection and name lookup to an audit hook before it happens, whichever library makes it.
Programs that this process starts have their own hooks, so they are not watched.
"""

import errno
import socket
import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address
from typing import Any

_LOOK_UPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
"""Their first argument is a name."""
_SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
"""Their second argument is an address."""


@dataclass(frozen=True, slots=True)
class Connections:
    allowed: frozenset[str]
    """Names and addresses, besides those of this machine."""
    refused: list[str] = field(default_factory=list[str])
    """The refused hosts, in order."""

    def check(self, place: object) -> None:
        """Raises `OSError` for a host that is not allowed, as if there were no network."""
        host = place.decode("ascii", "replace") if isinstance(place, bytes) else place
        if not isinstance(host, str) or not host or host in self.allowed or _is_here(host):
            return
        if host not in self.refused:
            self.refused.append(host)
        raise OSError(errno.ENETUNREACH, f"{host} is beyond this network, and nothing may be fetched")


_watching: list[Connections] = []
"""The innermost context is last."""


@contextmanager
def connections_watched(hosts: Collection[str] = ()) -> Generator[Connections]:
    """Allow only this machine, and those of these hosts that have no address on the internet."""
    _install_hook()
    watch = Connections(frozenset(place for host in hosts for place in _addresses(host)))
    _watching.append(watch)
    try:
        yield watch
    finally:
        _watching.remove(watch)


def _addresses(host: str) -> set[str]:
    """A host's name with its addresses; nothing if it is unknown, or if one of them is on the internet."""
    with suppress(OSError):
        found = {str(each[4][0]) for each in socket.getaddrinfo(host, None)}
        if not any(ip_address(each).is_global for each in found):
            return {host, *found}
    return set()


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    return False


@cache
def _install_hook() -> None:
    """Once per process: a hook can't be removed. Outside a context, it does nothing."""
    sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching:
        return
    if event in _LOOK_UPS:
        _watching[-1].check(arguments[0])
    elif event in _SENDING:
        match arguments[1]:
            case (host, *_):  # an internet address; the others are local paths, or None
                _watching[-1].check(host)
            case _:
                pass
