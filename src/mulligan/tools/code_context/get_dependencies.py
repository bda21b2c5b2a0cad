"""What a file uses, and what uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.asking import ask_promptly
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out, link_line
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import CallTrace, Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import Dependencies


class GetDependenciesArguments(Record):
    path: str = field(min_length=1)


class GetDependencies:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "get_dependencies",
            "What a file imports, and which files import it.",
            GetDependenciesArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GetDependenciesArguments, arguments)
        found, note = await ask_promptly(self._index, lambda code: code.dependencies(asked.path))
        return Succeeded(show_dependencies(found) + note, trace=CallTrace(read=(found.path,)))


def show_dependencies(found: Dependencies) -> str:
    users = counted(len(found.imported_by), "file")
    uses = counted(len(found.imports), "file")
    head = f"{found.path} is used by {users} of the project, and uses {uses} of it."
    return lay_out(head, dependency_sections(found))


def dependency_sections(found: Dependencies) -> list[Section]:
    outside = [", ".join(found.external)] if found.external else []
    return [
        Section("Used by", [*map(link_line, found.imported_by)], "grep for its name finds others", least=8),
        Section("Uses", [*map(link_line, found.imports)], f"view_file {found.path} shows the imports", least=8),
        Section("From elsewhere", outside),
    ]
