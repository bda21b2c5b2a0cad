"""What a guided repair needs of its run."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from mulligan.core.guided_coder.question_order import Pace
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate
from mulligan.core.replies import Reply
from mulligan.ports.code import SyntaxCheck
from mulligan.types.changes import FileState
from mulligan.types.fixing import Check, FailingTest
from mulligan.types.model_io import ModelRequest, TokenChoices


class GuidedContext(Protocol):
    """The part of `RunContext` that a guided coder uses; see there."""

    @property
    def syntax(self) -> SyntaxCheck: ...

    def note(self, text: str) -> None: ...

    def pace(self) -> Pace: ...

    async def ask(self, request: ModelRequest, *, note: str = "") -> str: ...

    async def ask_with_choices(
        self, request: ModelRequest, *, note: str = ""
    ) -> tuple[Reply, tuple[TokenChoices, ...]]: ...

    def shows_choices(self) -> bool: ...

    async def brief(self, current_checks: Sequence[Check], attempt: int, *, traced: bool = True) -> Brief: ...

    async def lines_of(self, path: str) -> tuple[str, ...] | None: ...

    async def write(self, path: str, text: str) -> None: ...

    async def file_state(self, path: str) -> FileState | None: ...

    async def put_back(self, path: str, state: FileState | None) -> None: ...

    async def keep_gain(self, tried: Iterable[str]) -> None: ...

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None: ...

    async def test_many(self, candidates: Sequence[Candidate], *, only: Sequence[FailingTest]) -> tuple[Check, ...]: ...

    def checks_left(self) -> int: ...
