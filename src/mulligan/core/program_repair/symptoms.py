"""What the difference between the actual and the expected value says about the slip behind it."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal

Symptom = Literal["space", "missing", "empty", "text", "waiting", "changed"]
"""`missing`: a key or a property did not exist. `empty`: an empty value was not handled. `text`: text instead of a
number. `waiting`: a promise instead of a value. `changed`: a collection changed during iteration."""

LONGEST_PIECE = 40
QUOTES = frozenset("'\"`")
_GAVE = re.compile(r" gave (.*), expected (.*)$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_IN_QUOTES = re.compile(r"['\"](-?\d+(?:\.\d+)?)['\"]")
_SPACE = re.compile(r"""['"] +\w|\w +['"]""")
_SAID: dict[Symptom, re.Pattern[str]] = {
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
}


def values(failures: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The actual and the expected value of each failure that shows them."""
    for line in failures:
        found = _GAVE.search(line)
        if found:
            yield found[1], found[2]


def symptoms(failures: Sequence[str]) -> frozenset[Symptom]:
    seen: set[Symptom] = {name for name, said in _SAID.items() if any(said.search(line) for line in failures)}
    for got, wanted in values(failures):
        seen.update(_told_by(got, wanted))
    return frozenset(seen)


def swapped_pieces(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """If two texts differ in one place: the differing pieces, with some of their context if needed to search for
    them."""
    for got, wanted in differences:
        if got[:1] not in QUOTES or wanted[:1] not in QUOTES:
            continue
        start = _in_common(got, wanted)
        same = _in_common(got[start:][::-1], wanted[start:][::-1])
        for before in (0, 1) if start > 1 else (0,):
            piece, meant = got[start - before : len(got) - same], wanted[start - before : len(wanted) - same]
            if start and same and piece.strip() and len(piece) <= LONGEST_PIECE:
                yield piece, meant


def _in_common(one: str, other: str) -> int:
    """The characters that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _told_by(got: str, wanted: str) -> Iterator[Symptom]:
    if _SPACE.search(got) and not _SPACE.search(wanted):
        yield "space"
    if (got[:1] in "'\"" and _NUMBER.fullmatch(wanted)) or _IN_QUOTES.sub(r"\1", got) == wanted != got:
        yield "text"
