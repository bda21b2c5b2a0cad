"""Finding a text by what can be overlooked without doubt: line endings, white space, blank lines, typography.

Whatever matches at a strict rung matches at every later one. So the last is searched first, and if it has several hits,
the strictest rung that any of them reaches decides: with one hit there the place is clear, with two it is not.
"""

import re
from collections.abc import Iterator

from mulligan.core.edits.lines import LinedText, canonical, indent_of, squeezed
from mulligan.core.edits.matches import Aligned, Found, Lines, Piece, Rung, Several

PLACES_SHOWN = 5

_HITS_LOOKED_AT = 200
_RUNGS: tuple[Rung, ...] = ("line ends", "white space", "blank lines", "characters")
_WORD = re.compile(r"\w")
_SHORTEST_PART = 4
"""Characters of a part of a line, white space aside, below which only an exact hit counts."""


def find_exact(text: LinedText, needle: str) -> Found:
    """The text as it stands, or with the file's line endings."""
    for wanted in _with_other_endings(needle):
        starts = [
            start for start in _occurrences(text.text, wanted) if not _cuts(text.text, start, start + len(wanted))
        ]
        if len(starts) == 1:
            rung: Rung = "exact" if wanted == needle else "line ends"
            return Piece(starts[0], starts[0] + len(wanted), rung)
        if starts:
            shown = tuple(lines_of(text, Piece(start, start + len(wanted), "exact")) for start in starts[:PLACES_SHOWN])
            return Several(len(starts), shown)
    return None


def find_alike(text: LinedText, needle: LinedText) -> Found:
    """Whole lines first; a needle without a line end may be a part of one."""
    hits = [_aligned(text, needle, place) for place in _line_hits(text, needle)]
    if _may_be_part(needle):
        return _find_part(text, needle) if not hits or _parts(text, needle) > len(hits) else _strictest(hits)
    return _strictest(hits)


def every_place(text: LinedText, needle: LinedText) -> list[Aligned]:
    """All places, from top to bottom, where only white space differs."""
    hits = [_aligned(text, needle, place) for place in _line_hits(text, needle)]
    kept: list[Aligned] = []
    for hit in hits:
        if hit.rung in ("line ends", "white space") and (not kept or kept[-1].lines[1] <= hit.lines[0]):
            kept.append(hit)
    return kept


def lines_of(text: LinedText, found: Piece | Aligned) -> Lines:
    """The lines of the file that are touched."""
    if isinstance(found, Aligned):
        return found.lines
    return text.line_at(found.start), text.line_at(max(found.start, found.end - 1)) + 1


def _with_other_endings(needle: str) -> list[str]:
    wanted = [needle]
    if "\r\n" in needle:
        wanted.append(needle.replace("\r\n", "\n"))
    elif "\n" in needle:
        wanted.append(needle.replace("\n", "\r\n"))
    return wanted


def _cuts(content: str, start: int, end: int) -> bool:
    """Whether it is a part of something else: half a number, or lines that begin or end within a word."""
    edges = [content[place - 1 : place + 1] for place in (start, end) if start < end and 0 < place < len(content)]
    if any(edge.isdigit() for edge in edges):
        return True
    return "\n" in content[start:end].strip() and any(_WORD.match(edge[0]) and _WORD.match(edge[1]) for edge in edges)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    """Overlapping ones too: each is a place that could be meant."""
    start = text.find(wanted)
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def _line_hits(text: LinedText, needle: LinedText) -> Iterator[int]:
    """Where, among the lines that are not blank, the needle's begin."""
    if not needle.solid_keys:
        return
    place, passed = 0, 0
    for count, start in enumerate(_occurrences(text.solid_text, needle.solid_text)):
        if count >= _HITS_LOOKED_AT:
            return
        place += text.solid_text.count("\n", passed, start)
        passed = start
        yield place


def _aligned(text: LinedText, needle: LinedText, place: int) -> Aligned:
    lines = [text.solid[place + index] for index in range(len(needle.solid))]
    partners: list[Lines | None] = [None] * len(needle.lines)
    for mine, theirs in zip(needle.solid, lines, strict=True):
        partners[mine] = (theirs, theirs + 1)
    pair_blanks(text, needle, partners)
    return Aligned(tuple(partners), _rung(text, needle, partners))


def pair_blanks(text: LinedText, needle: LinedText, partners: list[Lines | None]) -> None:
    """Blank lines between two lines that have partners go with the blank lines between those."""
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


def _rung(text: LinedText, needle: LinedText, partners: list[Lines | None]) -> Rung:
    pairs = [(needle.body(mine), text.body(span[0])) for mine, span in enumerate(partners) if span is not None]
    if any(squeezed(mine) != squeezed(theirs) for mine, theirs in pairs):
        return "characters"
    first, last = needle.solid[0], needle.solid[-1]
    between = [partners[index] for index in range(first, last + 1)]
    spans = [span for span in between if span is not None]
    if len(spans) < len(between) or spans[-1][1] - spans[0][0] != len(spans):
        return "blank lines"
    return "line ends" if all(mine.rstrip() == theirs.rstrip() for mine, theirs in pairs) else "white space"


def _strictest(hits: list[Aligned]) -> Found:
    for rung in _RUNGS:
        there = [hit for hit in hits if hit.rung == rung]
        if len(there) == 1:
            return there[0]
        if there:
            return Several(len(there), tuple(hit.lines for hit in there[:PLACES_SHOWN]))
    return None


def _may_be_part(needle: LinedText) -> bool:
    """One line without an end and not indented: it may have been cut out of a longer one."""
    return len(needle.lines) == 1 and needle.text == needle.body(0) and not indent_of(needle.text)


def _parts(text: LinedText, needle: LinedText) -> int:
    return text.solid_text.count(needle.solid_keys[0]) if needle.solid_keys else 0


def _find_part(text: LinedText, needle: LinedText) -> Found:
    """A part of one line, begun and ended where words are."""
    if not needle.solid_keys or len(needle.solid_keys[0]) < _SHORTEST_PART:
        return None
    wanted = needle.solid_keys[0]
    pieces: list[Piece] = []
    for start in _occurrences(text.solid_text, wanted):
        line = text.solid[text.solid_text.count("\n", 0, start) - 1]
        before = start - text.solid_text.rfind("\n", 0, start) - 1
        piece = _piece(text, line, before, before + len(wanted))
        if piece is not None:
            pieces.append(piece)
        if len(pieces) > PLACES_SHOWN:
            break
    if len(pieces) > 1:
        count = max(len(pieces), text.solid_text.count(wanted))
        return Several(count, tuple(lines_of(text, piece) for piece in pieces[:PLACES_SHOWN]))
    return pieces[0] if pieces else None


def _piece(text: LinedText, line: int, start: int, end: int) -> Piece | None:
    """From characters of a line's key to characters of the file; None where they don't go one to one, or cut words."""
    body = text.body(line)
    places = [place for place, sign in enumerate(body) for _ in squeezed(canonical(sign))]
    if len(places) != len(text.keys[line]):
        return None
    first, last = places[start], places[end - 1]
    if _inside_word(body, first) or _inside_word(body, last + 1):
        return None
    rung: Rung = "characters" if squeezed(body[first : last + 1]) != text.keys[line][start:end] else "white space"
    return Piece(text.starts[line] + first, text.starts[line] + last + 1, rung)


def _inside_word(body: str, place: int) -> bool:
    return 0 < place < len(body) and bool(_WORD.match(body[place - 1]) and _WORD.match(body[place]))
