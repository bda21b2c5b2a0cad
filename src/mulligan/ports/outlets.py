"""Where frames and log lines go, and how a wait is waited."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from mulligan.types.frames import Frame

Emit = Callable[[Frame], None]
"""Where frames go. It must not block and must not raise."""

Sleep = Callable[[float], Awaitable[None]]


class Log(Protocol):
    """Where one line goes for whoever has to find out later what happened."""

    def __call__(self, event: str, **fields: Any) -> None: ...
