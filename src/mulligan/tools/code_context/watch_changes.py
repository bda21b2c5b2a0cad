"""What changed on disk since the tool was last called in this project."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mulligan.ports.code import OpenIndex
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.tools.code_context.layout import TIME_LIMIT, Section, lay_out
from mulligan.types.base import Record
from mulligan.types.tool_calls import Outcome, Succeeded

if TYPE_CHECKING:
    from mulligan.types.codecontext import FileChanges


class WatchChangesArguments(Record):
    pass


class WatchChanges:
    def __init__(self, index: OpenIndex) -> None:
        self._index = index
        self.spec = tool_spec(
            "watch_changes",
            "Files changed since it was last called in this project.",
            WatchChangesArguments,
            time_limit=TIME_LIMIT,
        )

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        read_arguments(WatchChangesArguments, arguments)
        return Succeeded(show_changes(await self._index().changes()))


def show_changes(changes: FileChanges) -> str:
    if changes.since is None:
        return (
            "This was the first look at this project, so there is nothing to compare with."
            " The next call tells what changed since, in another chat too."
        )
    since = f"since the last call in this project, {datetime.fromtimestamp(changes.since, UTC):%Y-%m-%d %H:%M} UTC"
    total = len(changes.added) + len(changes.modified) + len(changes.deleted)
    if not total:
        return f"Nothing changed {since}."
    more = "list_dir shows the folder"
    sections = [
        Section("Modified", changes.modified, more, least=20),
        Section("Added", changes.added, more, least=20),
        Section("Deleted", changes.deleted, least=20),
    ]
    return lay_out(f"{counted(total, 'file')} changed {since}.", sections)
