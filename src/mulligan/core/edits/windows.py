"""The last match level: lines that are nearly the needle's.

Similarity finds places and shows them to the model; evidence decides which one is meant, if any. First and last lines
must align.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.edits.align import ALIKE_FROM, align
from mulligan.core.edits.differences import is_comment
from mulligan.core.edits.evidence import Evidence, MatchScore
from mulligan.core.edits.lines import MAX_COMPARED_CHARS, LinedText, key, likeness
from mulligan.core.edits.locate import pair_blanks
from mulligan.core.edits.matches import Aligned, Found, Lines, Overlooked, Several

SIMILAR_FROM = 0.66

_MAX_LINES = 2_000
_COMMON = 200
"""Lines that occur more often than this say nothing about the place."""
_CANDIDATES = 8
_LONG_NEEDLE = 200
_NEAR = 5
_UNEQUAL_LOOKED_UP = 3
"""Lines of the needle that the file lacks and for which similar ones are searched."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of the file aligned with the needle's solid lines, and how alike they are."""

    partners: tuple[int | None, ...]
    similarity: float
    verdict: MatchScore
    believable: bool
    lines: Lines


def find_similar(text: LinedText, needle: LinedText) -> Found:
    windows = nearest_windows(text, needle)
    good = [window for window in windows if window.believable and window.similarity >= SIMILAR_FROM]
    if not good:
        return None
    best = good[0]
    rivals = [window for window in windows if window is not best and window.verdict.comes_near(best.verdict)]
    if rivals:
        return Several(1 + len(rivals), tuple(window.lines for window in (best, *rivals)))
    partners: list[Lines | None] = [None] * len(needle.lines)
    for mine, theirs in zip(needle.solid, best.partners, strict=True):
        partners[mine] = None if theirs is None else (theirs, theirs + 1)
    pair_blanks(text, needle, partners)
    return Aligned(tuple(partners), "similarity", _overlooked(needle, best))


def nearest_windows(text: LinedText, needle: LinedText) -> list[Window]:
    """The likeliest places, best first. Of overlapping ones only the best, unless another is equally likely."""
    if not 0 < len(needle.solid) <= _MAX_LINES:
        return []
    evidence = Evidence(text, needle)
    starts = _candidate_starts(text.solid_keys, needle)
    graded = [window for start in starts if (window := _grade(text, needle, start, evidence)) is not None]
    kept: list[Window] = []
    for window in sorted(graded, key=lambda window: (window.believable, window.verdict.score), reverse=True):
        if all(_is_elsewhere(window, other) for other in kept):
            kept.append(window)
    return kept


def _overlooked(needle: LinedText, window: Window) -> Overlooked:
    alone = [
        needle.body(line).strip()
        for line, partner in zip(needle.solid, window.partners, strict=True)
        if partner is None
    ]
    typos = tuple((each.mine, each.theirs) for each in window.verdict.typos)
    return Overlooked(window.similarity, window.verdict.score, typos, tuple(alone))


def _is_elsewhere(window: Window, other: Window) -> bool:
    if window.believable and other.believable:
        return window.partners != other.partners
    return window.lines[1] <= other.lines[0] or other.lines[1] <= window.lines[0]


def _candidate_starts(keys: Sequence[str], needle: LinedText) -> list[int]:
    """Where the needle could begin, among the solid lines of the file: equal lines vote for it."""
    wanted = set(needle.solid_keys)
    lines: dict[str, list[int]] = {}
    for line, found in enumerate(keys):
        if found in wanted:
            lines.setdefault(found, []).append(line)
    votes: Counter[int] = Counter()
    for index, found in enumerate(needle.solid_keys):
        there = lines.get(found, ())
        if len(there) <= _COMMON:
            for line in there:
                votes[line - index] += 1 + len(found)
    unequal = [(index, found) for index, found in enumerate(needle.solid_keys) if found not in lines]
    longest = sorted(unequal, key=lambda item: len(item[1]), reverse=True)[:_UNEQUAL_LOOKED_UP]
    for index, found in longest:
        for line in _lines_alike(keys, found):
            votes[line - index] += len(found) // 2
    return [start for start, _ in votes.most_common(_CANDIDATES if len(needle.solid) <= _LONG_NEEDLE else 2)]


