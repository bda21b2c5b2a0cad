"""Where fix runs are kept, and where what they show goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.fixing import RunState
    from mulligan.types.frames import Frame
    from mulligan.types.run_frames import RunFrame

RunEmit = Callable[["Frame | RunFrame"], None]
"""Where the frames of a run and of its turns go. It must not block and must not raise."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    state: RunState
    running: bool
    """A live process works on it."""
    updated_at: float


class RunStore(Protocol):
    """Where runs are kept. Every method is one transaction."""

    async def add_run(self, state: RunState) -> None:
        """Keep a new run, which this process works on."""
        ...

    async def save_run(self, state: RunState) -> None:
        """The run stands so now. Also a sign of life."""
        ...

    async def claim_run(self, run_id: str) -> RunState:
        """Take over a run whose process is gone. Raises `ConfigurationError` if a live process works on it."""
        ...

    async def release_run(self, run_id: str) -> None:
        """This process does no more work on it."""
        ...

    async def find_run(self, project: str, prefix: str) -> KeptRun:
        """The run of this project whose id begins so. Raises `ConfigurationError` if there is none, or several."""
        ...

    async def runs(self, project: str) -> list[KeptRun]:
        """The newest first."""
        ...
