"""Applies the difference between two versions of a line to the file's own version of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mulligan.core.edits.lines import canonical

_TOKEN = re.compile(r"(\s*+)(\w++|[^\w\s]|$)")
_MAX_TOKENS = 3_000
_QUOTES = {"'", '"', "`"}


@dataclass(frozen=True, slots=True)
class LineToken:
    gap: str
    """White space before it."""
    text: str

    @property
    def plain(self) -> str:
        return canonical(self.text)


@dataclass(slots=True)
class Spacing:
    """Maps gaps of the old text to gaps of the file, by the tokens on both sides."""

    gaps: dict[tuple[str, str, str], str | None] = field(default_factory=dict[tuple[str, str, str], str | None])
    """None if the file has both forms."""

    def learn(self, mine: str, theirs: str) -> None:
        ours, other = tokenised(mine), tokenised(theirs)
        partners = _partners(ours, other)
        for index in range(1, len(ours)):
            here, before = partners[index], partners[index - 1]
            if here is None or before != here - 1:
                continue
            for place in _places(ours[index - 1], ours[index]):
                there = other[here].gap
                known = self.gaps.setdefault((*place, ours[index].gap), there)
                if known != there:
                    self.gaps[*place, ours[index].gap] = None

    def gap(self, before: LineToken, token: LineToken) -> str:
        for place in _places(before, token):
            found = self.gaps.get((*place, token.gap))
            if found is not None:
                return found
        return token.gap

    def respace(self, line: str) -> str:
        """A line that the file lacks, spaced like its own lines."""
        if all(place[2] == there for place, there in self.gaps.items()):
            return line
        trail = line[len(line.rstrip()) :]
        return "".join(token.gap + token.text for token in _respaced(tokenised(line), (), self)) + trail


def tokenised(line: str) -> list[LineToken]:
    return [LineToken(gap, text) for gap, text in _TOKEN.findall(line.strip()) if text]


def merge_line(old: str, new: str, file: str, spacing: Spacing) -> str | None:
    """The file's line, changed as old was changed into new; None if the three can't be aligned."""
    ours, wanted, other = tokenised(old), tokenised(new), tokenised(file)
    if max(len(ours), len(wanted), len(other)) > _MAX_TOKENS or not other:
        return None
    from rapidfuzz.distance import Indel

    partners = _partners(ours, other)
    out: list[LineToken] = []
    cursor, last = 0, (-1, -1)
    steps = Indel.opcodes([token.plain for token in ours], [token.plain for token in wanted])
    gone = {step.src_start for step in steps if step.tag == "delete"}
    for step in steps:
        free = other[cursor : next((index for index in partners[step.src_start :] if index is not None), len(other))]
        if step.tag == "insert":
            added = wanted[step.dest_start : step.dest_end]
            if [token.plain for token in free] == [token.plain for token in added]:  # the file has it already
                out += free
                cursor += len(free)
            else:
                made = _respaced(added, out, spacing)
                if step.src_start in gone and ours[step.src_start].gap == added[0].gap and free != other[cursor:]:
                    made[0] = LineToken(other[cursor + len(free)].gap, made[0].text)  # it replaces another token
                out += made
            continue
        indexes = [index for index in partners[step.src_start : step.src_end] if index is not None]
        if step.tag == "delete":
            if not indexes and not free:
                continue
            if len(indexes) < step.src_end - step.src_start or indexes[-1] - indexes[0] >= len(indexes):
                return None
            out += other[cursor : indexes[0]]
            cursor = indexes[-1] + 1
            continue
        for index, partner in enumerate(partners[step.src_start : step.src_end]):
            if partner is None:  # the file lacks it, and the edit does not ask for it
                continue
            here = step.src_start + index, step.dest_start + index
            moved = last != (here[0] - 1, here[1] - 1) and cursor == partner
            out += other[cursor:partner]
            moved &= wanted[here[1]].gap != ours[here[0]].gap
            token = LineToken(wanted[here[1]].gap, other[partner].text)
            out += _respaced([token], out, spacing) if moved else [other[partner]]
            cursor, last = partner + 1, here
    return "".join(token.gap + token.text for token in [*out, *other[cursor:]]).strip()


def _partners(ours: Sequence[LineToken], other: Sequence[LineToken]) -> list[int | None]:
    """For each of our tokens the file's, equal or with a typo."""
    from rapidfuzz.distance import Indel

    partners: list[int | None] = [None] * len(ours)
    blocks = Indel.opcodes([token.plain for token in ours], [token.plain for token in other])
    mine_at, theirs_at = 0, 0
    for step in blocks:
        if step.tag != "equal":
            continue
        _pair_typos(ours, other, partners, (mine_at, step.src_start), (theirs_at, step.dest_start))
        for offset in range(step.src_end - step.src_start):
            partners[step.src_start + offset] = step.dest_start + offset
        mine_at, theirs_at = step.src_end, step.dest_end
    _pair_typos(ours, other, partners, (mine_at, len(ours)), (theirs_at, len(other)))
    return partners


def _pair_typos(
    ours: Sequence[LineToken],
    other: Sequence[LineToken],
    partners: list[int | None],
    mine: tuple[int, int],
    theirs: tuple[int, int],
) -> None:
    if mine[1] - mine[0] != theirs[1] - theirs[0]:
        return
    for here, there in zip(range(*mine), range(*theirs), strict=True):
        if _kind(ours[here].plain) == _kind(other[there].plain) or {ours[here].plain, other[there].plain} <= _QUOTES:
            partners[here] = there


def _places(before: LineToken, token: LineToken) -> tuple[tuple[str, str], ...]:
    """The tokens on both sides of a gap, as text and as kinds."""
    exact = before.plain, token.plain
    kinds = _kind(before.plain), _kind(token.plain)
    return (exact, kinds) if exact != kinds else (exact,)


def _kind(text: str) -> str:
    return "w" if text[0].isalnum() or text[0] == "_" else text


def _respaced(tokens: Sequence[LineToken], out: Sequence[LineToken], spacing: Spacing) -> list[LineToken]:
    made: list[LineToken] = []
    for token in tokens:
        before = made[-1] if made else out[-1] if out else None
        made.append(LineToken(token.gap if before is None else spacing.gap(before, token), token.text))
    return made
