"""One symbol: its source, who uses it, what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mulligan.ports.code import OpenIndex
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, counted, lay_out, member_line, symbol_line
from mulligan.types.base import Record
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Reference, SymbolInfo


class GetSymbolInfoArguments(Record):
    name: str = Field(min_length=1, description="Like `Class.method`.")
    path: str | None = Field(default=None, description="If several have the name.")


class GetSymbolInfo:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_symbol_info", "A symbol's source and where it is used.", GetSymbolInfoArguments, time_limit=TIME_LIMIT
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GetSymbolInfoArguments, arguments)
        return Succeeded(show_symbol(asked.name, await self._index().symbol(asked.name, path=asked.path or None)))


def show_symbol(name: str, found: Sequence[SymbolInfo]) -> str:
    """The most used of the name in full, the others by their place."""
    if not found:
        return f"No symbol is called {name!r}. search_symbols finds names that are like it."
    first, *others = found
    symbol = first.symbol
    used = f"Used in {counted(first.total_references, 'place')}" if first.total_references else "Used nowhere else"
    sections = [
        Section("Others of this name", [symbol_line(each.symbol) for each in others], "name the path"),
        Section("Source", first.source.splitlines(), f"view_file {symbol.path} start_line={symbol.line}", least=40),
        Section(used, [*map(_reference, first.references)], "grep finds the others", least=10),
        Section("Members", [*map(member_line, first.members)], "get_file_analysis lists them", least=10),
    ]
    return lay_out(f"{symbol_line(symbol)} (lines {symbol.line}-{symbol.end_line})", sections)


def _reference(reference: Reference) -> str:
    return f"{reference.path}:{reference.line}: {reference.text}"
