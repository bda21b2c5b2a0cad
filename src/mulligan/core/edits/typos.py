"""Telling a slip of the pen from another block that looks alike.

Copies of a block differ in a number, an operator or a name; a model's slips are letters swapped, dropped or doubled
inside a word, a comment left out, a quote of the other kind. Only the latter count as the same line.
"""

import re
from dataclasses import dataclass
from typing import Literal

from mulligan.core.edits.lines import canonical, key

Kinship = Literal["same", "slip", "other"]

LONGEST_COMPARED = 4_000
"""Characters of a line beyond which only equality counts."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SUBWORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_COMMENT = re.compile(
    r"\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|endif|else|pragma)\b)|//|/\*|\*(?:\s|/|$)|--\s|<!--|;;|%%)"
)
_TAIL = re.compile(r"\s(?:#|//|--\s|/\*)")
_QUOTES = {"'", '"', "`"}
_LOOSE_ENDS = {",", ";"}


@dataclass(frozen=True, slots=True)
class Kin:
    kinship: Kinship
    misspelt: tuple[tuple[str, str], ...] = ()
    """Words of the needle beside the file's."""


def is_comment(line: str) -> bool:
    return bool(_COMMENT.match(line))


def kin(mine: str, theirs: str) -> Kin:
    """How a line of the needle stands to a line of the file."""
    if key(mine) == key(theirs):
        return Kin("same")
    if max(len(mine), len(theirs)) > LONGEST_COMPARED:
        return Kin("other")
    if _same_but_for_tail(mine, theirs):
        return Kin("slip")
    if is_comment(mine) and is_comment(theirs):
        return _comment_kin(mine, theirs)
    return _code_kin(canonical(mine), canonical(theirs))


def likeness(one: str, other: str) -> float:
    """From 0 to 1, white space aside."""
    return key_likeness(key(one), key(other))


def key_likeness(left: str, right: str) -> float:
    from rapidfuzz.distance import Indel

    if left == right:
        return 1.0
    if max(len(left), len(right)) > LONGEST_COMPARED:
        return 0.0
    return Indel.normalized_similarity(left, right)


def is_typo(mine: str, theirs: str) -> bool:
    """Letters swapped, dropped, doubled or mistaken within a long word. A plural or another number is another word."""
    from rapidfuzz.distance import OSA

    if re.findall(r"\d", mine) != re.findall(r"\d", theirs) or mine.casefold() == theirs.casefold():
        return False
    ours, other = _differing_parts(mine, theirs)
    shortest, longest = sorted((ours, other), key=len)
    if len(longest) < 4 or shortest[:1].casefold() != longest[:1].casefold() or longest == shortest + "s":
        return False
    distance = OSA.distance(ours, other)
    if distance == 1:
        return _slipped_within(ours, other)
    return distance == 2 and len(longest) >= 9 and ours[:2] == other[:2] and ours[-1] == other[-1]


def is_doubtful(mine: str, theirs: str) -> bool:
    """Whether it might as well be another name: one letter for another in a short word, or the last one missing."""
    ours, other = _differing_parts(mine, theirs)
    cut_short = other.startswith(ours)
    return cut_short or (len(ours) == len(other) <= 8 and sorted(ours) != sorted(other))


def _slipped_within(ours: str, other: str) -> bool:
    """A letter at the end that is not the last one doubled makes another name: `code` and `codex`."""
    if ours.startswith(other):
        return ours[-1] == other[-1]
    if len(ours) != len(other) or sorted(ours) == sorted(other):
        return True
    return len(ours) >= 4 and ours[-1] == other[-1]


def _differing_parts(mine: str, theirs: str) -> tuple[str, str]:
    """`parse_header_line` and `parse_haeder_line` differ in `header`: the length of the part is what tells."""
    ours, other = _SUBWORD.findall(mine), _SUBWORD.findall(theirs)
    if len(ours) != len(other):
        return mine, theirs
    pairs = [(left, right) for left, right in zip(ours, other, strict=True) if left != right]
    return pairs[0] if len(pairs) == 1 else (mine, theirs)


def _same_but_for_tail(mine: str, theirs: str) -> bool:
    """A comment at the end of the line that one of the two does without."""
    for longer, shorter in ((theirs, mine), (mine, theirs)):
        for tail in _TAIL.finditer(longer):
            code = longer[: tail.start()]
            if code.strip() and key(code) == key(shorter):
                return True
    return False


def _comment_kin(mine: str, theirs: str) -> Kin:
    """In a comment a capital letter makes no difference."""
    if key(mine).casefold() == key(theirs).casefold():
        return Kin("slip")
    return _code_kin(canonical(mine), canonical(theirs))


def _code_kin(mine: str, theirs: str) -> Kin:
    ours, other = _tokens(mine), _tokens(theirs)
    if len(ours) != len(other):
        return Kin("other")
    differing = [(left, right) for left, right in zip(ours, other, strict=True) if left != right]
    misspelt = [pair for pair in differing if not _QUOTES.issuperset(pair)]
    if len(misspelt) > 2 or not all(is_typo(*pair) for pair in misspelt):
        return Kin("other")
    return Kin("slip", tuple(misspelt))


def _tokens(line: str) -> list[str]:
    found = _TOKEN.findall(line)
    while found and found[-1] in _LOOSE_ENDS:
        found.pop()
    return found
