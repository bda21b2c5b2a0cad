"""Files that a goal names, whose text belongs to it: `fix what ISSUE.md describes`, `@notes/crash.log`."""

import re
from dataclasses import dataclass

from mulligan.syntax.file_types import file_type

MOST_TEXTS = 3
MOST_NAMED = 20
MOST_CHARS = 20_000
"""Of each that are kept. A prompt shows less, as there is room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFile:
    path: str
    must_be_there: bool
    """Marked by `@`, and no decorator or scope of a package by its name."""


def files_in_goal(goal: str) -> tuple[GoalFile, ...]:
    """Those that are marked, and documents: a source that is named says where to look, and is looked at anyway."""
    found: dict[str, GoalFile] = {}
    for match in _NAMED.finditer(goal):
        path, kind = match[2], file_type(match[2])
        if match[1] or (kind and kind.name in DOCUMENTS):
            found.setdefault(path, GoalFile(path=path, must_be_there=bool(match[1]) and kind is not None))
    return tuple(found.values())[:MOST_NAMED]


DOCUMENTS = frozenset({"AsciiDoc", "Markdown", "reStructuredText", "Text"})
"""What issues and logs are written in."""
_NAMED = re.compile(r"(?<![\w@./-])(@?)([\w./-]*\w)")
