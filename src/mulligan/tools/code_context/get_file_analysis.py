"""What is in a file, without reading all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.get_dependencies import dependency_sections
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out, member_line
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import CallTrace, Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import FileAnalysis


class GetFileAnalysisArguments(Record):
    path: str = field(min_length=1)


class GetFileAnalysis:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_file_analysis",
            "A file's symbols with their lines, and its dependencies.",
            GetFileAnalysisArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GetFileAnalysisArguments, arguments)
        file, note = await ask_promptly(self._index, lambda code: code.file(asked.path))
        return Succeeded(show_file(file) + note, trace=CallTrace(read=(file.path,)))


def show_file(file: FileAnalysis) -> str:
    facts = [file.language or "no known language", counted(file.lines, "line"), f"number {file.rank} by importance"]
    if file.skipped:
        facts.append(f"{file.skipped}, so not all of it is known")
    head = f"{file.path}: {', '.join(facts)}." + (f"\n{file.doc}" if file.doc else "")
    symbols = [*map(member_line, file.symbols)]
    return lay_out(
        head, [Section("Symbols", symbols, "view_file shows them", least=25), *dependency_sections(file.dependencies)]
    )
