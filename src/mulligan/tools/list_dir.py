"""List a folder."""

from collections.abc import Mapping
from typing import Any

from mulligan.ports.files import DirEntry, Listing, Workspace
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.tool_calls import Outcome, Succeeded

MAX_SHOWN = 200


class ListDirArguments(Record):
    path: str = field(default=".", description="Folder.")


class ListDir:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec = tool_spec("list_dir", "List a folder: folders end in /, files have their size.", ListDirArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(ListDirArguments, arguments)
        return Succeeded(show_listing(await self._workspace.list_dir(asked.path)))


def show_listing(listing: Listing) -> str:
    folder = "The project" if listing.path == "." else f"{listing.path}/"
    hidden = f"; {listing.hidden} more that .gitignore covers" if listing.hidden else ""
    if not listing.entries:
        return f"{folder} is empty{hidden}."
    count = len(listing.entries)
    header = f"{folder} ({count} {'entry' if count == 1 else 'entries'}{hidden}):"
    rest = count - MAX_SHOWN
    cut = [f"[{rest} more not shown; use find_files to look among them]"] if rest > 0 else []
    return "\n".join([header, *map(_show_entry, listing.entries[:MAX_SHOWN]), *cut])


def _show_entry(entry: DirEntry) -> str:
    return entry.name if entry.size is None else f"{entry.name} ({_size(entry.size)})"


def _size(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1_000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"
