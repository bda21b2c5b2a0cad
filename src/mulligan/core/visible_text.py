"""Text as a reviewer must see it: what a screen would obey or hide is written out, never left out."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""All controls but tab and newline, marks of direction, what has no width, and halves of characters."""


def visible(text: str) -> str:
    """With `^[` and `<U+202E>` for what would not be seen."""
    return _UNSEEN.sub(_written_out, text)


def on_one_line(name: str) -> str:
    """The same for a name, in which a line break or a tab is as odd as the rest."""
    return re.sub("[\t\n]", _written_out, visible(name))


def _written_out(match: re.Match[str]) -> str:
    """Control characters as `cat -v` writes them, others by their number."""
    code = ord(match[0])
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"<U+{code:04X}>"
