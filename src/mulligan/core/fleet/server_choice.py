"""Which model server a job gets, and which addresses may be listed as servers."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import FleetServer

NO_SERVER_PAUSE = 15.0
NEXT_TAKE = 0.05
NEXT_TAKE_ALL_DOWN = 1.0
"""Seconds. While all servers are down, nothing can start; otherwise jobs for another model may wait behind this one."""
MAX_FAILURES = 3
"""Most failures that count: a server that was down for long gets work again once the others are busy enough."""


@dataclass(frozen=True, slots=True)
class ServerChoice:
    url: str
    model: str
    """Empty: any model of the server."""


@dataclass(frozen=True, slots=True)
class WaitForServer:
    seconds: float
    reason: str
    next_take: float
    """Seconds before the worker takes another job."""


def server_address(given: str) -> str:
    """The address as listed: one per server. Raises `ConfigurationError`."""
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
) -> ServerChoice | WaitForServer:
    """The least busy server that has the model. `allowed` are addresses; empty allows all."""
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
    return ServerChoice(best.url, model or (best.models[0] if best.models else ""))


def _load(server: FleetServer) -> float:
    """Its share of busy slots. Recent failures count as load too."""
    return (server.busy + server.waiting) / max(1, server.slots) + min(server.failures, MAX_FAILURES)
