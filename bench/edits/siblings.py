"""Blocks that look like another and are not: the same lines with other names, other numbers, or the opposite word."""

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from bench.edits.changes import NAMES, NUMBER, names_in
from bench.edits.draft import Draft, olds

OPPOSITES = (
    ("min", "max"), ("left", "right"), ("start", "stop"), ("first", "last"), ("read", "write"), ("get", "set"),
    ("open", "close"), ("before", "after"), ("input", "output"), ("width", "height"), ("add", "remove"), ("old", "new"),
    ("True", "False"), ("encode", "decode"), ("send", "recv"), ("begin", "end"), ("upper", "lower"),
    ("parent", "child"),
    ("key", "value"), ("source", "target"), ("insert", "delete"), ("prev", "next"), ("push", "pop"),
)  # fmt: skip


def with_other_names(lines: Sequence[str], rng: Random) -> list[str] | None:
    """A sibling as people write them: two to four names differ all through it, and the numbers. 66 to 95 % alike."""
    found = sorted({name for line in lines for name in names_in(line)})
    if len(found) < 3:
        return None
    chosen = rng.sample(found, min(len(found), rng.randint(2, 4)))
    new_names = dict(zip(chosen, rng.sample(NAMES, len(chosen)), strict=True))
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, chosen)) + r")\b")
    named = [pattern.sub(lambda match: new_names[match[0]], line) for line in lines]
    sibling = [NUMBER.sub(lambda match: str(int(match[0]) + 1), line) for line in named]
    return sibling if _differing(lines, sibling) >= 2 and 0.66 <= likeness(lines, sibling) <= 0.95 else None


def with_other_numbers(lines: Sequence[str], rng: Random) -> list[str] | None:
    step = rng.choice((1, 1, 2, 10))
    sibling = [NUMBER.sub(lambda match: str(int(match[0]) + step), line) for line in lines]
    return sibling if _differing(lines, sibling) else None


def with_the_opposite(lines: Sequence[str], rng: Random) -> list[str] | None:
    """`min` for `max`, `read` for `write`, alone or within a name, in all lines."""
    words = [
        pair for pair in OPPOSITES if any(_word(pair[0]).search(line) or _word(pair[1]).search(line) for line in lines)
    ]
    if not words:
        return None
    one, other = rng.choice(words)
    swap = {one: other, other: one, one.capitalize(): other.capitalize(), other.capitalize(): one.capitalize()}
    either = re.compile(f"{_word(one).pattern}|{_word(other).pattern}")
    return [either.sub(lambda match: swap[match[0]], line) for line in lines]


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    from rapidfuzz.distance import Indel

    return Indel.normalized_similarity("\n".join(one), "\n".join(other))


def planted(draft: Draft, lines: Sequence[str], rng: Random) -> Draft:
    """The file with these lines somewhere else in it, where a blank line stands or the file ends."""
    near = rng.random() < 0.5
    blanks_after = [place for place, line in enumerate(draft.after) if not line.strip()] or [len(draft.after)]
    blanks_before = [place for place, line in enumerate(draft.before) if not line.strip()]
    if blanks_before and rng.random() < 0.5:
        place = blanks_before[-1] if near else rng.choice(blanks_before)
        return replace(draft, before=(*draft.before[:place], "", *lines, *draft.before[place:]))
    place = blanks_after[0] if near else rng.choice(blanks_after)
    return replace(draft, after=(*draft.after[:place], "", *lines, *draft.after[place:]))


def sibling_near_by(draft: Draft, rng: Random) -> Draft | None:
    return _plant(draft, with_other_names(olds(draft.truth), rng), rng)


def opposite_near_by(draft: Draft, rng: Random) -> Draft | None:
    lines = olds(draft.truth)
    sibling = with_the_opposite(lines, rng)
    return _plant(draft, sibling if sibling and _differing(lines, sibling) >= 2 else None, rng)


def _plant(draft: Draft, sibling: Sequence[str] | None, rng: Random) -> Draft | None:
    return planted(draft, sibling, rng) if sibling else None


def _differing(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(left != right for left, right in zip(one, other, strict=True))


def _word(word: str) -> re.Pattern[str]:
    """The word, large or small, with no more letters around it that would make it another."""
    return re.compile(rf"(?<![A-Za-z]){word}(?![a-z])|(?<![A-Z]){word.capitalize()}(?![a-z])")
