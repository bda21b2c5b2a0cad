"""A map of the whole project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out, symbol_line
from mulligan.types.base import Record
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import LanguageShare, Neighborhood, Overview, RankedFile

OVERVIEW_TOKENS = 1200


class GetCodebaseOverviewArguments(Record):
    pass


class GetCodebaseOverview:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_codebase_overview",
            "Map of the whole project. Only for questions about all of it.",
            GetCodebaseOverviewArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        read_arguments(GetCodebaseOverviewArguments, arguments)
        overview, note = await ask_promptly(self._index, lambda code: code.overview())
        return Succeeded(show_overview(overview) + note, refers_to=source_files(overview))


def show_overview(overview: Overview) -> str:
    sections = [
        Section("Entry points", [f"{each.path}: {each.what}" for each in overview.entry_points], least=5),
        Section("Main files", [*map(_file_line, overview.important)], "get_file_analysis tells of any file", least=12),
        Section("Most used symbols", [*map(symbol_line, overview.symbols)], "search_symbols finds others", least=8),
        Section(
            "Files that belong together",
            [*map(_neighborhood_line, overview.neighborhoods)],
            "get_semantic_neighborhoods shows them",
            least=6,
        ),
        Section("Documents", overview.documents, "find_files lists them", least=6),
        Section("Folders", [f"{path}/ {counted(files, 'file')}" for path, files in overview.folders], "list_dir"),
    ]
    return lay_out(_head(overview), sections, tokens=OVERVIEW_TOKENS)


def source_files(overview: Overview) -> tuple[str, ...]:
    """What to read to understand the project: its README, the document on its structure, its entry points, then the
    files by importance."""
    named = ([path for path in overview.documents if _is(path, name)] for name in ("readme", "architecture", "design"))
    guides = [path for paths in named for path in paths[:1]]
    starts = [each.path for each in overview.entry_points]
    important = [each.path for each in overview.important]
    symbols = [each.path for each in overview.symbols]
    nearby = [path for each in overview.neighborhoods for path in each.files]
    ranked = [*guides[:2], *starts[:1], *important, *starts, *symbols, *nearby, *overview.documents]
    return tuple(dict.fromkeys(ranked))


def _is(document: str, name: str) -> bool:
    return document.rpartition("/")[2].lower().startswith(name)


def _head(overview: Overview) -> str:
    size = f"{counted(overview.files, 'file')}, {counted(overview.lines, 'line')}"
    if overview.languages:
        size += f": {'; '.join(map(_language, overview.languages[:6]))}"
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in overview.skipped)
    return f"{size}." + (f"\nNot read, or only in part: {skipped}." if skipped else "")


def _language(share: LanguageShare) -> str:
    return f"{share.language} {counted(share.files, 'file')}, {counted(share.lines, 'line')}"


def _file_line(file: RankedFile) -> str:
    return f"{file.path}: {', '.join(file.why)}" if file.why else file.path


def _neighborhood_line(group: Neighborhood) -> str:
    symbols = f" ({', '.join(group.symbols[:4])})" if group.symbols else ""
    return f"{group.name}{symbols}: {_first(group.files, 3)}"


def _first(paths: Iterable[str], most: int) -> str:
    every = list(paths)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest} more" if rest > 0 else "")
