"""Brace expansion: `src/{a,b}.py` is two words."""

MAX_VALUES = 64
MAX_WORD_CHARS = 2_000
"""Longest word to expand, in characters. A longer one counts as unknown."""


def expand_braces(raw: str) -> tuple[str, ...] | None:
    """All resulting words, in any order. None if nothing expands; empty if the result can't be determined."""
    opening = raw.find("{")
    if opening < 0 or "}" not in raw[opening:]:
        return None
    if "," not in raw and ".." not in raw:
        return None
    if len(raw) > MAX_WORD_CHARS or any(letter in raw for letter in "$`\\'\""):
        return ()
    return _one_list(raw, opening)


def _one_list(raw: str, opening: int) -> tuple[str, ...]:
    """Expands only a single list of texts; anything else counts as unknown."""
    closing = raw.find("}", opening)
    before, inside, after = raw[:opening], raw[opening + 1 : closing], raw[closing + 1 :]
    if "{" in inside + after or "}" in after or closing < opening or ".." in inside:
        return ()
    pieces = inside.split(",")
    if not 1 < len(pieces) <= MAX_VALUES:
        return ()
    return tuple(f"{before}{piece}{after}" for piece in pieces)
