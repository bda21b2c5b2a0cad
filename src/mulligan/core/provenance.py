"""What a turn's calls read and changed, and which of its edits were refused."""

from collections import Counter
from collections.abc import Iterable, Sequence

from mulligan.runtime.counted import counted
from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.frozen import frozen
from mulligan.types.messages import Part, Synthesis, ToolCallPart, ToolResultPart

CHANGING = frozenset({"edit_file", "create_file", "delete_file"})
WRITING = CHANGING | {"run_command"}
"""Tools that a read-only agent does not have."""


NOTHING_TO_DO = "Nothing to do: "
"""Begins the result of an edit that is already in the file."""


def found_done(parts: Iterable[Part]) -> bool:
    """Whether an edit of this turn was already in its file: the request is fulfilled, though nothing was changed."""
    results = (part for part in parts if isinstance(part, ToolResultPart) and part.name in CHANGING)
    return any(part.failure is None and part.content.startswith(NOTHING_TO_DO) for part in results)


@frozen
class RefusedEdits:
    """The files whose last edit in a turn was refused, as the model named them, in call order."""

    unapplied: tuple[str, ...] = ()
    """Unchanged files: a model that says that all is done is wrong, and is not believed."""
    overwritten: tuple[str, ...] = ()
    """Files that a later command changed. Their content counts."""


def refused_edits(parts: Sequence[Part]) -> RefusedEdits:
    """What became of the refused edits of one turn.

    A later edit of a file with the same name in another folder counts as success: the first path was a wrong guess.
    """
    calls = {part.call_id: part for part in parts if isinstance(part, ToolCallPart) and part.name in CHANGING}
    succeeded: dict[str, bool] = {}
    by_command: set[str] = set()
    for part in parts:
        if not isinstance(part, ToolResultPart):
            continue
        by_command |= {path for path in part.changed if not succeeded.get(path, True)}
        call = calls.get(part.call_id)
        path = call.arguments.get("path") if call else None
        if isinstance(path, str):
            path = path.removeprefix("./")
            succeeded[path] = part.failure is None
            by_command.discard(path)
    done = {_name(path) for path, success in succeeded.items() if success}
    refused = [path for path, success in succeeded.items() if not success and _name(path) not in done]
    return RefusedEdits(
        tuple(path for path in refused if path not in by_command),
        tuple(path for path in refused if path in by_command),
    )


def refused_words(refused: RefusedEdits) -> str:
    """Added to the reason why a turn ended; empty if there is nothing to add."""
    words = ""
    if refused.unapplied:
        words += f" But its last edit of {' and '.join(refused.unapplied)} was refused: that is not done."
    if refused.overwritten:
        files, verb = " and ".join(refused.overwritten), "was" if len(refused.overwritten) == 1 else "were"
        words += f" {files} {verb} changed by a command, after an edit of it was refused."
    return words


def _name(path: str) -> str:
    return path.rpartition("/")[2]


READING = frozenset({"find_files", "grep", "list_dir", "view_file"})


def only_read(names: Iterable[str]) -> bool:
    """Whether calls of these tools change nothing. An unknown name may be a misspelt one."""
    return READING.issuperset(names)


FILES_READ = "## Files Read"
FILES_MODIFIED = "## Files Modified"


@frozen
class Ledger:
    """Paths of files, and of folders that were searched or listed, relative to the project."""

    read: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()

    def __or__(self, other: "Ledger") -> "Ledger":
        return Ledger(self.read | other.read, self.modified | other.modified)


def ledger_of(parts: Iterable[Part]) -> Ledger:
    """What the calls among these parts, and synthesis passes, read and changed."""
    calls: dict[str, ToolCallPart] = {}
    read: set[str | None] = set()
    modified: set[str | None] = set()
    for part in parts:
        match part:
            # An id is unique only within its step: a result belongs to the last call before it.
            case ToolCallPart():
                calls[part.call_id] = part
            case ToolResultPart():
                # A failed command may have changed files too.
                modified.update(map(_normal, part.changed))
                read.update(map(_normal, part.read))
                call = calls.get(part.call_id)
                if call and part.failure is None and part.name in READING:
                    read.add(_path(call, part))
                elif call and part.failure is None and part.name in CHANGING:
                    modified.add(_path(call, part))
            case Synthesis():
                read.update(map(_normal, part.files))
            case _:
                pass
    return Ledger(frozenset(filter(None, read)), frozenset(filter(None, modified)))


def write_ledger(ledger: Ledger) -> str:
    """The end of a stored summary: every path, sorted."""
    return _sections([f"- {path}" for path in sorted(ledger.read)], [f"- {path}" for path in sorted(ledger.modified)])


def split_ledger(summary: str) -> tuple[str, Ledger]:
    """A stored summary without its ledger, and the ledger."""
    before, _, listed = f"\n{summary}".rpartition(f"\n{FILES_READ}\n")
    read, _, modified = listed.partition(f"\n{FILES_MODIFIED}\n")
    return before.strip("\n"), Ledger(_entries(read), _entries(modified))


def show_ledger(ledger: Ledger, char_limit: int) -> str:
    """The ledger for a request: whole if it fits into this many characters, else folders with counts."""
    whole = write_ledger(ledger)
    if len(whole) <= char_limit:
        return whole
    deepest = max((path.count("/") for path in ledger.read | ledger.modified), default=0)
    for depth in range(deepest, 0, -1):
        folded = _sections(_folded(ledger.read, depth), _folded(ledger.modified, depth))
        if len(folded) <= char_limit:
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
    """A line per folder, at most this many levels deep."""
    folders = Counter("/".join(path.split("/")[:-1][:depth]) or "." for path in paths)
    return [f"- {folder}/ ({counted(count, 'file')})" for folder, count in sorted(folders.items())]


def _counted(paths: frozenset[str]) -> list[str]:
    return [f"- {counted(len(paths), 'file')}"] if paths else []


MAX_HEAD_CHARS = 5_000
_SHOWN = late_pattern(r"(.+) (?:\(lines \d++-\d++ of \d++[^)]*+\)|is empty \(0 lines[^)]*+\)\.)")
"""The first line of `view_file`'s result."""

_UNPRINTABLE = late_pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _path(call: ToolCallPart, result: ToolResultPart) -> str | None:
    given = call.arguments.get("path")
    if not isinstance(given, str):
        return None
    if call.name == "view_file":
        # Models ask for `./app.py:12`; the result names the actual file.
        shown = _SHOWN.fullmatch(result.content[:MAX_HEAD_CHARS].partition("\n")[0])
        if shown and shown[1].rpartition("/")[2] in given:
            given = shown[1]
    return _normal(given)


def _normal(path: str) -> str | None:
    """One spelling for each path, on one line, valid in any database; None for the project itself."""
    whole = path.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    clean = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", whole)
    steps = [step for step in clean.split("/") if step not in ("", ".")]
    if not steps:
        return None
    return "/" * clean.startswith("/") + "/".join(steps)
