"""What a person gave beside their words: files that they mentioned, text that they selected."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from mulligan.core.fix_runs.prompt_parts import both_ends

MOST_CHARS = 12_000
"""Of one of them. The model can read the rest with its tools."""
MOST_IN_ALL = 36_000
"""A small model's context holds no more beside its own work."""

_LINES = re.compile(r"L(\d+)(?:[:-]L?(\d+))?")


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    """The path from the project; for what lies elsewhere, its address."""
    text: str | None = None
    """None: it is only named."""
    why: str = ""
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class FileAddress:
    """Where a `file:` address leads."""

    path: str
    lines: tuple[int, int] | None = None
    """From 1, the last one included."""


def file_address(uri: str) -> FileAddress | None:
    """Editors add the lines of a selection as `#L10:20` or `#L10-L20`. None for what is no file's address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    found = _LINES.fullmatch(parts.fragment)
    lines = (int(found[1]), int(found[2] or found[1])) if found else None
    return FileAddress(unquote(parts.path), lines)


def with_attachments(words: str, attachments: Sequence[Attachment]) -> str:
    """The message as the model reads it: the person's words, then what they gave, each once."""
    pieces, room = [words.strip()], MOST_IN_ALL
    for each in dict.fromkeys(attachments):
        if each.text is None:
            pieces.append(f"Mentioned: {each.name}" + (f" ({each.why})" if each.why else ""))
        elif not room:
            pieces.append(f"Mentioned: {each.name} (not shown here: look at it with your tools)")
        else:
            shown = both_ends(each.text, min(MOST_CHARS, room))
            room = max(0, room - len(shown))
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
            pieces.append(f"{each.name}:\n{fence}\n{shown.rstrip()}\n{fence}")
    return "\n\n".join(piece for piece in pieces if piece)