def _lines_alike(keys: Sequence[str], wanted: str) -> Iterator[int]:
    """Lines of the file that resemble this one, or differ only in a comment at the end.

    None at all if there are too many: the right one might be missing.
    """
    from rapidfuzz import fuzz, process

    if len(wanted) > MAX_COMPARED_CHARS:
        return
    found = process.extract(wanted, keys, scorer=fuzz.ratio, score_cutoff=100 * SIMILAR_FROM, limit=_CANDIDATES)
    if len(found) == _CANDIDATES and found[-1][1] > found[0][1] - 5:
        return
    yield from (int(index) for _, _, index in found)
    tail = re.compile(re.escape(wanted) + r"(?:#|//|--|/\*)")
    yield from (index for index, found in enumerate(keys) if tail.match(found))


def _grade(text: LinedText, needle: LinedText, start: int, evidence: Evidence) -> Window | None:
    size = len(needle.solid)
    first = max(0, start - 3)
    last = min(len(text.solid), start + size + 4 + size // 4)
    indexes = text.solid[first:last]
    mine, theirs = needle.solid_keys, text.solid_keys[max(0, start) : start + size]
    if start >= 0 and len(theirs) == size and all(map(_are_versions, mine, theirs)):
        partners: tuple[int | None, ...] = tuple(text.solid[start : start + size])
    else:
        bodies = [needle.body(line) for line in needle.solid]
        found = align(bodies, [text.body(line) for line in indexes], end=start - first + size)
        partners = tuple(None if index is None else indexes[index] for index in found)
    there = [index for index in partners if index is not None]
    if not there:
        return None
    pairs = [
        (needle.body(line), text.body(index))
        for line, index in zip(needle.solid, partners, strict=True)
        if index is not None
    ]
    added = [needle.body(line) for line, index in zip(needle.solid, partners, strict=True) if index is None]
    taken = set(there)
    hidden = [text.body(line) for line in range(there[0], there[-1]) if line not in taken and text.keys[line]]
    verdict = evidence.score_of(pairs, [*added, *hidden])
    believable = verdict.holds and _gaps_allowed(text, partners, added, hidden)
    similarity = _similarity(text, needle, partners, believable=believable)
    return Window(partners, similarity, verdict, believable, (there[0], there[-1] + 1))


def _similarity(text: LinedText, needle: LinedText, partners: Sequence[int | None], *, believable: bool) -> float:
    """An invented line does not count if the others are believable."""
    pairs = [
        (mine, "" if index is None else text.keys[index])
        for mine, index in zip(needle.solid_keys, partners, strict=True)
        if index is not None or not believable
    ]
    return sum(likeness(mine, theirs) * len(mine) for mine, theirs in pairs) / sum(len(mine) for mine, _ in pairs)


def _are_versions(mine: str, theirs: str) -> bool:
    if mine == theirs or likeness(mine, theirs) >= ALIKE_FROM:
        return True
    from rapidfuzz.distance import OSA

    return OSA.distance(mine, theirs, score_cutoff=1) <= 1


def _gaps_allowed(text: LinedText, partners: Sequence[int | None], added: Sequence[str], hidden: Sequence[str]) -> bool:
    """Comments may be missing or extra, and one other line. First and last lines align, except invented comments.

    A line that is found nearby was not invented: then the order differs.
    """
    if (added and hidden) or len(added) + len(hidden) > max(2, len(partners) // 2):
        return False
    there = [index for index in partners if index is not None]
    if sum(not is_comment(line) for line in (*added, *hidden)) > 1:
        return False
    near = set(text.keys[max(0, there[0] - _NEAR) : there[-1] + _NEAR])
    if any(key(line) in near for line in added):
        return False
    if partners[0] is not None and partners[-1] is not None:
        return True
    first, last = text.solid.index(there[0]), text.solid.index(there[-1])
    neighbours = text.solid[first - 1 : first] if partners[0] is None else []
    neighbours += text.solid[last + 1 : last + 2] if partners[-1] is None else []
    edges = [added[0]] * (partners[0] is None) + [added[-1]] * (partners[-1] is None)
    # A different comment in the same place marks similar code, not this place.
    return (
        len(there) >= 2 and all(map(is_comment, edges)) and not any(is_comment(text.lines[line]) for line in neighbours)
    )
