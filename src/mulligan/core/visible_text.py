"""Text as a reviewer must see it: what a screen would obey or hide is written out, never left out."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
"""All control characters except tab and newline, direction marks, zero-width characters, and lone surrogates. Not
U+FE0F, which follows many emoji."""
_ODD_SPACE = re.compile("[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ufe0f]")
"""Looks like a space or like nothing. To a shell none of them is a space, except the tab."""


def visible(text: str) -> str:
    """With `^[` and `<U+202E>` for invisible characters."""
    return _UNSEEN.sub(_written_out, text)


def in_full(command: str) -> str:
    """A command for approval, with all of it visible and nothing disguised."""
    return _ODD_SPACE.sub(_written_out, visible(command))


def visible_name(name: str) -> str:
    """The same for a name, in which a line break or a tab is written out too."""
    return re.sub("[\t\n]", _written_out, visible(name))


def _written_out(match: re.Match[str]) -> str:
    """Control characters as in `cat -v`, others by their number."""
    code = ord(match[0])
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"<U+{code:04X}>"
