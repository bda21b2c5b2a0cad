"""What the difference between the actual and the expected value says about the slip behind it."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from mulligan.core.failures.summaries.lines import actual_and_expected

Symptom = Literal[
    "space", "case", "by_one", "flipped", "missing", "empty", "text", "waiting", "order", "nothing", "changed"
]
"""`missing`: a key or a property did not exist. `empty`: an empty value was not handled. `text`: text instead of a
number. `waiting`: a promise instead of a value. `order`: the same items in another order. `nothing`: no value at all.
`changed`: a collection changed during iteration."""

MAX_TEXT_CHARS = 40
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_IN_QUOTES = re.compile(r"['\"](-?\d+(?:\.\d+)?)['\"]")
_SPACE = re.compile(r"""['"] +\w|\w +['"]""")
_ITEM = re.compile(r"\w+")
_PATTERNS: dict[Symptom, re.Pattern[str]] = {
    "missing": re.compile(r"KeyError|Cannot read propert|\bNaN\b|nil map|has no attribute"),
    "empty": re.compile(
        r"ZeroDivision|divi(?:sion|de) by zero|IndexError|empty (?:sequence|array|iterable)|out of range|\bNaN\b|\bInf"
        r"|Reduce of empty|not iterable|NoneType|of undefined"
    ),
    "text": re.compile(
        r"can only concatenate|unsupported operand|must be str|is not a function: toFixed"
        r"|not supported between instances of '(?:int|float|str)' and '(?:int|float|str)'"
    ),
    "changed": re.compile(r"changed size during iteration"),
    "waiting": re.compile(r"Promise|coroutine"),
    "nothing": re.compile(r" gave (?:None|undefined|nil|<nil>),"),
}


def symptoms(failures: Sequence[str]) -> frozenset[Symptom]:
    seen: set[Symptom] = {name for name, pattern in _PATTERNS.items() if any(pattern.search(line) for line in failures)}
    for got, wanted in actual_and_expected(failures):
        seen.update(_from_values(got, wanted))
    return frozenset(seen)


def swapped_texts(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """If two texts differ in one place: the differing pieces, with some of their context if needed to search for
    them."""
    for got, wanted in differences:
        if got[:1] not in "'\"`" or wanted[:1] not in "'\"`" or not got or not wanted:
            continue
        start = next((at for at, (one, other) in enumerate(zip(got, wanted, strict=False)) if one != other), 0)
        shortest = min(len(got), len(wanted)) - start
        same = 0
        while same < shortest and got[-1 - same] == wanted[-1 - same]:
            same += 1
        for before in (0, 1) if start > 1 else (0,):
            text, meant = got[start - before : len(got) - same], wanted[start - before : len(wanted) - same]
            if start and same and text.strip() and len(text) <= MAX_TEXT_CHARS:
                yield text, meant


def _from_values(got: str, wanted: str) -> Iterator[Symptom]:
    if {got.lower(), wanted.lower()} == {"true", "false"}:
        yield "flipped"
    if got != wanted and got.lower() == wanted.lower():
        yield "case"
    if _SPACE.search(got) and not _SPACE.search(wanted):
        yield "space"
    if _is_by_one(got, wanted):
        yield "by_one"
    if (got[:1] in "'\"" and _NUMBER.fullmatch(wanted)) or _IN_QUOTES.sub(r"\1", got) == wanted != got:
        yield "text"
    items, meant = _ITEM.findall(got), _ITEM.findall(wanted)
    if items != meant and sorted(items) == sorted(meant):
        yield "order"


def _is_by_one(got: str, wanted: str) -> bool:
    if _NUMBER.fullmatch(got) and _NUMBER.fullmatch(wanted):
        return abs(float(got) - float(wanted)) == 1
    lists = got[:1] == wanted[:1] == "["
    return lists and abs(got.count(",") - wanted.count(",")) == 1
