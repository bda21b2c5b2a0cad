"""Replace text in a file."""

from collections.abc import Mapping
from typing import Any

from mulligan.core.provenance import NOTHING_TO_DO
from mulligan.ports.changes import Editing
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.diagnostics import Diagnostics
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.staged_result import staged_outcome
from mulligan.types.base import Record, field
from mulligan.types.edits import TextEdit
from mulligan.types.errors import CallRejected, EditRefused
from mulligan.types.tool_calls import Outcome, Succeeded


class EditArguments(Record):
    old: str
    new: str
    replace_all: bool = False


class EditFileArguments(Record):
    path: str = field(min_length=1, description="Relative to the project.")
    old: str | None = field(
        default=None, description="The lines to replace, copied from the file, without line numbers. Must be unique."
    )
    new: str | None = field(default=None, description="The lines that replace them.")
    replace_all: bool = field(default=False, description="Replace every place.")
    edits: list[EditArguments] | None = field(
        default=None, description="Several edits of this file, instead of old and new."
    )


class EditFile:
    def __init__(self, editing: Editing, syntax: SyntaxCheck, diagnostics: Diagnostics | None = None) -> None:
        self._editing = editing
        self._syntax = syntax
        self._diagnostics = diagnostics
        self.spec = tool_spec("edit_file", "Replace text in a file.", EditFileArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(EditFileArguments, arguments)
        try:
            staged = await self._editing.edit(asked.path, _edits(asked))
        except EditRefused as refused:
            if refused.report.reason != "already_applied":
                raise
            return Succeeded(f"{NOTHING_TO_DO}{asked.path} has this change already.")
        return await staged_outcome(staged, self._syntax, self._diagnostics)


def _edits(asked: EditFileArguments) -> list[TextEdit]:
    edits = [TextEdit(each.old, each.new, each.replace_all or asked.replace_all) for each in asked.edits or ()]
    if asked.old is not None or not edits:
        missing = [name for name, given in (("old", asked.old), ("new", asked.new)) if given is None]
        if missing:
            raise CallRejected("schema_reject", f"The arguments don't fit: {' and '.join(missing)} is missing.")
        edits.insert(0, TextEdit(asked.old or "", asked.new or "", asked.replace_all))
    return edits
