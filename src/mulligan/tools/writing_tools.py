"""The tools that change a project, by name. Separate from those that read, so that they are imported only if used."""

from collections.abc import Callable

from mulligan.ports.changes import Editing
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.commands import Approve, ChatCommands
from mulligan.ports.diagnostics import Diagnostics
from mulligan.ports.tools import Tool
from mulligan.tools.create_file import CreateFile
from mulligan.tools.delete_file import DeleteFile
from mulligan.tools.edit_file import EditFile
from mulligan.tools.run_command import RunCommand
from mulligan.types.permissions import Permissions


def build_writing_tools(
    editing: Editing,
    syntax: SyntaxCheck,
    commands: ChatCommands,
    approve: Approve,
    permissions: Callable[[], Permissions],
    *,
    project: str,
    diagnostics: Diagnostics | None = None,
) -> dict[str, Tool]:
    """`project` is the folder where commands run."""
    tools: tuple[Tool, ...] = (
        CreateFile(editing, syntax, diagnostics),
        DeleteFile(editing, syntax, diagnostics),
        EditFile(editing, syntax, diagnostics),
        RunCommand(commands, approve, permissions, project=project),
    )
    return {tool.spec.name: tool for tool in tools}
