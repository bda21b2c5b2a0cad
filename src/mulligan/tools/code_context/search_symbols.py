"""Find classes, functions and the like by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.ports.files import GrepMatch, GrepQuery, Workspace
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out, symbol_line
from mulligan.types.base import Record, field
from mulligan.types.symbols import SymbolKind
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Symbol


MAX_FOUND = 40
_DEFINES = (
    r"\b(?:class|def|fn|func|function|struct|enum|interface|trait|type|const|let|var|val|module|namespace)\s+"
    r"(?:\([^)]*\)\s*)?\w*{name}"
)


class SearchSymbolsArguments(Record):
    query: str = field(min_length=1, description="Name, or a part of it.")
    kind: SymbolKind | None = None


class SearchSymbols:
    def __init__(self, index: OpenIndex, files: Workspace | None = None) -> None:
        """`files` are searched as text for what the index does not have yet."""
        self._index = index
        self._files = files
        self.spec = tool_spec(
            "search_symbols", "Find where symbols are defined.", SearchSymbolsArguments, time_limit=TIME_LIMIT
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(SearchSymbolsArguments, arguments)
        found, note = await ask_promptly(
            self._index, lambda code: code.search_symbols(asked.query, kind=asked.kind, limit=MAX_FOUND + 1)
        )
        text = await self._as_text(asked.query, {(each.path, each.line) for each in found}) if note else ""
        return Succeeded(show_symbols(asked.query, found) + text + note)

    async def _as_text(self, query: str, known: AbstractSet[tuple[str, int]]) -> str:
        """Lines that look like a definition, in any language."""
        name = re.escape(query.strip().replace("::", ".").rpartition(".")[2])
        if self._files is None or not name:
            return ""
        found = await self._files.grep(GrepQuery(_DEFINES.format(name=name), ignore_case=True))
        lines = [
            f"{each.path}:{each.line} {each.text.strip()}" for each in found.matches if _location(each) not in known
        ]
        return "\n\n" + lay_out("By their text alone:", [Section("Lines", lines, "use grep")]) if lines else ""


def _location(match: GrepMatch) -> tuple[str, int]:
    return match.path, match.line


def show_symbols(query: str, found: Sequence[Symbol]) -> str:
    if not found:
        return f"No symbol's name is like {query!r}. Try a part of it, leave out kind, or use grep for other text."
    count = counted(len(found), "symbol") if len(found) <= MAX_FOUND else f"More than {MAX_FOUND} symbols"
    title = f"{count} like {query!r}, the best first"
    more = "ask for a longer part of the name, or a kind"
    return lay_out(title + ".", [Section("Defined", [*map(symbol_line, found[:MAX_FOUND])], more)])
