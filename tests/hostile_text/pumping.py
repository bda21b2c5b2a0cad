"""Texts that a pattern finds hard: what leads to one of its repetitions, that repetition many times, and an end that
does not fit."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

with warnings.catch_warnings(action="ignore"):
    import sre_constants as codes
    import sre_parse as parser

GENERAL = (
    " ", "\t", "\n", "\r\n", "\\", '"', "'", "`", "a", "A", "1", "_", "(", "[", "{", "<", "*", "/", "-", ".", ":", ",",
    "=", "#", "$", "a ", "a.", "a/", '\\"', "/*", "<!--", "a\n", "aA", "é",
)  # fmt: skip
ENDS = ("", "\n\0!")
UNBOUNDED = 50
"""A repetition with a higher limit counts as one without."""
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
_TRIED = " a1\"'\\([{<*/-.:,;=\t\nA_é"


def hard_texts(pattern: re.Pattern[Any]) -> Iterator[Callable[[int], str]]:
    """Each can be made in any size."""
    tree: list[Any] = list(cast("Any", parser).parse(pattern.pattern, pattern.flags))
    pumped = list(islice(_pumped(tree, [""]), 40))
    if not pumped:
        return
    begun = [("", lead + again) for lead, again in pumped]
    whole = [("", text) for text in _samples(tree)[:3]]
    for lead, again in dict.fromkeys([*pumped, *begun, *whole, *(("", each) for each in GENERAL)]):
        if again:
            for end in ENDS:
                yield partial(_written, lead, again, end)


def _written(lead: str, again: str, end: str, size: int) -> str:
    return lead + again * (size // len(again)) + end


def _pumped(items: Iterable[Any], leads: list[str]) -> Iterator[tuple[str, str]]:
    for code, value in items:
        if code in _REPEATS:
            _, most, inner = value
            if most > UNBOUNDED:
                yield from ((lead, again) for lead in leads[:2] for again in _samples(inner)[:4])
            yield from _pumped(inner, leads)
        else:
            for inner in _parts(code, value):
                yield from _pumped(inner, leads)
        leads = [lead + text for lead in leads for text in _texts(code, value)][:4]


def _samples(items: Iterable[Any]) -> list[str]:
    """Some of the texts that fit."""
    found = [""]
    for code, value in items:
        found = [text + more for text in found for more in _texts(code, value)][:6]
    return found


def _texts(code: Any, value: Any) -> Sequence[str]:
    if code is codes.LITERAL:
        return [chr(value)]
    if code is codes.NOT_LITERAL:
        return [each for each in "a \\" if ord(each) != value][:2]
    if code is codes.ANY:
        return ["a", " "]
    if code is codes.IN:
        return _members(value)[:4]
    if code in _REPEATS:
        least, _, inner = value
        return [text * least for text in _samples(inner)[:2]] if least else ["", *_samples(inner)[:1]]
    return [text for inner in _parts(code, value) for text in _samples(inner)[:3]][:6] or [""]


def _parts(code: Any, value: Any) -> list[Any]:
    """What a group or a choice is made of."""
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.ATOMIC_GROUP:
        return [value]
    return list(value[1]) if code is codes.BRANCH else []


def _members(items: list[Any]) -> list[str]:
    written = re.compile(_class_of(items), re.DOTALL)
    named = [
        chr(value if code is codes.LITERAL else value[0])
        for code, value in items
        if code in {codes.LITERAL, codes.RANGE}
    ]
    return [each for each in dict.fromkeys([*named, *_TRIED]) if written.fullmatch(each)] or ["a"]


def _class_of(items: list[Any]) -> str:
    """The class as it is written, so that its members need not be worked out here."""
    categories = {
        codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_SPACE: r"\s",
        codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    told = ""
    for code, value in items:
        if code is codes.NEGATE:
            told += "^"
        elif code is codes.CATEGORY:
            told += categories[value]
        elif code is codes.RANGE:
            told += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        else:
            told += re.escape(chr(value)) if chr(value) != "^" else r"\^"
    return f"[{told}]"
