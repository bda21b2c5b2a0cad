"""What an edit broke, and where a project's checkers run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.commands import CommandResult
    from mulligan.types.sandbox import Confinement


class Diagnostics(Protocol):
    """What the project's checkers report about the edits of one turn."""

    async def after_edit(self, path: str, *, deleted: bool = False) -> tuple[str, ...]:
        """Lines for the result of an edit: what is new since. Empty if nothing is, or that is unknown."""
        ...


class CheckerLocation(Protocol):
    """Where checkers see the project with the edits of a turn. What they write there is not part of the turn."""

    async def hold(self) -> None:
        """The current files are those that the turn started with."""
        ...

    async def run(self, command: str, *, time_limit: float, as_held: bool) -> CommandResult | None:
        """On the current files, or as they were saved. None if that is impossible, in time or at all."""
        ...

    async def confinement(self) -> Confinement: ...

    async def close(self) -> None: ...
