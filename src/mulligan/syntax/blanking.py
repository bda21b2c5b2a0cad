"""Code of the languages with braces, so that its brackets and names can be counted."""

import re
from functools import lru_cache


@lru_cache(maxsize=64)
def blank_literals(path: str, text: str) -> str:
    """The same text, with blanks for what stands in comments and strings, but for what a template computes.

    Every character keeps its place.
    """
    pattern = _GO if path.endswith(".go") else _SCRIPT
    return pattern.sub(_blanked, text)


def closing_bracket(text: str, opening: int) -> int:
    """Where the bracket at this place of a masked text is closed; the end of the text if it never is."""
    depth = 0
    for found in _BRACKET.finditer(text, opening):
        depth += 1 if found[0] in "([{" else -1
        if depth == 0:
            return found.start()
    return max(len(text) - 1, 0)


def split_arguments(path: str, text: str) -> list[str]:
    """The parts of a list of arguments, at the commas that stand in no bracket and no string."""
    parts: list[str] = []
    depth = begin = 0
    for found in _MARK.finditer(blank_literals(path, text)):
        if found[0] == ",":
            if depth == 0:
                parts.append(text[begin : found.start()].strip())
                begin = found.end()
        else:
            depth += 1 if found[0] in "([{" else -1
    return [*parts, last] if (last := text[begin:].strip()) else parts


_BRACKET = re.compile(r"[()\[\]{}]")
_MARK = re.compile(r"[()\[\]{},]")
_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_REGEX = r"(?P<before>[=(,:;!&|?\[{}]\s*|\breturn\s+)/(?![/*\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
_SCRIPT = re.compile(rf"(?P<comment>{_COMMENT})|{_REGEX}|{_QUOTED}|`(?:\\.|[^`\\])*`", re.DOTALL)
_GO = re.compile(rf"(?P<comment>{_COMMENT})|(?P<before>(?!))|{_QUOTED}|`[^`]*`", re.DOTALL)
_INK = re.compile(r"[^\n]")
_COMPUTED = re.compile(r"\$\{([^{}]*)\}")
"""What a template fills in; no more than one level deep."""


def _blanked(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return _INK.sub(" ", found[0])
    before = found["before"] or ""
    literal = found[0][len(before) :]
    computed = list(_COMPUTED.finditer(literal)) if literal[0] == "`" and found.re is _SCRIPT else []
    inside = list(_INK.sub(" ", literal[1:-1]))
    for each in computed:
        inside[each.start(1) - 1 : each.end(1) - 1] = each[1]
    return f"{before}{literal[0]}{''.join(inside)}{literal[-1]}"
