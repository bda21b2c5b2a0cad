"""Lines that are broken or joined differently: the same characters in the same order."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import pair_blanks
from mulligan.core.edits.matches import PLACES_SHOWN, Aligned, Found, Lines, Several
from mulligan.core.edits.parts import occurrences

_MIN_EQUAL_CHARS = 12
"""Characters that have to be the same."""


def find_reflowed(text: LinedText, needle: LinedText) -> Found:
    """Whole lines of the file that equal the needle's, wherever either of the two breaks them."""
    wanted = "".join(needle.solid_keys)
    if len(wanted) < _MIN_EQUAL_CHARS:
        return None
    edges = {edge: line for line, edge in enumerate(_edges(text.solid_keys))}
    spans = [(start, start + len(wanted)) for start in occurrences("".join(text.solid_keys), wanted)]
    places = [(edges[start], edges[end]) for start, end in spans if start in edges and end in edges]
    if len(places) > 1:
        shown = tuple((text.solid[first], text.solid[end - 1] + 1) for first, end in places[:PLACES_SHOWN])
        return Several(len(places), shown)
    return _grouped(text, needle, *places[0]) if places else None


def _grouped(text: LinedText, needle: LinedText, first: int, end: int) -> Aligned:
    """Groups lines up to where both have a break; the groups correspond as a whole."""
    mine, theirs = _edges(needle.solid_keys), _edges(text.solid_keys[first:end])
    breaks = sorted({*mine} & {*theirs})
    partners: list[Lines | None] = [None] * len(needle.lines)
    runs: set[int] = set()
    for above, below in pairwise(breaks):
        ours = [needle.solid[line] for line in range(mine.index(above), mine.index(below))]
        other = [text.solid[first + line] for line in range(theirs.index(above), theirs.index(below))]
        partners[ours[0]] = other[0], other[-1] + 1
        if len(ours) > 1 or len(other) > 1:
            runs |= set(range(ours[0], ours[-1] + 1))
    pair_blanks(text, needle, partners)
    return Aligned(tuple(partners), "white space", runs=frozenset(runs))


def _edges(keys: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, keys), initial=0))
