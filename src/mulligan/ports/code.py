"""What is known of a project's code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from mulligan.types.frozen import frozen

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.codecontext import (
        CodeFile,
        Dependencies,
        FileAnalysis,
        FileChanges,
        Framework,
        IndexProgress,
        IndexState,
        Neighborhood,
        Overview,
        Symbol,
        SymbolInfo,
        SymbolKind,
    )


T = TypeVar("T")


@frozen
class SyntaxProblem:
    line: int
    """From 1."""
    text: str
    """The line itself."""


class SyntaxCheck(Protocol):
    """Tells what an edit broke."""

    def new_problems(self, path: str, before: str | None, after: str) -> tuple[SyntaxProblem, ...]:
        """Where the text does not parse though it did before. Empty where the language is not known."""
        ...


class CodeAnswers(Protocol):
    """What can be asked about one project's code.

    Paths are relative to the project. Raises `CallRejected` with words that help where a path or a name is not known.
    """

    async def overview(self) -> Overview: ...

    async def frameworks(self) -> tuple[Framework, ...]: ...

    async def neighborhoods(self, around: str | None = None) -> tuple[Neighborhood, ...]:
        """The largest first; with a path or a symbol's name, the one it is in, then those it touches."""
        ...

    async def search_symbols(
        self, query: str, *, kind: SymbolKind | None = None, limit: int = 40
    ) -> tuple[Symbol, ...]:
        """Those whose names fit best, by parts of words too; the most used of equal ones first."""
        ...

    async def code_files(self, words: Sequence[str]) -> tuple[CodeFile, ...]:
        """All files with code, sorted, each with what in it holds one of the words, in lower case."""
        ...

    async def dependencies(self, path: str) -> Dependencies: ...

    async def file(self, path: str) -> FileAnalysis: ...

    async def symbol(self, name: str, *, path: str | None = None) -> tuple[SymbolInfo, ...]:
        """All symbols of this name, `Class.method` too; the most used first."""
        ...


class CodeIndex(CodeAnswers, Protocol):
    """One project's code as an index. Every answer is of the files as they are on the disk then, and waits until they
    have been read."""

    async def refresh(self) -> IndexState: ...

    def progress(self) -> IndexProgress:
        """Of what is being read right now. It waits for nothing."""
        ...

    async def promptly(self, question: Callable[[CodeAnswers], Awaitable[T]]) -> tuple[T, IndexProgress | None]:
        """The answer as above where it comes within some seconds; otherwise from the files that were read by then, with
        how many these are. The others are read meanwhile, though nobody waits for it."""
        ...

    async def changes(self) -> FileChanges:
        """Since the last call for this project, in whichever process."""
        ...


OpenIndex = Callable[[], CodeIndex]
"""Gives the index, always the same one: what it is made of is not loaded before a tool is called."""
