"""What is known of a project's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

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


class CodeIndex(Protocol):
    """One project's code as an index. Every method brings it up to date first, by what changed on the disk.

    Paths are relative to the project. Raises `CallRejected` with words that help where a path or a name is not known.
    """

    async def refresh(self) -> IndexState: ...

    def progress(self) -> IndexProgress:
        """Of what is being read right now. It waits for nothing."""
        ...

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

    async def changes(self) -> FileChanges:
        """Since the last call for this project, in whichever process."""
        ...


OpenIndex = Callable[[], CodeIndex]
"""Gives the index, always the same one: what it is made of is not loaded before a tool is called."""
