"""Text as a reviewer must see it: what a screen would obey or hide is written out, never left out."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""All controls but tab and newline, marks of direction, what has no width, and halves of characters. Not U+FE0F, which
stands behind many an emoji."""
_ODD_SPACE = re.compile("[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ufe0f]")
"""Looks like a space or like nothing. A shell does not take it for one, but for a tab."""


def visible(text: str) -> str:
    """With `^[` and `<U+202E>` for what would not be seen."""
    return _UNSEEN.sub(_written_out, text)


def in_full(command: str) -> str:
    """What somebody is asked to allow, so that all of it is seen and nothing looks like something else."""
    return _ODD_SPACE.sub(_written_out, visible(command))


def on_one_line(name: str) -> str:
    """The same for a name, in which a line break or a tab is as odd as the rest."""
    return re.sub("[\t\n]", _written_out, visible(name))


def _written_out(match: re.Match[str]) -> str:
    """Control characters as `cat -v` writes them, others by their number."""
    code = ord(match[0])
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"<U+{code:04X}>"
