"""Where frames, log lines and notices go, and how to wait."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from mulligan.types.frames import Frame

Emit = Callable[[Frame], None]
"""Receives frames. It must not block or raise."""

Notify = Callable[[str], None]
"""Takes a sentence for the user."""

Sleep = Callable[[float], Awaitable[None]]


class Log(Protocol):
    """Receives a log line, for finding out later what happened."""

    def __call__(self, event: str, **fields: Any) -> None: ...
