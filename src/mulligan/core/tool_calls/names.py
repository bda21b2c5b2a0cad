"""Resolves a misspelt name of a tool or an argument."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_ALIKE = 0.85
"""From here on a name is a typo of another. `read_file` and `view_file` are 0.63 alike: not a typo."""
_MARGIN = 0.05
"""How much nearer a typo must be to one name than to the next."""
_MAX_NAME_CHARS = 64
"""No name is longer, so nothing longer is compared: similarity takes quadratic time."""


def resolve_tool(name: str, known: Sequence[str]) -> str | None:
    """The tool that was meant, or None if that isn't clear."""
    if name in known:
        return name
    return ignoring_form(name, known) or _typo(name, known)


def closest(name: str, known: Sequence[str]) -> list[str]:
    """Up to three known names that are most like this one, the best first."""
    alike = [each for each in known if _likeness(name, each) > 0]
    return sorted(alike, key=lambda each: (-_likeness(name, each), each))[:3]


def presentable(name: str) -> str:
    """The name in a form that later requests may contain: servers refuse a whole history over one odd character."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name.strip()[:_MAX_NAME_CHARS]).strip("_") or "unknown"


def ignoring_form(name: str, known: Sequence[str]) -> str | None:
    """The one known name in another case, with other separators or wrapped: `viewFile`, `functions.view_file()`."""
    whole = _same_letters(name, known)
    if whole is not None:
        return whole
    pieces = {_same_letters(piece, known) for piece in re.split(r"[^\w-]+", name[: 4 * _MAX_NAME_CHARS])} - {None}
    return pieces.pop() if len(pieces) == 1 else None


def is_typo(name: str, other: str) -> bool:
    """One letter too many, too few or wrong, or two swapped, in a name of at least four."""
    a, b = sorted((letters_of(name), letters_of(other)), key=len)
    if not 4 <= len(a) <= len(b) <= len(a) + 1 <= _MAX_NAME_CHARS:
        return False
    start = next((index for index, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    a, b = a[start:], b[start:]
    swapped = a[:2] == b[1::-1] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a == b[1:]


def letters_of(name: str) -> str:
    return "".join(filter(str.isalnum, name[: 4 * _MAX_NAME_CHARS])).lower()


def words_of(name: str) -> frozenset[str]:
    """`filePath` and `file_path` are both made of `file` and `path`."""
    return frozenset(
        word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name[:_MAX_NAME_CHARS])
    )


def _same_letters(name: str, known: Sequence[str]) -> str | None:
    letters = letters_of(name)
    same = [each for each in known if letters_of(each) == letters]
    return same[0] if letters and len(same) == 1 else None


def _typo(name: str, known: Sequence[str]) -> str | None:
    ranked = sorted(((_likeness(name, each), each) for each in known), reverse=True)
    if not ranked or ranked[0][0] < _ALIKE:
        return None
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MARGIN:
        return None
    return ranked[0][1]


def _likeness(name: str, other: str) -> float:
    a, b = letters_of(name), letters_of(other)
    if not a or not b or len(a) > _MAX_NAME_CHARS or len(b) > _MAX_NAME_CHARS:
        return 0.0
    likeness = SequenceMatcher(None, a, b, autojunk=False).ratio()
    # Two swapped letters are one slip, but in a short name they cost a quarter of the ratio: `gerp`.
    return max(likeness, _ALIKE) if sorted(a) == sorted(b) and is_typo(a, b) else likeness
