"""A file change for people: a line that names it, and the diff.

A reviewer must see everything: characters that a terminal would interpret or hide are written out (`^[`, `<U+202E>`),
never left out.
"""

import sys
from typing import TYPE_CHECKING

from mulligan.cli.text.safe_text import lenient_stream
from mulligan.core.line_diff import split_keeping_ends
from mulligan.core.visible_text import visible
from mulligan.types.changes import PendingChange
from mulligan.workspace.changes.change_text import (
    exact_diff,
    has_several_line_endings,
    notes,
    shown_line,
)

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"@": "cyan", "+": "green", "-": "red", "\\": "dim"}
"""Styles by the first character of a line, after the two lines that name the file."""


def diff_text(change: PendingChange) -> str:
    """The change as a unified diff or in words. The lines are safe to print, whatever the file contains."""
    return "".join(f"{line}\n" for line, _ in _styled_lines(change))


def show_diff(change: PendingChange, console: "Console | None" = None, *, heading: str = "") -> None:
    """Print the diff, below the heading if there is one: colored on a terminal, plain and complete elsewhere."""
    if console is None and not sys.stdout.isatty():
        lenient_stream(sys.stdout).write(f"{heading}\n{diff_text(change)}" if heading else diff_text(change))
        return
    from rich.text import Text

    from mulligan.cli.views.screen import open_console

    lines = [(heading, "bold"), *_styled_lines(change)] if heading else _styled_lines(change)
    # We don't wrap: a line copied from the terminal should be the line of the file.
    (console or open_console()).print(Text("\n").join(Text(*line) for line in lines), soft_wrap=True)


def print_diff_text(diff: str) -> None:
    """Print a diff from git, colored on a terminal."""
    lines = [visible(line.rstrip("\r\n")) for line in split_keeping_ends(diff)]
    if not sys.stdout.isatty():
        lenient_stream(sys.stdout).write("".join(f"{line}\n" for line in lines))
        return
    from rich.text import Text

    from mulligan.cli.views.screen import open_console

    named = ("diff ", "--- ", "+++ ", "index ", "new file", "deleted file", "rename ", "similarity ")
    styled = [Text(line, "bold" if line.startswith(named) else _STYLES.get(line[:1], "")) for line in lines]
    open_console().print(Text("\n").join(styled), soft_wrap=True)


def _styled_lines(change: PendingChange) -> list[tuple[str, str]]:
    """Lines without their ends, each with its style."""
    warnings = [(note, "yellow") for note in notes(change)]
    lines = split_keeping_ends(exact_diff(change) or "")
    mixed = has_several_line_endings(change)
    named = [(line.rstrip("\n"), "bold") for line in lines[:2]]
    return warnings + named + [(shown_line(line, mixed=mixed), _STYLES.get(line[0], "")) for line in lines[2:]]
