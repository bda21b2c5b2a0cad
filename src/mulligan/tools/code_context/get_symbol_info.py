"""One symbol: its source, its users, its members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out, member_line, symbol_line
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import CallTrace, Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Reference, SymbolInfo


class GetSymbolInfoArguments(Record):
    name: str = field(min_length=1, description="Like `Class.method`.")
    path: str | None = field(default=None, description="If several have the name.")


class GetSymbolInfo:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_symbol_info", "A symbol's source and where it is used.", GetSymbolInfoArguments, time_limit=TIME_LIMIT
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GetSymbolInfoArguments, arguments)
        found, note = await ask_promptly(self._index, lambda code: code.symbol(asked.name, path=asked.path or None))
        # Shows the source of the first, and only the location of the others.
        read = tuple(each.symbol.path for each in found[:1])
        return Succeeded(show_symbol(asked.name, found) + note, trace=CallTrace(read=read))


def show_symbol(name: str, found: Sequence[SymbolInfo]) -> str:
    """The most used one of that name in full, the others by location."""
    if not found:
        return f"No symbol is called {name!r}. search_symbols finds names that are like it."
    first = found[0]
    symbol = first.symbol
    lines_shown = f"lines {symbol.line}-{symbol.end_line}" + (", a declaration without a body" * symbol.is_declaration)
    others = [symbol_line(each) for each in first.others if not each.is_declaration]
    declared = [symbol_line(each) for each in first.others if each.is_declaration]
    lines = symbol.end_line - symbol.line + 1
    sections = [
        Section("Others of this name", others, "name the path"),
        Section("Declarations of this name", declared, "name the path"),
        Section("Source", first.source, f"view_file {symbol.path} start_line={symbol.line}", least=40, total=lines),
        Section(
            f"Used in {counted(first.using_files, 'other file')}, one line of each",
            [*map(_reference, first.references)],
            "grep finds the others",
            least=10,
            total=first.using_files,
        ),
        Section(
            f"Used in {counted(len(first.own_references), 'line')} of its own file",
            [*map(_reference, first.own_references)],
            "grep finds the others",
        ),
        Section("Members", [*map(member_line, first.members)], "get_file_analysis lists them", least=10),
    ]
    used = "" if first.using_files or first.own_references else "\nThe index knows of no use; grep may find some."
    return lay_out(f"{symbol_line(symbol)} ({lines_shown}){used}", sections)


def _reference(reference: Reference) -> str:
    return f"{reference.path}:{reference.line}: {reference.text}"
