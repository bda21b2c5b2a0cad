"""The code index of a project, as a page shows it."""

from collections.abc import Iterable
from typing import Literal

from mulligan.core.framework_summary import framework_summary
from mulligan.server.views.bodies import view_of
from mulligan.server.views.body import Body
from mulligan.types.codecontext import FileAnalysis, Framework, Overview
from mulligan.types.symbols import SymbolKind


class SymbolView(Body):
    name: str
    kind: SymbolKind
    path: str
    line: int
    signature: str
    doc: str
    parent: str


class CompletionView(Body):
    """A completion for the start of a name in a message."""

    text: str
    """Replaces what was typed, including its mark."""
    about: str
    kind: Literal["file", "folder", "symbol", "command"]


class GroupView(Body):
    name: str
    files: tuple[str, ...]
    symbols: tuple[str, ...]


class MapFile(Body):
    path: str
    score: float
    why: tuple[str, ...]


class OverviewView(Body):
    files: int
    lines: int
    languages: tuple[tuple[str, int, int], ...]
    """Name, files, lines."""
    entry_points: tuple[tuple[str, str], ...]
    """Path, and what starts there."""
    important: tuple[MapFile, ...]
    symbols: tuple[SymbolView, ...]
    groups: tuple[GroupView, ...]
    documents: tuple[str, ...]
    folders: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]
    frameworks: tuple[str, ...]
    """Each in a line."""


class IndexProgressView(Body):
    read: int
    of: int
    """Files that are new or changed; 0 while nothing has to be read."""


class SourceView(Body):
    path: str
    lines: tuple[str, ...]
    """Characters that a screen would hide or interpret are written out."""
    left_out: int
    """Lines left out at the end of a long file."""


class LinkView(Body):
    path: str
    names: tuple[str, ...]


class FileView(Body):
    path: str
    language: str | None
    lines: int
    rank: int
    doc: str
    symbols: tuple[SymbolView, ...]
    imports: tuple[LinkView, ...]
    imported_by: tuple[LinkView, ...]
    external: tuple[str, ...]


def overview_view(found: Overview, frameworks: Iterable[Framework]) -> OverviewView:
    return view_of(
        OverviewView,
        found,
        languages=tuple((each.language, each.files, each.lines) for each in found.languages),
        entry_points=tuple((each.path, each.what) for each in found.entry_points),
        groups=found.neighborhoods,
        frameworks=tuple(f"{each.manifest}: {framework_summary(each)}" for each in frameworks),
    )


def file_view(found: FileAnalysis) -> FileView:
    uses = found.dependencies
    return view_of(FileView, found, imports=uses.imports, imported_by=uses.imported_by, external=uses.external)
