"""Commands in a project, and who is asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.commands import CommandResult, Verdict


class Commands(Protocol):
    """The door to commands, in the project's folder, without a terminal and without secrets."""

    async def run(self, command: str, *, time_limit: float) -> CommandResult:
        """Raises `CallRejected` if it can't be started."""
        ...


class Approve(Protocol):
    """Asks the person whether a command that the policy leaves to them may run."""

    async def __call__(self, command: str, verdict: Verdict, /) -> bool: ...
