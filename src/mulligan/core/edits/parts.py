"""Finds part of one line, at word boundaries: equal except for white space and typography, or nearly so."""

import re
from collections.abc import Iterator

from mulligan.core.edits.evidence import Evidence
from mulligan.core.edits.lines import MAX_COMPARED_CHARS, LinedText, canonical, indent_of, likeness, squeezed
from mulligan.core.edits.matches import PLACES_SHOWN, Found, MatchLevel, Overlooked, Several, TextSpan, lines_of

_WORD = re.compile(r"\w")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MIN_CHARS = 2
"""Characters, without white space, below which only an exact match counts."""
_MIN_ALIKE_CHARS = 6
_ALIKE_FROM = 0.75
_LINES_LOOKED_AT = 8


def may_be_part(needle: LinedText) -> bool:
    """One line without an end and not indented: it may be cut from a longer one."""
    return len(needle.lines) == 1 and needle.text == needle.body(0) and len(indent_of(needle.text)) <= 1


def parts(text: LinedText, needle: LinedText) -> int:
    return text.solid_text.count(needle.solid_keys[0]) if needle.solid_keys else 0


def find_part(text: LinedText, needle: LinedText) -> Found:
    """A part of one line, at word boundaries."""
    if not needle.solid_keys or len(needle.solid_keys[0]) < _MIN_CHARS:
        return None
    wanted = needle.solid_keys[0]
    spans: list[TextSpan] = []
    for start in occurrences(text.solid_text, wanted):
        line = text.solid[text.solid_text.count("\n", 0, start) - 1]
        before = start - text.solid_text.rfind("\n", 0, start) - 1
        span = _span(text, line, before, before + len(wanted))
        if span is not None:
            spans.append(span)
        if len(spans) > PLACES_SHOWN:
            break
    if len(spans) > 1:
        count = max(len(spans), text.solid_text.count(wanted))
        return Several(count, tuple(lines_of(text, span) for span in spans[:PLACES_SHOWN]))
    return spans[0] if spans else None


def _span(text: LinedText, line: int, start: int, end: int) -> TextSpan | None:
    """From characters of a line's key to characters of the file; None if they don't map one to one, or cut words."""
    body = text.body(line)
    indexes = [index for index, sign in enumerate(body) for _ in squeezed(canonical(sign))]
    if len(indexes) != len(text.keys[line]):
        return None
    first, last = indexes[start], indexes[end - 1]
    if _inside_word(body, first) or _inside_word(body, last + 1):
        return None
    match_level: MatchLevel = (
        "characters" if squeezed(body[first : last + 1]) != text.keys[line][start:end] else "white space"
    )
    return TextSpan(text.starts[line] + first, text.starts[line] + last + 1, match_level)


def _inside_word(body: str, index: int) -> bool:
    return 0 < index < len(body) and bool(_WORD.match(body[index - 1]) and _WORD.match(body[index]))


def occurrences(text: str, wanted: str) -> Iterator[int]:
    """Overlapping ones too: each may be the one meant."""
    start = text.find(wanted)
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def find_similar_part(text: LinedText, needle: LinedText) -> Found:
    """A part with a typo in it, if no other part of any line comes close."""
    if not may_be_part(needle) or not _MIN_ALIKE_CHARS <= len(needle.keys[0]) <= MAX_COMPARED_CHARS:
        return None
    evidence = Evidence(text, needle)
    graded = [
        (evidence.score_of([(needle.text, text.text[start:end])], []), start, end)
        for line, alike in nearest_lines(text, needle)
        if alike >= _ALIKE_FROM
        for start, end in _runs_of_words(text, line, len(_TOKEN.findall(needle.text)))
        if likeness(needle.keys[0], squeezed(text.text[start:end])) >= _ALIKE_FROM
    ]
    graded.sort(key=lambda each: (each[0].holds, each[0].score), reverse=True)
    if not graded or not graded[0][0].holds:
        return None
    verdict, start, end = graded[0]
    typos = tuple((each.mine, each.theirs) for each in verdict.typos)
    alike = likeness(needle.keys[0], squeezed(canonical(text.text[start:end])))
    best = TextSpan(start, end, "similarity", Overlooked(alike, verdict.score, typos, ()))
    rivals = [
        TextSpan(first, last, "similarity")
        for other, first, last in graded[1:]
        if other.comes_near(verdict) and (last <= start or end <= first)
    ]
    if rivals:
        return Several(1 + len(rivals), tuple(lines_of(text, each) for each in (best, *rivals)[:PLACES_SHOWN]))
    return best


def nearest_lines(text: LinedText, needle: LinedText) -> list[tuple[int, float]]:
    """Lines with a part like the needle's longest line, best first, and how alike it is."""
    from rapidfuzz import fuzz, process

    wanted = max(needle.solid_keys, key=len, default="")
    keys = [found if len(found) <= MAX_COMPARED_CHARS else "" for found in text.solid_keys]
    if not 0 < len(wanted) <= MAX_COMPARED_CHARS:
        return []
    found = process.extract(wanted, keys, scorer=fuzz.partial_ratio, score_cutoff=1, limit=_LINES_LOOKED_AT)
    whole = [each for each in found if len(each[0]) >= len(wanted) // 2]  # a bracket alone is part of anything
    return [(text.solid[line], alike / 100) for _, alike, line in whole or found]


def _runs_of_words(text: LinedText, line: int, count: int) -> Iterator[tuple[int, int]]:
    """`count` consecutive words of the line, as start and end."""
    words = list(_TOKEN.finditer(text.body(line)))
    for first, last in zip(words, words[count - 1 :], strict=False):
        yield text.starts[line] + first.start(), text.starts[line] + last.end()
