"""Run `mulligan` with some words twice in one process, and tell what the second time took, by phase.

By then all is imported, so that what is left is work. Written to stderr: a name, a tab, milliseconds.
"""

import inspect
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mulligan.app import configuration, open_session, session
from mulligan.cli.entry import run
from mulligan.models.wire.http_client import ModelServer

PHASES: tuple[tuple[Any, str, str], ...] = (
    (configuration, "load_configuration", "settings"),
    (open_session, "open_store", "the store"),
    (session.Session, "ready", "the model is chosen"),
)
spent: dict[str, float] = {}
requests: list[float] = []


def timed(work: Callable[..., Any], phase: str) -> Callable[..., Any]:
    """The same, counted from its call to its end, also where it is awaited."""

    async def awaited(result: Any, started: float) -> Any:
        try:
            return await result
        finally:
            spent[phase] = time.perf_counter() - started

    def call(*arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        result = work(*arguments, **named)
        spent[phase] = time.perf_counter() - started
        return awaited(result, started) if inspect.isawaitable(result) else result

    return call


def seen(work: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        requests.append(time.perf_counter())
        return work(*arguments, **named)

    return call


def main() -> None:
    for owner, name, phase in PHASES:
        setattr(owner, name, timed(getattr(owner, name), phase))
    ModelServer.send = seen(ModelServer.send)
    started = 0.0
    for _ in range(2):
        requests.clear()
        started = time.perf_counter()
        with suppress(SystemExit):
            run()
    rest = requests[0] - started - sum(spent.values())
    for phase, seconds in {**spent, "tools, prompt and the rest up to the request": rest}.items():
        sys.stderr.write(f"{phase}\t{seconds * 1000:.2f}\n")


main()
