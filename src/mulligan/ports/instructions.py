"""Where instructions for models come from."""

from collections.abc import Iterable
from typing import Protocol

from mulligan.types.instructions import InstructionFile


class InstructionSource(Protocol):
    """The instructions in files of a project, and the user's own."""

    async def at_top(self) -> tuple[InstructionFile, ...]:
        """Those of the project's own folder, then the user's."""
        ...

    async def on_the_way_to(self, paths: Iterable[str]) -> tuple[InstructionFile, ...]:
        """Those of the folders above these files, without the project's own: the nearest first."""
        ...
