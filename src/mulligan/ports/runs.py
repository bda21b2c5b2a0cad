"""Where fix runs are stored, and where their frames go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.fixing import RunState
    from mulligan.types.frames import Frame
    from mulligan.types.run_frames import RunFrame

RunEmit = Callable[["Frame | RunFrame"], None]
"""Receives the frames of a run and of its turns. It must not block or raise."""


@frozen
class KeptRun:
    state: RunState
    running: bool
    """A live process works on it."""
    updated_at: float


class RunRepository(Protocol):
    """Where a run stores its state. Every method is one transaction."""

    async def save(self, state: RunState) -> None:
        """Store the current state. Also a heartbeat.

        Raises `ConfigurationError` if this process does not own it: another one may have taken it over.
        """
        ...

    async def release(self, run_id: str) -> None:
        """This process stops working on it. A run that another process has taken over stays with that one."""
        ...
