"""What the questions of a guided repair work with: the run, and what is known about tested changes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mulligan.core.guided_coder.question_order import Pace
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate, Slip
from mulligan.core.replies import Reply
from mulligan.fixing.writing_questions import Tested
from mulligan.ports.code import SyntaxCheck
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

    async def brief(self, standing: Sequence[Check], attempt: int, *, traced: bool = True) -> Brief: ...

    async def lines_of(self, path: str) -> tuple[str, ...] | None: ...

    async def write(self, path: str, text: str | None) -> None: ...

    async def test(self, note: str, *, only: Sequence[FailingTest]) -> tuple[Check, ...] | None: ...

    async def test_many(self, candidates: Sequence[Candidate], *, only: Sequence[FailingTest]) -> tuple[Check, ...]: ...

    def checks_left(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Lead:
    """A change that fixes what fails, and breaks other tests."""

    slip: Slip
    broken: tuple[FailingTest, ...]


class Trial(Protocol):
    """What is known about tested changes."""

    @property
    def tested(self) -> int: ...

    @property
    def leads(self) -> Sequence[Lead]: ...

    def is_new(self, candidate: Candidate, lines: Sequence[str]) -> bool: ...

    async def look_ahead(self, candidates: Iterable[Candidate], most: int) -> None: ...

    def is_known(self, candidate: Candidate) -> bool: ...

    def result_of(self, candidate: Candidate) -> Tested | None: ...

    async def failures_with(self, candidate: Candidate, attempt: int) -> tuple[str, ...]: ...
