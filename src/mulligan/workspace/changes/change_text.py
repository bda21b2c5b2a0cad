"""A change to a file in readable form: its diff, and notes on what a diff doesn't show."""

import re

from mulligan.core.byte_sizes import format_size
from mulligan.core.line_diff import NumberedLine, hunks, line_counts, unified_diff
from mulligan.core.visible_text import visible, visible_name
from mulligan.types.changes import FileState, PendingChange
from mulligan.workspace.files.file_bytes import decode


def exact_diff(change: PendingChange) -> str | None:
    """The exact diff, for programs; None if there is no text to compare."""
    texts = _texts(change)
    return None if texts is None else unified_diff(*texts, shown_path(change))


def numbered_hunks(change: PendingChange, *, context: int) -> list[list[NumberedLine]]:
    """The diff in hunks, with line numbers; empty if there is no text to compare."""
    texts = _texts(change)
    return [] if texts is None else hunks(*texts, context=context)


def line_changes(change: PendingChange) -> tuple[int, int] | None:
    """Lines added and removed; None if there is no text to compare."""
    texts = _texts(change)
    return None if texts is None else line_counts(*texts)


def notes(change: PendingChange) -> list[str]:
    """What a diff doesn't show: links, binary files, modes, encodings."""
    return [note for note in (_kind_note(change), mode_note(change), _encoding_note(change)) if note]


def mode_note(change: PendingChange) -> str:
    was, becomes = (image.mode if image else None for image in (change.before, change.after))
    if becomes == "100755" and was != becomes:
        return f"becomes a program (mode {becomes})" if was else f"a program (mode {becomes})"
    return f"is no program any more (mode {becomes})" if (was, becomes) == ("100755", "100644") else ""


def end_note(change: PendingChange) -> str:
    """How the file ends, for diffs that show lines without their endings."""
    before, after = _texts(change) or (None, None)
    if after and after[-1] not in "\r\n":
        return "no newline at the end"
    return "gets a newline at the end" if after and before and before[-1] not in "\r\n" else ""


def shown_path(change: PendingChange) -> str:
    """The path on one line, with unprintable characters escaped."""
    return visible_name(change.path)


def summary(change: PendingChange) -> str:
    """The change in a few words: `edit src/a.py +3 -1`."""
    named = f"{change.kind} {shown_path(change)}"
    counts = line_changes(change)
    if counts is None:
        link = any(image and image.mode == "120000" for image in (change.before, change.after))
        return f"{named} ({'symbolic link' if link else 'binary'})"
    if counts == (0, 0) and mode_note(change):
        return f"{named} (mode)"
    return f"{named} +{counts[0]} -{counts[1]}"


def shown_line(line: str, *, mixed: bool) -> str:
    """A printable line without its ending. With mixed line endings a carriage return is shown, since it may be the
    change."""
    body = line.rstrip("\r\n")
    return visible(body) + ("^M" if mixed and "\r" in line[len(body) :] else "")


def has_several_line_endings(change: PendingChange) -> bool:
    return len({ending for text in _texts(change) or () for ending in re.findall("\r\n|\r|\n", text or "")}) > 1


def _texts(change: PendingChange) -> tuple[str | None, str | None] | None:
    """The texts before and after, where None means no file; None as a whole if either is not text."""
    found: list[str | None] = []
    for image in (change.before, change.after):
        decoded = decode(image) if image else None
        if image and decoded is None:
            return None
        found.append(decoded.text if decoded else None)
    return found[0], found[1]


def _kind_note(change: PendingChange) -> str:
    before, after = change.before, change.after
    if before and after:
        return f"{_kind(before)} becomes {_kind(after)}" if _texts(change) is None else ""
    there = after or before
    if there is None or (_texts(change) is not None and there.data):
        return ""
    return f"{'new' if after else 'deleted'}: {_kind(there)}"


def _kind(image: FileState) -> str:
    if image.mode == "120000":
        return f"a symbolic link to {visible_name(image.data.decode('utf-8', 'surrogateescape'))}"
    if decode(image) is None:
        return f"a binary file of {format_size(len(image.data))}"
    return "a text file" if image.data else "an empty file"


def _encoding_note(change: PendingChange) -> str:
    decoded = [decode(image) if image else None for image in (change.before, change.after)]
    was, becomes = (each.encoding if each else None for each in decoded)
    return f"encoding: {was} becomes {becomes}" if was and becomes and was != becomes else ""
