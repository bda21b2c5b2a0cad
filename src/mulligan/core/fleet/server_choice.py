"""Which model server a job is given, and what may be put on the list of servers."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import FleetServer

NO_SERVER_PAUSE = 15.0
NEXT_TAKE = 0.05
NEXT_TAKE_ALL_DOWN = 1.0
"""Seconds. While no server is up, nothing can start; else jobs for another model may wait behind these."""
MOST_FAILURES = 3
"""That count: a server that was down for long gets work, too, once the others are busy enough."""


@dataclass(frozen=True, slots=True)
class ServerNeed:
    url: str
    model: str
    """Empty: whatever the server has."""


@dataclass(frozen=True, slots=True)
class WaitForServer:
    seconds: float
    reason: str
    next_take: float
    """Seconds before the worker takes another job."""


def server_address(given: str) -> str:
    """As it stands on the list: one server, one address. Raises `ConfigurationError`."""
    address = given.strip().rstrip("/")
    if any(mark in address for mark in "@?#"):
        raise ConfigurationError(
            "everybody sees the address, so it holds no key or password: workers send the key of their own settings"
        )
    host = r"(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\])"
    if not address.isprintable() or not re.fullmatch(rf"https?://{host}(?::[0-9]{{1,5}})?(?:/\S*)?", address):
        raise ConfigurationError(f"not a server address: {given}. Use http://HOST:PORT/v1, as workers reach it")
    return address


def choose_server(
    listed: Sequence[FleetServer], model: str | None, allowed: Collection[str]
) -> ServerNeed | WaitForServer:
    """The least busy one that has the model. `allowed` are addresses; all, if there are none."""
    usable = [each for each in listed if not allowed or each.url in allowed]
    fitting = [each for each in usable if not model or not each.models or model in each.models]
    next_take = NEXT_TAKE if any(each.down_for <= 0 for each in usable) else NEXT_TAKE_ALL_DOWN
    if not fitting:
        reason = f"no model server for it: {model or 'any model'} (mulligan fleet servers add URL)"
        return WaitForServer(NO_SERVER_PAUSE, reason, next_take)
    up = [each for each in fitting if each.down_for <= 0]
    if not up:
        shortest = max(1.0, min(each.down_for for each in fitting))
        return WaitForServer(shortest, "all its model servers are down", next_take)
    best = min(up, key=_load)
    return ServerNeed(best.url, model or (best.models[0] if best.models else ""))


def _load(server: FleetServer) -> float:
    """One that failed lately is as good as full."""
    return (server.busy + server.waiting) / max(1, server.slots) + min(server.failures, MOST_FAILURES)
