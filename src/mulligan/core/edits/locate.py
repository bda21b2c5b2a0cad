"""Finds a text, ignoring only safe differences: line endings, white space, blank lines, typography.

A match at a strict level matches at every later level too. So the last level is searched first, and if it has several
hits, the strictest level that any of them reaches decides: with one hit there the place is clear, with two it is not.
"""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.edits.lines import LinedText, squeezed
from mulligan.core.edits.matches import PLACES_SHOWN, Aligned, Found, Lines, MatchLevel, Several, TextSpan, lines_of
from mulligan.core.edits.parts import find_part, may_be_part, occurrences, parts

_HITS_LOOKED_AT = 200
_LEVELS: tuple[MatchLevel, ...] = ("line ends", "white space", "blank lines", "characters")
_ONE_TOKEN = re.compile(r"\w\w|([^\w\s()\[\]{}])\1")
"""Two characters that belong together: of a word, or of a line of signs such as `####`."""


def find_exact(text: LinedText, needle: str) -> Found:
    """The text exactly, or with the file's line endings."""
    for wanted in _with_other_endings(needle):
        starts = [start for start in occurrences(text.text, wanted) if not _cuts(text.text, start, start + len(wanted))]
        if len(starts) == 1:
            match_level: MatchLevel = "exact" if wanted == needle else "line ends"
            return TextSpan(starts[0], starts[0] + len(wanted), match_level)
        if starts:
            shown = tuple(
                lines_of(text, TextSpan(start, start + len(wanted), "exact")) for start in starts[:PLACES_SHOWN]
            )
            return Several(len(starts), shown)
    return None


def find_alike(text: LinedText, needle: LinedText) -> Found:
    """Whole lines first; a needle without a line end may be part of a line."""
    hits = strictest_places(text, needle)
    if may_be_part(needle) and parts(text, needle) > sum(1 for _ in _line_hits(text, needle)):
        return find_part(text, needle)
    return _only(hits)


def strictest_places(text: LinedText, needle: LinedText) -> list[Aligned]:
    """All runs of whole lines that match the needle, at the strictest level that any of them reaches."""
    hits = [_aligned(text, needle, first) for first in _line_hits(text, needle)]
    best = min((_LEVELS.index(hit.match_level) for hit in hits), default=0)
    return [hit for hit in hits if hit.match_level == _LEVELS[best]]


def every_place(text: LinedText, needle: LinedText) -> list[Aligned]:
    """All places, from top to bottom, where only white space differs."""
    hits = [_aligned(text, needle, first) for first in _line_hits(text, needle)]
    kept: list[Aligned] = []
    for hit in hits:
        if hit.match_level in ("line ends", "white space") and (not kept or kept[-1].lines[1] <= hit.lines[0]):
            kept.append(hit)
    return kept


def _with_other_endings(needle: str) -> list[str]:
    wanted = [needle]
    if "\r\n" in needle:
        wanted.append(needle.replace("\r\n", "\n"))
    elif "\n" in needle:
        wanted.append(needle.replace("\n", "\r\n"))
    return wanted


def _cuts(content: str, start: int, end: int) -> bool:
    """Whether it is part of something else: half a number, or lines that begin or end inside a word or a line of signs.

    A number alone does not show where it begins and ends.
    """
    edges = [content[offset - 1 : offset + 1] for offset in (start, end) if start < end and 0 < offset < len(content)]
    if any(edge.isdigit() for edge in edges):
        return not content[start:end].isdigit()
    return "\n" in content[start:end].strip() and any(_ONE_TOKEN.fullmatch(edge) for edge in edges)


def _line_hits(text: LinedText, needle: LinedText) -> Iterator[int]:
    """Where the needle's lines begin, among the lines that are not blank."""
    if not needle.solid_keys:
        return
    line, passed = 0, 0
    for count, start in enumerate(occurrences(text.solid_text, needle.solid_text)):
        if count >= _HITS_LOOKED_AT:
            return
        line += text.solid_text.count("\n", passed, start)
        passed = start
        yield line


def _aligned(text: LinedText, needle: LinedText, first: int) -> Aligned:
    lines = [text.solid[first + index] for index in range(len(needle.solid))]
    partners: list[Lines | None] = [None] * len(needle.lines)
    for mine, theirs in zip(needle.solid, lines, strict=True):
        partners[mine] = (theirs, theirs + 1)
    pair_blanks(text, needle, partners)
    return Aligned(tuple(partners), _match_level(text, needle, partners))


def pair_blanks(text: LinedText, needle: LinedText, partners: list[Lines | None]) -> None:
    """Pair blank lines between two matched lines with the blank lines between their partners."""
    for above, below in zip(needle.solid, needle.solid[1:], strict=False):
        upper, lower = partners[above], partners[below]
        if upper is None or lower is None:
            continue
        free = [line for line in range(upper[1], lower[0]) if not text.keys[line]]
        for mine, theirs in zip(range(above + 1, below), free, strict=False):
            partners[mine] = (theirs, theirs + 1)
    _pair_blanks_around(text, needle, partners)


def _pair_blanks_around(text: LinedText, needle: LinedText, partners: list[Lines | None]) -> None:
    first, last = needle.solid[0], needle.solid[-1]
    upper, lower = partners[first], partners[last]
    for steps in range(1, first + 1):
        if upper is None or upper[0] - steps < 0 or text.keys[upper[0] - steps]:
            break
        partners[first - steps] = (upper[0] - steps, upper[0] - steps + 1)
    for steps in range(len(needle.lines) - 1 - last):
        if lower is None or lower[1] + steps >= len(text.lines) or text.keys[lower[1] + steps]:
            break
        partners[last + 1 + steps] = (lower[1] + steps, lower[1] + steps + 1)


def _match_level(text: LinedText, needle: LinedText, partners: list[Lines | None]) -> MatchLevel:
    pairs = [(needle.body(mine), text.body(span[0])) for mine, span in enumerate(partners) if span is not None]
    if any(squeezed(mine) != squeezed(theirs) for mine, theirs in pairs):
        return "characters"
    first, last = needle.solid[0], needle.solid[-1]
    between = [partners[index] for index in range(first, last + 1)]
    spans = [span for span in between if span is not None]
    if len(spans) < len(between) or spans[-1][1] - spans[0][0] != len(spans):
        return "blank lines"
    return "line ends" if all(mine.rstrip() == theirs.rstrip() for mine, theirs in pairs) else "white space"


def _only(hits: Sequence[Aligned]) -> Found:
    if len(hits) > 1:
        return Several(len(hits), tuple(hit.lines for hit in hits[:PLACES_SHOWN]))
    return hits[0] if hits else None
