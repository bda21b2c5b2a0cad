"""The ledger: which files were read and which were changed, from the calls that were made.

A path counts if its call succeeded. It is the call's path argument (for `view_file`, the path under which the result
shows the file); a call without one, or for the whole project, names no path. The ledger stands at the end of every
summary, and is read back from there: what is written by `write_ledger` comes back from `read_ledger`, whatever text
stands before it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from mulligan.core.unapplied_edits import CHANGING
from mulligan.types.messages import Part, ToolCallPart, ToolResultPart

READING = frozenset({"find_files", "grep", "list_dir", "view_file"})

FILES_READ = "## Files Read"
FILES_MODIFIED = "## Files Modified"


@dataclass(frozen=True, slots=True)
class Ledger:
    """Paths from the project, of files and of folders that were searched or listed."""

    read: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()

    def __or__(self, other: "Ledger") -> "Ledger":
        return Ledger(self.read | other.read, self.modified | other.modified)


def ledger_of(parts: Iterable[Part]) -> Ledger:
    """What the calls among these parts read and changed."""
    calls: dict[str, ToolCallPart] = {}
    read: set[str] = set()
    modified: set[str] = set()
    for part in parts:
        # An id is unique within its step alone: a result belongs to the last call before it.
        if isinstance(part, ToolCallPart):
            calls[part.call_id] = part
        elif isinstance(part, ToolResultPart) and part.failure is None and part.call_id in calls:
            path = _path(calls[part.call_id], part)
            if path and part.name in READING:
                read.add(path)
            elif path and part.name in CHANGING:
                modified.add(path)
    return Ledger(frozenset(read), frozenset(modified))


def write_ledger(ledger: Ledger) -> str:
    """The end of a summary, as it is stored: every path, sorted."""
    return _sections([f"- {path}" for path in sorted(ledger.read)], [f"- {path}" for path in sorted(ledger.modified)])


def split_ledger(summary: str) -> tuple[str, Ledger]:
    """A stored summary without its ledger, and the ledger."""
    before, _, listed = f"\n{summary}".rpartition(f"\n{FILES_READ}\n")
    read, _, modified = listed.partition(f"\n{FILES_MODIFIED}\n")
    return before.strip("\n"), Ledger(_entries(read), _entries(modified))


def show_ledger(ledger: Ledger, room: int) -> str:
    """The ledger for a request: whole if it fits into so many characters, else folders with counts."""
    whole = write_ledger(ledger)
    if len(whole) <= room:
        return whole
    deepest = max(path.count("/") for path in ledger.read | ledger.modified)
    for depth in range(deepest, 0, -1):
        folded = _sections(_folded(ledger.read, depth), _folded(ledger.modified, depth))
        if len(folded) <= room:
            return folded
    return _sections(_counted(ledger.read), _counted(ledger.modified))


def _sections(read: list[str], modified: list[str]) -> str:
    lines = [FILES_READ, *(read or ["(none)"])]
    if modified:
        lines += ["", FILES_MODIFIED, *modified]
    return "\n".join(lines)


def _entries(section: str) -> frozenset[str]:
    return frozenset(line[2:] for line in section.split("\n") if line.startswith("- "))


def _folded(paths: frozenset[str], depth: int) -> list[str]:
    """A line for each folder, no deeper than so many levels."""
    folders = Counter("/".join(path.split("/")[:-1][:depth]) or "." for path in paths)
    return [f"- {folder}/ ({_files(count)})" for folder, count in sorted(folders.items())]


def _counted(paths: frozenset[str]) -> list[str]:
    return [f"- {_files(len(paths))}"] if paths else []


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


LONGEST_HEAD = 5_000
_SHOWN = re.compile(r"(.+) (?:\(lines \d++-\d++ of \d++[^)]*+\)|is empty \(0 lines[^)]*+\)\.)")
"""The first line of what `view_file` shows."""

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _path(call: ToolCallPart, result: ToolResultPart) -> str | None:
    given = call.arguments.get("path")
    if not isinstance(given, str):
        return None
    if call.name == "view_file":
        # Models ask for `./app.py:12`; the result says what file that is.
        shown = _SHOWN.fullmatch(result.content[:LONGEST_HEAD].partition("\n")[0])
        if shown and shown[1].rpartition("/")[2] in given:
            given = shown[1]
    return _normal(given)


def _normal(path: str) -> str | None:
    """One spelling for each path, on one line, that any database takes; None for the project itself."""
    whole = path.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    clean = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", whole)
    steps = [step for step in clean.split("/") if step not in ("", ".")]
    if not steps:
        return None
    return "/" * clean.startswith("/") + "/".join(steps)
