"""What a person gave beside their words: files that they mentioned, text that they selected."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.fix_runs.prompt_parts import both_ends
from mulligan.core.markdown_text import fenced

MOST_CHARS = 12_000
"""Of one of them. The model can read the rest with its tools."""
MOST_IN_ALL = 36_000
"""A small model's context holds no more beside its own work."""


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    """The path from the project; for what lies elsewhere, its address."""
    text: str | None = None
    """None: it is only named."""
    why: str = ""
    """Why there is no text."""


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
            pieces.append(f"{each.name}:\n{fenced(shown.rstrip())}")
    return "\n\n".join(piece for piece in pieces if piece)
