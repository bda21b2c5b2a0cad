"""Facts about a project's code: files, symbols and their relations."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from mulligan.types.frozen import frozen
from mulligan.types.symbols import SymbolKind

SkipReason = Literal["generated", "minified", "vendored", "too large", "broken", "binary", "unknown language"]
"""Why a file's symbols are not in the index, or, if `broken`, only those that could be read."""


@frozen
class Symbol:
    name: str
    kind: SymbolKind
    path: str
    line: int
    """Line of its name, counted from 1."""
    end_line: int
    signature: str
    """Its declaration, on one line."""
    doc: str = ""
    """The first line of its documentation."""
    parent: str = ""
    """The symbol that contains it, such as a method's class."""
    is_declaration: bool = False
    """Whether it has no body here: a prototype in a header, a method of an interface."""


@frozen
class CodeFile:
    """A file with code, and what in it contains one of the search words."""

    path: str
    lines: int
    doc: str
    """The first line of its documentation."""
    symbols: tuple[Symbol, ...] = ()
    """Symbols whose name or documentation contains one."""
    names: Mapping[str, int] = field(default_factory=dict[str, int])
    """Names in its text that contain one, with their counts."""
    uses: Mapping[str, float] = field(default_factory=dict[str, float])
    """Files that it uses, each with a weight: 1 for what it imports and calls, little for a name that only looks the
    same."""


@frozen
class Reference:
    """A use of a name."""

    path: str
    line: int
    text: str
    """The line itself, stripped."""


@frozen
class RankedFile:
    path: str
    score: float
    """Its share of the total importance of all files."""
    why: tuple[str, ...]
    """The reasons: `used by 14 files`, `entry point`."""


@frozen
class Neighborhood:
    """A group of files that refer to each other more than to others."""

    name: str
    """The folder or word that most of them share."""
    files: tuple[str, ...]
    """The most important first."""
    symbols: tuple[str, ...]
    """The symbols that other files use most."""


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
    """A package manifest and the frameworks that it names."""

    manifest: str
    language: str
    name: str
    """Name of the package."""
    frameworks: tuple[str, ...]
    """Known libraries that define a project: `fastapi`, `react`, `pytest`."""
    dependencies: tuple[str, ...]
    scripts: tuple[tuple[str, str], ...]
    """Scripts that it defines: name and command."""
    entry_points: tuple[EntryPoint, ...]


@frozen
class Overview:
    """An overview of the project."""

    files: int
    lines: int
    languages: tuple[LanguageShare, ...]
    """The largest first."""
    entry_points: tuple[EntryPoint, ...]
    important: tuple[RankedFile, ...]
    symbols: tuple[Symbol, ...]
    """The most used symbols."""
    neighborhoods: tuple[Neighborhood, ...]
    documents: tuple[str, ...]
    folders: tuple[tuple[str, int], ...]
    """Folders down to the second level, with the number of files in each."""
    skipped: tuple[tuple[SkipReason, int], ...]
    """Why files were skipped or only partly read, with counts."""


@frozen
class Link:
    """One file's use of another."""

    path: str
    names: tuple[str, ...]
    """The symbols that are used, if known."""


@frozen
class Dependencies:
    path: str
    imports: tuple[Link, ...]
    """Files of the project that it imports."""
    imported_by: tuple[Link, ...]
    external: tuple[str, ...]
    """Imported modules that are not in the project."""


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
    """Its rank among all files by importance, from 1."""
    skipped: SkipReason | None


@frozen
class SymbolInfo:
    symbol: Symbol
    source: tuple[str, ...]
    """Its first lines; the symbol has their total number."""
    references: tuple[Reference, ...]
    """Uses in other files, one line per file; limited to the first files."""
    using_files: int
    """How many other files use it, including those not listed."""
    own_references: tuple[Reference, ...]
    """Uses in its own file."""
    members: tuple[Symbol, ...]
    others: tuple[Symbol, ...]
    """Other symbols with the requested name, definitions first."""


@frozen
class FileChanges:
    """What changed in this project since the last query, from any process."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    since: float | None
    """Time of that query, in seconds since 1970. None if there was none: then everything is new, and nothing is listed.
    """


@frozen
class IndexProgress:
    """Progress of reading new or changed files into the index."""

    read: int = 0
    of: int = 0
    """0 while nothing has to be read."""


@frozen
class IndexState:
    """Statistics of an index update."""

    files: int
    parsed: int
    """Files that were new or changed, and so parsed."""
    seconds: float
