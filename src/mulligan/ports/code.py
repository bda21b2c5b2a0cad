"""What is known about a project's code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types import codecontext as known


T = TypeVar("T")


@frozen
class SyntaxProblem:
    line: int
    """From 1."""
    text: str
    """The line itself."""


class SyntaxCheck(Protocol):
    """Reports what an edit broke."""

    def new_problems(self, path: str, before: str | None, after: str) -> tuple[SyntaxProblem, ...]:
        """Where the text no longer parses. Empty for unknown languages."""
        ...


class CodeAnswers(Protocol):
    """Queries about one project's code.

    Paths are relative to the project. Raises `CallRejected` with a helpful message for an unknown path or name.
    """

    async def overview(self) -> known.Overview: ...

    async def frameworks(self) -> tuple[known.Framework, ...]: ...

    async def neighborhoods(self, around: str | None = None) -> tuple[known.Neighborhood, ...]:
        """Largest first; with a path or a symbol's name, the group it is in, then neighboring ones."""
        ...

    async def search_symbols(
        self, query: str, *, kind: known.SymbolKind | None = None, limit: int = 40
    ) -> tuple[known.Symbol, ...]:
        """Symbols whose names match best, also by parts of words; the most used of equal ones first."""
        ...

    async def code_files(self, words: Sequence[str]) -> tuple[known.CodeFile, ...]:
        """All files with code, sorted, each with what in it contains one of the words, in lower case."""
        ...

    async def dependencies(self, path: str) -> known.Dependencies: ...

    async def file(self, path: str) -> known.FileAnalysis: ...

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[known.SymbolInfo, ...]:
        """All symbols of this name, `Class.method` too; the most used first."""
        ...


class CodeIndex(CodeAnswers, Protocol):
    """The index of one project's code. Every answer is about the files on disk at that time, and waits until they have
    been read."""

    async def refresh(self) -> known.IndexState: ...

    def progress(self) -> known.IndexProgress:
        """Progress of the current reading. Waits for nothing."""
        ...

    async def promptly(self, question: Callable[[CodeAnswers], Awaitable[T]]) -> tuple[T, known.IndexProgress | None]:
        """The answer as above if it comes within some seconds; otherwise from the files read so far, with their number.
        The others are read in the background."""
        ...

    async def changes(self) -> known.FileChanges:
        """Since the last call for this project, in any process."""
        ...


OpenIndex = Callable[[], CodeIndex]
"""Returns the index, always the same one: its modules are not imported before a tool is called."""
