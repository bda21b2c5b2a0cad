"""The last rung: lines that are nearly the needle's.

Similarity alone corrupts files, so it only ranks. A place is taken if every line of the needle has its own line there,
equal or different by a slip (see `typos`), if first and last lines align, and if no other place comes near.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.edits.align import align
from mulligan.core.edits.lines import LinedText
from mulligan.core.edits.locate import pair_blanks
from mulligan.core.edits.matches import Aligned, Found, Lines, Several
from mulligan.core.edits.typos import LONGEST_COMPARED, Kin, is_comment, is_doubtful, kin, likeness

SIMILAR_FROM = 0.66
MARGIN = 0.05

_LINES_AT_MOST = 2_000
_COMMON = 200
"""Lines that stand more often than this say nothing about the place."""
_CANDIDATES = 8
_LONG_NEEDLE = 200
_THIN = 10
"""Characters of equal lines below which the place hangs on the unequal one."""
_LONG = 20
"""Characters of a line that can be told by itself."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of the file beside the needle's solid lines, and how alike they are."""

    partners: tuple[int | None, ...]
    likenesses: tuple[float, ...]
    similarity: float
    believable: bool
    lines: Lines


def find_similar(text: LinedText, needle: LinedText) -> Found:
    windows = nearest_windows(text, needle)
    good = [window for window in windows if window.believable and window.similarity >= SIMILAR_FROM]
    if not good:
        return None
    best = good[0]
    rivals = [window for window in windows if window is not best and _is_rival(window, best)]
    if rivals:
        return Several(1 + len(rivals), tuple(window.lines for window in (best, *rivals)))
    partners: list[Lines | None] = [None] * len(needle.lines)
    for mine, theirs in zip(needle.solid, best.partners, strict=True):
        partners[mine] = None if theirs is None else (theirs, theirs + 1)
    pair_blanks(text, needle, partners)
    return Aligned(tuple(partners), "similarity")


def nearest_windows(text: LinedText, needle: LinedText) -> list[Window]:
    """The likeliest places, best first. Of those that overlap only the best, unless it might as well be the other."""
    if not 0 < len(needle.solid) <= _LINES_AT_MOST:
        return []
    graded = [
        window
        for start in _candidate_starts(text.solid_keys, needle)
        if (window := _grade(text, needle, start)) is not None
    ]
    kept: list[Window] = []
    for window in sorted(graded, key=lambda window: (window.believable, window.similarity), reverse=True):
        if all(_is_elsewhere(window, other) for other in kept):
            kept.append(window)
    return kept


def _is_elsewhere(window: Window, other: Window) -> bool:
    if window.believable and other.believable:
        return window.partners != other.partners
    return window.lines[1] <= other.lines[0] or other.lines[1] <= window.lines[0]


def _candidate_starts(keys: Sequence[str], needle: LinedText) -> list[int]:
    """Among the solid lines of the file, where the needle could begin: voted for by lines that are the same."""
    wanted = set(needle.solid_keys)
    places: dict[str, list[int]] = {}
    for place, found in enumerate(keys):
        if found in wanted:
            places.setdefault(found, []).append(place)
    votes: Counter[int] = Counter()
    for index, found in enumerate(needle.solid_keys):
        there = places.get(found, ())
        if len(there) <= _COMMON:
            for place in there:
                votes[place - index] += 1 + len(found)
    if not votes or len(needle.solid) <= 2:
        for index, place in _anchors_alike(keys, needle):
            votes[place - index] += len(needle.solid_keys[index]) // 2
    return [start for start, _ in votes.most_common(_CANDIDATES if len(needle.solid) <= _LONG_NEEDLE else 2)]


def _anchors_alike(keys: Sequence[str], needle: LinedText) -> Iterator[tuple[int, int]]:
    """Lines of the file that resemble the needle's longest, or that only a comment at their end tells from it.

    None at all where too many do: the one that is meant might not be among them.
    """
    from rapidfuzz import fuzz, process

    index, wanted = max(enumerate(needle.solid_keys), key=lambda item: len(item[1]))
    if len(wanted) > LONGEST_COMPARED:
        return
    found = process.extract(wanted, keys, scorer=fuzz.ratio, score_cutoff=80, limit=_CANDIDATES)
    if len(found) == _CANDIDATES and found[-1][1] > found[0][1] - 100 * MARGIN:
        return
    yield from ((index, int(place)) for _, _, place in found)
    tail = re.compile(re.escape(wanted) + r"(?:#|//|--|/\*)")
    yield from ((index, place) for place, found in enumerate(keys) if tail.match(found))


