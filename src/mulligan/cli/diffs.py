"""A change of a file as people read it: a line that names it, and what it does line by line.

A reviewer must see everything: what a terminal would obey or hide is written out (`^[`, `<U+202E>`), never left out.
"""

import re
import sys
from typing import TYPE_CHECKING

from mulligan.cli.safe_text import forgiving
from mulligan.core.line_diff import line_counts, split_keeping_ends, unified_diff
from mulligan.types.changes import FileImage, PendingChange
from mulligan.workspace.images import decode

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"@": "cyan", "+": "green", "-": "red", "\\": "dim"}
"""By the first character of a line, below the two lines that name the file."""

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""All controls but tab and newline, marks of direction, what has no width, and halves of characters."""


def summary(change: PendingChange) -> str:
    """The change in a few words: `edit src/a.py +3 -1`."""
    named = f"{change.kind} {shown_path(change)}"
    counts = line_changes(change)
    if counts is None:
        link = any(image and image.mode == "120000" for image in (change.before, change.after))
        return f"{named} ({'symbolic link' if link else 'binary'})"
    if counts == (0, 0) and _mode_note(change):
        return f"{named} (mode)"
    return f"{named} +{counts[0]} -{counts[1]}"


def diff_text(change: PendingChange) -> str:
    """What the change does, as a unified diff or in words: lines that are fit to be shown, whatever the file holds."""
    return "".join(f"{line}\n" for line, _ in _styled_lines(change))


def show_diff(change: PendingChange, console: "Console | None" = None, *, heading: str = "") -> None:
    """Print the diff, below the heading if there is one: coloured on a terminal, plain and whole elsewhere."""
    if console is None and not sys.stdout.isatty():
        forgiving(sys.stdout).write(f"{heading}\n{diff_text(change)}" if heading else diff_text(change))
        return
    from rich.text import Text

    from mulligan.cli.screen import open_console

    lines = [(heading, "bold"), *_styled_lines(change)] if heading else _styled_lines(change)
    # Not wrapped by us: a line that is copied from the terminal should be the line of the file.
    (console or open_console()).print(Text("\n").join(Text(*line) for line in lines), soft_wrap=True)


def print_diff_text(diff: str) -> None:
    """Print a diff that git made, coloured on a terminal."""
    lines = [_visible(line.rstrip("\r\n")) for line in split_keeping_ends(diff)]
    if not sys.stdout.isatty():
        forgiving(sys.stdout).write("".join(f"{line}\n" for line in lines))
        return
    from rich.text import Text

    from mulligan.cli.screen import open_console

    named = ("diff ", "--- ", "+++ ", "index ", "new file", "deleted file", "rename ", "similarity ")
    styled = [Text(line, "bold" if line.startswith(named) else _STYLES.get(line[:1], "")) for line in lines]
    open_console().print(Text("\n").join(styled), soft_wrap=True)


def exact_diff(change: PendingChange) -> str | None:
    """The diff to the character, for programs; None where there is no text to compare."""
    texts = _texts(change)
    return None if texts is None else unified_diff(*texts, shown_path(change))


def line_changes(change: PendingChange) -> tuple[int, int] | None:
    """Lines added and removed; None where there is no text to compare."""
    texts = _texts(change)
    return None if texts is None else line_counts(*texts)


def notes(change: PendingChange) -> list[str]:
    """What a diff does not say: links, binary files, modes, encodings."""
    return [note for note in (_kind_note(change), _mode_note(change), _encoding_note(change)) if note]


def shown_path(change: PendingChange) -> str:
    """The path on one line, whatever is in it."""
    return _on_one_line(change.path)


def _styled_lines(change: PendingChange) -> list[tuple[str, str]]:
    """Lines without their ends, each with its style."""
    told = [(note, "yellow") for note in notes(change)]
    lines = split_keeping_ends(exact_diff(change) or "")
    mixed = _has_several_line_endings(change)
    named = [(line.rstrip("\n"), "bold") for line in lines[:2]]
    return told + named + [(_shown_line(line, mixed=mixed), _STYLES.get(line[0], "")) for line in lines[2:]]


def _shown_line(line: str, *, mixed: bool) -> str:
    """Where line endings differ, a carriage return is what the change may be about."""
    body = line.rstrip("\r\n")
    return _visible(body) + ("^M" if mixed and "\r" in line[len(body) :] else "")


def _has_several_line_endings(change: PendingChange) -> bool:
    return len({ending for text in _texts(change) or () for ending in re.findall("\r\n|\r|\n", text or "")}) > 1


def _texts(change: PendingChange) -> tuple[str | None, str | None] | None:
    """The text before and after, None for no file; nothing at all if one of the two is no text."""
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


def _kind(image: FileImage) -> str:
    if image.mode == "120000":
        return f"a symbolic link to {_on_one_line(image.data.decode('utf-8', 'surrogateescape'))}"
    if decode(image) is None:
        from mulligan.cli.pull_progress import size_words

        return f"a binary file of {size_words(len(image.data))}"
    return "a text file" if image.data else "an empty file"


def _mode_note(change: PendingChange) -> str:
    was, becomes = (image.mode if image else None for image in (change.before, change.after))
    if becomes == "100755" and was != becomes:
        return f"becomes a program (mode {becomes})" if was else f"a program (mode {becomes})"
    return f"is no program any more (mode {becomes})" if (was, becomes) == ("100755", "100644") else ""


def _encoding_note(change: PendingChange) -> str:
    decoded = [decode(image) if image else None for image in (change.before, change.after)]
    was, becomes = (each.encoding if each else None for each in decoded)
    return f"encoding: {was} becomes {becomes}" if was and becomes and was != becomes else ""


def _on_one_line(name: str) -> str:
    return re.sub("[\t\n]", _written_out, _visible(name))


def _visible(text: str) -> str:
    return _UNSEEN.sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    """Control characters as `cat -v` writes them, others by their number."""
    code = ord(match[0])
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"<U+{code:04X}>"
