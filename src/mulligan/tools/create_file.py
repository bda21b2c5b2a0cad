"""Create a new file."""

from collections.abc import Mapping
from typing import Any

from mulligan.ports.changes import Editing
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.diagnostics import Diagnostics
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.staged_result import staged_outcome
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import Outcome


class CreateFileArguments(Record):
    path: str = field(min_length=1, description="Relative to the project. Folders are made.")
    content: str = field(description="The whole text of the file.")


class CreateFile:
    def __init__(self, editing: Editing, syntax: SyntaxCheck, diagnostics: Diagnostics | None = None) -> None:
        self._editing = editing
        self._syntax = syntax
        self._diagnostics = diagnostics
        self.spec = tool_spec("create_file", "Make a file that does not exist yet.", CreateFileArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(CreateFileArguments, arguments)
        return await staged_outcome(
            await self._editing.create(asked.path, asked.content), self._syntax, self._diagnostics
        )
