"""Files that belong together, by how they refer to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import CodeAnswers, OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Neighborhood


class GetSemanticNeighborhoodsArguments(Record):
    around: str | None = field(default=None, description="Path or symbol.")


class GetSemanticNeighborhoods:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_semantic_neighborhoods",
            "The project's parts: files that belong together.",
            GetSemanticNeighborhoodsArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GetSemanticNeighborhoodsArguments, arguments)
        (found, own), note = await ask_promptly(self._index, lambda code: _around(code, asked.around))
        refers_to = tuple(dict.fromkeys((*own, *source_files(found, asked.around))))
        return Succeeded(show_neighborhoods(found, asked.around) + note, refers_to=refers_to, asked_for=own)


async def _around(code: CodeAnswers, around: str | None) -> tuple[tuple[Neighborhood, ...], tuple[str, ...]]:
    """The groups, and the requested files."""
    found = await code.neighborhoods(around or None)
    return found, await _files_of(code, around) if around else ()


async def _files_of(index: CodeAnswers, around: str) -> tuple[str, ...]:
    """The file of this path; else those that define the symbol, as found by the index for the groups."""
    try:
        return ((await index.dependencies(around)).path,)
    except CallRejected:
        return tuple(dict.fromkeys(each.symbol.path for each in await index.symbol(around)))


def show_neighborhoods(found: Sequence[Neighborhood], around: str | None) -> str:
    if around and not found:
        return f"{around} stands alone: it uses no file of the project, and none uses it."
    if not found:
        return "No files refer to each other here. get_codebase_overview shows what there is."
    where = f", the one of {around} first, then those it touches" if around else ", the largest first"
    sections = [Section(_title(each), each.files, "get_dependencies of one of them") for each in found]
    more = "name a path or a symbol in `around` to see others"
    return lay_out(f"{counted(len(found), 'group')} of files{where}.", sections, more=more)


def source_files(found: Sequence[Neighborhood], around: str | None) -> tuple[str, ...]:
    """Around something, its own neighborhood first; else the first file of each, then the second of each."""
    if around:
        ranked = [path for each in found for path in each.files]
    else:
        ranked = [path for row in zip_longest(*(each.files for each in found)) for path in row if path]
    return tuple(dict.fromkeys(ranked))


def _title(group: Neighborhood) -> str:
    symbols = f", with {', '.join(group.symbols[:6])}" if group.symbols else ""
    return f"{group.name} ({counted(len(group.files), 'file')}{symbols})"
