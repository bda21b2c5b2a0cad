"""Where two versions of a line differ, word by word."""

import re
from dataclasses import dataclass

from mulligan.core.edits.lines import MAX_COMPARED_CHARS, canonical, key

WORD = re.compile(r"\w+|[^\w\s]")

_SUBWORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_COMMENT = re.compile(
    r"\s*(?:#(?!\s*(?:include|define|undef|if|ifdef|ifndef|elif|endif|else|pragma)\b)|//|/\*|\*(?:\s|/|$)|--\s|<!--|;;|%%)"
)
_TAIL = re.compile(r"\s(?:#|//|--\s|/\*)")
_QUOTES = {"'", '"', "`"}
_LOOSE_ENDS = {",", ";"}
_MARKS = set("()[]{},;:.'\"`")


@dataclass(frozen=True, slots=True)
class Difference:
    """A word of the needle and the file's word at the same place in a line."""

    mine: str
    theirs: str

    @property
    def parts(self) -> tuple[str, str]:
        """`parse_header_line` and `parse_haeder_line` differ in `header`."""
        ours, other = _SUBWORD.findall(self.mine), _SUBWORD.findall(self.theirs)
        if len(ours) != len(other):
            return self.mine, self.theirs
        pairs = [(left, right) for left, right in zip(ours, other, strict=True) if left != right]
        return pairs[0] if len(pairs) == 1 else (self.mine, self.theirs)

    @property
    def is_in_case(self) -> bool:
        return self.mine.casefold() == self.theirs.casefold()

    @property
    def is_in_marks(self) -> bool:
        """A bracket, comma or quote too many or too few: similar code written on purpose never differs only in that."""
        fewer, more = sorted((self.mine.replace(" ", ""), self.theirs.replace(" ", "")), key=len)
        if len(more) != len(fewer) + 1:
            return False
        at = next((index for index, sign in enumerate(fewer) if sign != more[index]), len(fewer))
        return more[at] in _MARKS and more[:at] + more[at + 1 :] == fewer

    @property
    def is_in_letters(self) -> bool:
        """A different number or operator is never a typo."""
        return re.findall(r"[\d\W]", self.mine) == re.findall(r"[\d\W]", self.theirs)


def is_comment(line: str) -> bool:
    return bool(_COMMENT.match(line))


def differences(mine: str, theirs: str) -> list[Difference]:
    """Ignores other quotes, a comma or comment at the end, and capitals in a comment."""
    if key(mine) == key(theirs) or same_but_for_tail(mine, theirs):
        return []
    if max(len(mine), len(theirs)) > MAX_COMPARED_CHARS:
        return [Difference("0", "1")]  # too long to compare: never a typo
    found = _between(_words(mine), _words(theirs))
    if is_comment(mine) and is_comment(theirs):
        found = [each for each in found if each.mine.casefold() != each.theirs.casefold()]
    return [each for each in found if not _QUOTES.issuperset((each.mine, each.theirs))]


def _between(ours: list[str], other: list[str]) -> list[Difference]:
    if len(ours) == len(other):
        pairs = [Difference(left, right) for left, right in zip(ours, other, strict=True) if left != right]
        if len(pairs) <= 2:
            return pairs
    from mulligan.core.line_diff import changed_blocks

    found: list[Difference] = []
    for block in changed_blocks(ours, other):
        left, right = ours[block.a_start : block.a_end], other[block.b_start : block.b_end]
        if len(left) == len(right):
            found += [Difference(one, two) for one, two in zip(left, right, strict=True)]
        else:
            found.append(Difference(" ".join(left), " ".join(right)))
    return found


def _words(line: str) -> list[str]:
    found = WORD.findall(canonical(line))
    while found and found[-1] in _LOOSE_ENDS:
        found.pop()
    return found


def same_but_for_tail(mine: str, theirs: str) -> bool:
    """Whether only a comment at the end of one of the lines differs."""
    for longer, shorter in ((theirs, mine), (mine, theirs)):
        for tail in _TAIL.finditer(longer):
            code = longer[: tail.start()]
            if code.strip() and key(code) == key(shorter):
                return True
    return False
