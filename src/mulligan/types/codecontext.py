"""What is known of a project's code: files, symbols, and how they hang together."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from mulligan.types.frozen import frozen
from mulligan.types.symbols import SymbolKind

SkipReason = Literal["generated", "minified", "vendored", "too large", "broken", "binary", "unknown language"]
"""Why a file's symbols are not in the index, or only as far as they could be read (`broken`)."""


@frozen
class Symbol:
    name: str
    kind: SymbolKind
    path: str
    line: int
    """From 1: where its name stands."""
    end_line: int
    signature: str
    """Its head on one line, as it is written."""
    doc: str = ""
    """The first line of its documentation."""
    parent: str = ""
    """The symbol it is a part of, such as a method's class."""
    is_declaration: bool = False
    """It has no body here: a prototype in a header, a method of an interface."""


@frozen
class CodeFile:
    """A file with code, and what in it holds one of the words that somebody looks for."""

    path: str
    lines: int
    doc: str
    """The first line of its documentation, whatever that holds."""
    symbols: tuple[Symbol, ...] = ()
    """Those whose name or documentation holds one."""
    names: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names in its text that hold one, with how often each stands there."""
    uses: Mapping[str, float] = field(default_factory=dict[str, float])
    """The files that it uses, and how sure and close that is: 1 for what it imports and calls, little for a name that
    only looks the same."""


@frozen
class Reference:
    """A place where a name is used."""

    path: str
    line: int
    text: str
    """The line itself, stripped."""


@frozen
class RankedFile:
    path: str
    score: float
    """Its share of the importance of all files."""
    why: tuple[str, ...]
    """In words: `used by 14 files`, `entry point`."""


@frozen
class Neighborhood:
    """Files that refer to each other more than to others."""

    name: str
    """The folder or the word that most of them share."""
    files: tuple[str, ...]
    """The most important first."""
    symbols: tuple[str, ...]
    """The symbols that others use most."""


@frozen
class LanguageShare:
    language: str
    files: int
    lines: int


@frozen
class EntryPoint:
    path: str
    what: str
    """`console script mulligan`, `main function`, `Django settings`."""


@frozen
class Framework:
    """A manifest, and what it says the project is made with."""

    manifest: str
    language: str
    name: str
    """Of the package."""
    frameworks: tuple[str, ...]
    """Known libraries that shape a project: `fastapi`, `react`, `pytest`."""
    dependencies: tuple[str, ...]
    scripts: tuple[tuple[str, str], ...]
    """Commands it defines: name and what it runs."""
    entry_points: tuple[EntryPoint, ...]


@frozen
class Overview:
    """The project as a map."""

    files: int
    lines: int
    languages: tuple[LanguageShare, ...]
    """The largest first."""
    entry_points: tuple[EntryPoint, ...]
    important: tuple[RankedFile, ...]
    symbols: tuple[Symbol, ...]
    """The most used."""
    neighborhoods: tuple[Neighborhood, ...]
    documents: tuple[str, ...]
    folders: tuple[tuple[str, int], ...]
    """Folders down to the second level, with the number of files in each."""
    skipped: tuple[tuple[SkipReason, int], ...]
    """How many files were left out or read only in part, and why."""


@frozen
class Link:
    """One file's use of another."""

    path: str
    names: tuple[str, ...]
    """Which of its symbols, as far as they are known."""


@frozen
class Dependencies:
    path: str
    imports: tuple[Link, ...]
    """Files of the project."""
    imported_by: tuple[Link, ...]
    external: tuple[str, ...]
    """Modules from elsewhere."""


@frozen
class FileAnalysis:
    path: str
    language: str | None
    lines: int
    doc: str
    """The first line of its own documentation."""
    symbols: tuple[Symbol, ...]
    """In the order of the file."""
    dependencies: Dependencies
    rank: int
    """Its place among all files by importance, from 1."""
    skipped: SkipReason | None


@frozen
class SymbolInfo:
    symbol: Symbol
    source: tuple[str, ...]
    """Its first lines; the symbol tells how many there are."""
    references: tuple[Reference, ...]
    """Other files that use it, one line of each; the first files only where they are many."""
    using_files: int
    """How many other files use it, listed or not."""
    own_references: tuple[Reference, ...]
    """The lines of its own file that use it."""
    members: tuple[Symbol, ...]
    others: tuple[Symbol, ...]
    """The other symbols of the name that was asked for, definitions first."""


@frozen
class FileChanges:
    """What changed since the last look at this project, by whichever process."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    since: float | None
    """When that look was, in seconds since 1970. None if there was none: everything is new, so nothing is listed."""


@frozen
class IndexProgress:
    """How far the index has come with files that are new or changed."""

    read: int = 0
    of: int = 0
    """0 while nothing has to be read."""


@frozen
class IndexState:
    """What bringing the index up to date took."""

    files: int
    parsed: int
    """Files that were new or changed."""
    seconds: float
