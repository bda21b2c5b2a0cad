"""Find files by name."""

from collections.abc import Mapping
from typing import Any

from mulligan.ports.files import Workspace
from mulligan.tools.arguments import read_arguments, shown_path, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import Outcome, Succeeded

MAX_SHOWN = 100


class FindFilesArguments(Record):
    pattern: str = field(min_length=1, description="Glob like `**/test_*.py`, or a part of the name.")
    path: str = field(default=".", description="Folder to look in.")


class FindFiles:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec = tool_spec("find_files", "Find files by name.", FindFilesArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(FindFilesArguments, arguments)
        found = await self._workspace.find_files(asked.pattern, asked.path, MAX_SHOWN)
        if not found.total:
            where = f"{asked.pattern!r} in {shown_path(asked.path)}"
            return Succeeded(f"No file fits {where}. Files that .gitignore covers were not looked at.")
        rest = found.total - len(found.paths)
        cut = [f"[{rest} more of {found.total} not shown; narrow the pattern or the path]"] if rest else []
        return Succeeded("\n".join([*found.paths, *cut]))
