"""Code without its comments and strings, so that its brackets and names can be counted."""

import re
from functools import cache, lru_cache

from mulligan.syntax.language import SCRIPT_STRINGS, Language
from mulligan.syntax.registry import language_of


@lru_cache(maxsize=64)
def blank_literals(path: str, text: str) -> str:
    """The text with comments and strings replaced by blanks, except for code inside of templates.

    Every other character keeps its position.
    """
    return literals_of(language_of(path)).sub(_blanked, text)


@cache
def literals_of(language: Language | None) -> re.Pattern[str]:
    """Matches comments and strings. An unknown language is read like one with braces."""
    marks = language.comment_marks if language else ("//",)
    strings = language.strings if language else SCRIPT_STRINGS
    comments = "|".join(_COMMENTS.get(mark) or rf"{re.escape(mark)}[^\n]*" for mark in marks)
    return re.compile(rf"{strings}|(?P<comment>{comments})", re.DOTALL)


def closing_bracket(text: str, opening: int) -> int:
    """Where the bracket at `opening` of a masked text is closed; the end of the text if it never is."""
    depth = 0
    for found in _BRACKET.finditer(text, opening):
        depth += 1 if found[0] in "([{" else -1
        if depth == 0:
            return found.start()
    return max(len(text) - 1, 0)


def split_arguments(path: str, text: str) -> list[str]:
    """The parts of a list of arguments, split at commas outside of brackets and strings."""
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
_COMMENTS = {"//": r"//[^\n]*|/\*.*?(?:\*/|\Z)", "#": r"(?<![${])#[^\n]*"}
"""In a shell, `$#` and `${#name}` are not comments."""
_INK = re.compile(r"[^\n]")
_COMPUTED = re.compile(r"\$\{([^{}]*)\}")
"""Code inside of a template, at most one level deep."""


def _blanked(found: re.Match[str]) -> str:
    groups = found.groupdict()
    if groups["comment"] is not None:
        return _INK.sub(" ", found[0])
    before = groups.get("before") or ""
    literal = found[0][len(before) :]
    computed = _COMPUTED.finditer(literal) if groups.get("template") else ()
    inside = list(_INK.sub(" ", literal[1:-1]))
    for each in computed:
        inside[each.start(1) - 1 : each.end(1) - 1] = each[1]
    return f"{before}{literal[0]}{''.join(inside)}{literal[-1]}"
