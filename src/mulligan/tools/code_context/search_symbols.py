"""Find classes, functions and the like by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mulligan.ports.code import OpenIndex
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, counted, lay_out, symbol_line
from mulligan.types.base import Record
from mulligan.types.symbols import SymbolKind
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Symbol


MOST_FOUND = 40


class SearchSymbolsArguments(Record):
    query: str = Field(min_length=1, description="Name, or a part of it.")
    kind: SymbolKind | None = None


class SearchSymbols:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "search_symbols", "Find where symbols are defined.", SearchSymbolsArguments, time_limit=TIME_LIMIT
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(SearchSymbolsArguments, arguments)
        found = await self._index().search_symbols(asked.query, kind=asked.kind, limit=MOST_FOUND + 1)
        return Succeeded(show_symbols(asked.query, found))


def show_symbols(query: str, found: Sequence[Symbol]) -> str:
    if not found:
        return f"No symbol's name is like {query!r}. Try a part of it, leave out kind, or use grep for other text."
    count = counted(len(found), "symbol") if len(found) <= MOST_FOUND else f"More than {MOST_FOUND} symbols"
    title = f"{count} like {query!r}, the best first"
    more = "ask for a longer part of the name, or a kind"
    return lay_out(title + ".", [Section("Defined", [*map(symbol_line, found[:MOST_FOUND])], more)])
