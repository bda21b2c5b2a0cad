"""Where fix runs are kept, and where what they show goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.fixing import RunState
    from mulligan.types.frames import Frame
    from mulligan.types.run_frames import RunFrame

RunEmit = Callable[["Frame | RunFrame"], None]
"""Where the frames of a run and of its turns go. It must not block and must not raise."""


@frozen
class KeptRun:
    state: RunState
    running: bool
    """A live process works on it."""
    updated_at: float


class RunRepository(Protocol):
    """Where a run keeps its state. Every method is one transaction."""

    async def save(self, state: RunState) -> None:
        """The run stands so now. Also a sign of life.

        Raises `ConfigurationError` if this process does not work on it: another one may have taken it over.
        """
        ...

    async def release(self, run_id: str) -> None:
        """This process does no more work on it. A run that another process has taken over stays with that one."""
        ...
