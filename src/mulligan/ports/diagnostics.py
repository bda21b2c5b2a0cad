"""What an edit broke, and where a project's checkers run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.commands import CommandResult
    from mulligan.types.sandbox import Standing


class Diagnostics(Protocol):
    """What the project's checkers say of the edits of one turn."""

    async def after_edit(self, path: str, *, deleted: bool = False) -> tuple[str, ...]:
        """Lines for the result of an edit that was made: what is new since. Empty if nothing is, or nobody can tell."""
        ...


class CheckPlace(Protocol):
    """Where checkers see the project with the edits of a turn. What they write there is no part of the turn."""

    async def hold(self) -> None:
        """The files as they are now are those that the turn began with."""
        ...

    async def run(self, command: str, *, time_limit: float, as_held: bool) -> CommandResult | None:
        """On the files as they are, or as they were held. None where that can't be had, in time or at all."""
        ...

    async def standing(self) -> Standing: ...

    async def close(self) -> None: ...
