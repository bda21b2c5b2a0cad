"""From the old text to the new one, line by line: what was kept, changed, dropped and added."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.edits.align import align
from mulligan.core.line_diff import changed_blocks


@dataclass(frozen=True, slots=True)
class KeptLine:
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class ChangedLine:
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class DroppedLine:
    old: int


@dataclass(frozen=True, slots=True)
class AddedLine:
    new: int


Step = KeptLine | ChangedLine | DroppedLine | AddedLine


def steps_between(old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Ignores trailing white space."""
    before, after = [line.rstrip() for line in old], [line.rstrip() for line in new]
    steps: list[Step] = []
    here, there = 0, 0
    for block in changed_blocks(before, after):
        steps += (KeptLine(here + index, there + index) for index in range(block.a_start - here))
        steps += _within(before, after, (block.a_start, block.a_end), (block.b_start, block.b_end))
        here, there = block.a_end, block.b_end
    steps += (KeptLine(here + index, there + index) for index in range(len(before) - here))
    return steps


def _within(
    before: Sequence[str], after: Sequence[str], mine: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[Step]:
    """In a replaced run of lines, pair those that are versions of each other."""
    partners = align(before[slice(*mine)], after[slice(*theirs)])
    new = theirs[0]
    for old, partner in zip(range(*mine), partners, strict=True):
        if partner is None:
            yield DroppedLine(old)
            continue
        yield from (AddedLine(line) for line in range(new, theirs[0] + partner))
        new = theirs[0] + partner + 1
        yield ChangedLine(old, theirs[0] + partner)
    yield from (AddedLine(line) for line in range(new, theirs[1]))
