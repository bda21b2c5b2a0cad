"""What a guided coder works with."""

from collections.abc import Sequence
from typing import Protocol

from mulligan.core.program_repair.brief import Brief
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.files import Workspace
from mulligan.types.fixing import Check, FailingTest
from mulligan.types.model_io import ModelRequest


class Trial(Protocol):
    """What a guided coder works with: a tree of files, the tests on it, and a model."""

    @property
    def files(self) -> Workspace: ...

    @property
    def syntax(self) -> SyntaxCheck: ...

    async def brief(self, standing: Sequence[Check], attempt: int) -> Brief: ...

    async def write(self, path: str, text: str) -> None:
        r"""Give a file a new text, its lines joined by \n. Encoding and line endings, the last one too, are kept.

        Raises `CallRejected` for a file that the run is judged by.
        """
        ...

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None:
        """Run these tests alone where that can be done; without any, all commands in full. None: no run is left."""
        ...

    async def ask(self, request: ModelRequest) -> str:
        """What the model says. Raises `ModelError`."""
        ...

    def checks_left(self) -> int:
        """How many quick runs are left. A slow one counts for several."""
        ...
