"""Files that a goal names and whose text belongs to it: `fix what ISSUE.md describes`, `@notes/crash.log`."""

import re
from dataclasses import dataclass

from mulligan.syntax.file_types import file_type

MAX_TEXTS = 3
MAX_NAMED = 20
MAX_CHARS = 20_000
"""Characters to keep of each. A prompt shows less if less fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFile:
    path: str
    must_be_there: bool
    """Marked by `@`, and its name is not that of a decorator or a package scope."""


def files_in_goal(goal: str) -> tuple[GoalFile, ...]:
    """Marked files, and documents: a source that is named says where to look, and is read anyway."""
    found: dict[str, GoalFile] = {}
    for match in _NAMED.finditer(goal):
        path, kind = match[2], file_type(match[2])
        if match[1] or (kind and kind.name in DOCUMENTS):
            found.setdefault(path, GoalFile(path=path, must_be_there=bool(match[1]) and kind is not None))
    return tuple(found.values())[:MAX_NAMED]


DOCUMENTS = frozenset({"AsciiDoc", "Markdown", "reStructuredText", "Text"})
"""Formats of issues and logs."""
_NAMED = re.compile(r"(?<![\w@./-])(@?)([\w./-]*\w)")
