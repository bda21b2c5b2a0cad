"""What braces in a word unfold into: `src/{a,b}.py` is two words."""

VALUES_AT_MOST = 64
LONGEST = 2_000
"""Characters of a word that are unfolded. A longer one counts as unknown."""


def expand_braces(raw: str) -> tuple[str, ...] | None:
    """All words, without their order. None where nothing unfolds; empty where it does and can't be told into what."""
    opening = raw.find("{")
    if opening < 0 or "}" not in raw[opening:]:
        return None
    if "," not in raw and ".." not in raw:
        return None
    if len(raw) > LONGEST or any(letter in raw for letter in "$`\\'\""):
        return ()
    return _one_list(raw, opening)


def _one_list(raw: str, opening: int) -> tuple[str, ...]:
    """Only a single list of texts is told: anything else is left unknown."""
    closing = raw.find("}", opening)
    before, inside, after = raw[:opening], raw[opening + 1 : closing], raw[closing + 1 :]
    if "{" in inside + after or "}" in after or closing < opening or ".." in inside:
        return ()
    pieces = inside.split(",")
    if not 1 < len(pieces) <= VALUES_AT_MOST:
        return ()
    return tuple(f"{before}{piece}{after}" for piece in pieces)
