"""The user's own commands at events of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.hooks import HookAnswer, HookEvent


class Hooks(Protocol):
    async def fire(
        self, event: HookEvent, fields: Mapping[str, Any], *, tool: str = "", paths: Sequence[str] = ()
    ) -> HookAnswer:
        """Run the matching ones, one after the other, up to the first veto. Never raises."""
        ...