def _grade(text: LinedText, needle: LinedText, start: int) -> Window | None:
    size = len(needle.solid)
    first = max(0, start - 3)
    last = min(len(text.solid), start + size + 4 + size // 4)
    mine = [needle.body(line) for line in needle.solid]
    theirs = [text.body(line) for line in text.solid[first:last]]
    found = align(mine, theirs, end=start - first + size)
    partners = tuple(None if place is None else text.solid[first + place] for place in found)
    spans = [place for place in partners if place is not None]
    if not spans:
        return None
    alike = tuple(
        0.0 if place is None else likeness(line, text.body(place)) for line, place in zip(mine, partners, strict=True)
    )
    weights = [len(found) for found in needle.solid_keys]
    similarity = sum(a * w for a, w in zip(alike, weights, strict=True)) / sum(weights)
    return Window(partners, alike, similarity, _is_believable(text, mine, partners), (spans[0], spans[-1] + 1))


def _is_believable(text: LinedText, mine: Sequence[str], partners: Sequence[int | None]) -> bool:
    """Whether these lines are the needle's, slips aside, line by line."""
    pairs = [
        (line, kin(line, text.body(place))) for line, place in zip(mine, partners, strict=True) if place is not None
    ]
    if any(found.kinship == "other" for _, found in pairs):
        return False
    same = [line for line, found in pairs if found.kinship == "same"]
    slips = [(line, found) for line, found in pairs if found.kinship == "slip"]
    evidence = sum(len("".join(line.split())) for line in same)
    if not _gaps_allowed(text, mine, partners, only_equal=not slips and len(same) >= 5, equal=len(same)):
        return False
    if slips and evidence < _THIN and not _stands_alone(slips):
        return False
    return _are_misspellings(text.text, mine, [pair for _, found in slips for pair in found.misspelt])


def _gaps_allowed(
    text: LinedText, mine: Sequence[str], partners: Sequence[int | None], *, only_equal: bool, equal: int
) -> bool:
    """Comments come and go; one other line may, amidst lines that are all equal. First and last lines align."""
    there = [place for place in partners if place is not None]
    taken = set(there)
    added = [index for index, place in enumerate(partners) if place is None]
    dropped = [line for line in range(there[0], there[-1]) if line not in taken and text.keys[line]]
    strange = [index for index in added if not is_comment(mine[index])]
    hidden = [line for line in dropped if not is_comment(text.lines[line])]
    if (added and dropped) or len(added) + len(dropped) > max(2, len(mine) // 2):
        return False
    if strange or hidden:
        amidst = all(1 < index < len(mine) - 2 for index in strange) and all(there[1] < n < there[-2] for n in hidden)
        return only_equal and amidst and len(strange) + len(hidden) == 1
    if partners[0] is not None and partners[-1] is not None:
        return True
    beside = [there[0] - 1] * (partners[0] is None) + [there[-1] + 1] * (partners[-1] is None)
    return equal >= 2 and not any(_comment_at(text, line) for line in beside)


def _comment_at(text: LinedText, line: int) -> bool:
    """A comment where the needle has another one is the mark of a sibling."""
    return 0 <= line < len(text.lines) and is_comment(text.lines[line])


def _stands_alone(slips: Sequence[tuple[str, Kin]]) -> bool:
    line, found = slips[0]
    if len(slips) > 1:
        return False
    return not found.misspelt or (len(found.misspelt) == 1 and len("".join(line.split())) >= _LONG)


def _are_misspellings(content: str, mine: Sequence[str], pairs: Sequence[tuple[str, str]]) -> bool:
    """A word that is misspelt twice in the same way, or that the file knows, is a name of its own.

    Where it is in doubt, the right word must be a known one: the needle has it elsewhere, or the file has it twice.
    """
    if len(pairs) > 3 or len(set(pairs)) < len(pairs) or any(_count(content, wrong, 1) for wrong, _ in pairs):
        return False
    doubtful = [right for wrong, right in pairs if is_doubtful(wrong, right)]
    needle = "\n".join(mine)
    return all(_count(needle, right, 1) or (len(mine) >= 3 and _count(content, right, 2) >= 2) for right in doubtful)


def _count(text: str, word: str, enough: int) -> int:
    """How often the word stands by itself, as far as it matters. Searched plainly: a pattern is slow on a long file."""
    count, start = 0, text.find(word)
    while start >= 0 and count < enough:
        around = text[start - 1 : start] + text[start + len(word) : start + len(word) + 1]
        count += not any(sign.isalnum() or sign == "_" for sign in around)
        start = text.find(word, start + 1)
    return count


def _is_rival(window: Window, best: Window) -> bool:
    """Near enough to be meant. What is nowhere better, and differs where the best is equal, is a sibling of it."""
    if window.similarity < best.similarity - MARGIN:
        return False
    lines = list(zip(window.likenesses, best.likenesses, strict=True))
    sibling = all(there <= here for there, here in lines) and any(there < 1.0 == here for there, here in lines)
    return not sibling or (window.believable and min(best.likenesses) < 1.0)
