"""Line diffs between two texts."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from mulligan.types.frozen import frozen

MAX_CELLS = 400_000_000
"""Most pairs of lines to compare; beyond that (20,000 rewritten lines) the middle counts as replaced."""

NO_NEWLINE = "\\ No newline at end of file"

HUNK_CONTEXT = 3
"""Unchanged lines around a hunk. Changes closer together are one hunk."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@frozen
class DiffBlock:
    """Lines `a_start` to `a_end` became lines `b_start` to `b_end`, ends excluded. One of the two may be empty."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@frozen
class NumberedLine:
    """A line of a hunk: unchanged, added or removed."""

    mark: Literal[" ", "+", "-"]
    old: int | None
    """Its old number, from 1; None for an added line."""
    new: int | None
    text: str
    """With its ending."""
    hunk: int | None = None
    """The hunk, from 0, of a changed line, independent of the context shown; None for an unchanged line."""


def split_keeping_ends(text: str) -> list[str]:
    r"""Lines with their endings, which are \n, \r\n or \r and nothing else. Joined, they give the text again."""
    return _LINE.findall(text)


def changed_blocks(before: Sequence[str], after: Sequence[str]) -> list[DiffBlock]:
    """The blocks that differ, in order. Everything between them is equal."""
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    a_end, b_end = len(before) - tail, len(after) - tail
    if head in (a_end, b_end):
        return [DiffBlock(head, a_end, head, b_end)] if a_end != b_end else []
    if (a_end - head) * (b_end - head) > MAX_CELLS:
        return [DiffBlock(head, a_end, head, b_end)]
    from rapidfuzz.distance import Indel

    blocks: list[DiffBlock] = []
    for step in Indel.opcodes(before[head:a_end], after[head:b_end]):
        if step.tag == "equal":
            continue
        block = DiffBlock(head + step.src_start, head + step.src_end, head + step.dest_start, head + step.dest_end)
        last = blocks[-1] if blocks else None
        if last and (last.a_end, last.b_end) == (block.a_start, block.b_start):
            blocks[-1] = DiffBlock(last.a_start, block.a_end, last.b_start, block.b_end)
        else:
            blocks.append(block)
    return blocks


def unified_diff(before: str | None, after: str | None, path: str, *, context: int = 3) -> str:
    """The difference in the format of `diff -u` and git; empty if there is none. None stands for no file."""
    if before == after:
        return ""
    old, new = split_keeping_ends(before or ""), split_keeping_ends(after or "")
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    out = [f"--- {names[0]}\n", f"+++ {names[1]}\n"]
    for group in _grouped(changed_blocks(old, new), context):
        out.append(_heading(group, len(old), context))
        out += [_marked(line) for line in _numbered(group, old, new, context)]
    return "".join(out)


def hunks(before: str | None, after: str | None, *, context: int = 3) -> list[list[NumberedLine]]:
    """The same line by line: each hunk with the lines around it."""
    old, new = split_keeping_ends(before or ""), split_keeping_ends(after or "")
    blocks = changed_blocks(old, new)
    numbers = {block: number for number, group in enumerate(_grouped(blocks, HUNK_CONTEXT)) for block in group}
    return [list(_numbered(group, old, new, context, numbers)) for group in _grouped(blocks, context)]


def hunk_count(before: str, after: str) -> int:
    return len(_grouped(changed_blocks(split_keeping_ends(before), split_keeping_ends(after)), HUNK_CONTEXT))


def with_hunks(before: str, after: str, chosen: Collection[int]) -> str:
    """`before` with only these hunks of the change to `after` applied."""
    old, new = split_keeping_ends(before), split_keeping_ends(after)
    pieces: list[str] = []
    done = 0
    for number, group in enumerate(_grouped(changed_blocks(old, new), HUNK_CONTEXT)):
        for block in group if number in chosen else ():
            pieces += [*old[done : block.a_start], *new[block.b_start : block.b_end]]
            done = block.a_end
    return "".join([*pieces, *old[done:]])


def line_counts(before: str | None, after: str | None) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    blocks = changed_blocks(split_keeping_ends(before or ""), split_keeping_ends(after or ""))
    return sum(block.b_end - block.b_start for block in blocks), sum(block.a_end - block.a_start for block in blocks)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines at the beginning are equal."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))


def _grouped(blocks: Sequence[DiffBlock], context: int) -> list[list[DiffBlock]]:
    groups: list[list[DiffBlock]] = []
    for block in blocks:
        if groups and block.a_start - groups[-1][-1].a_end <= 2 * context:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _heading(group: Sequence[DiffBlock], old_lines: int, context: int) -> str:
    first, last = group[0], group[-1]
    lead = min(context, first.a_start)
    trail = min(context, old_lines - last.a_end)
    old, new = (
        _span(first.a_start - lead, last.a_end + trail),
        _span(first.b_start - lead, last.b_end + trail),
    )
    return f"@@ -{old} +{new} @@\n"


def _span(start: int, end: int) -> str:
    """An empty span is given by the line before it."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _numbered(
    group: Sequence[DiffBlock],
    old: Sequence[str],
    new: Sequence[str],
    context: int,
    numbers: Mapping[DiffBlock, int] | None = None,
) -> Iterator[NumberedLine]:
    a = max(0, group[0].a_start - context)
    b = group[0].b_start - (group[0].a_start - a)
    end = min(len(old), group[-1].a_end + context)
    hunk_of = numbers or {}
    for block in (*group, DiffBlock(end, end, 0, 0)):
        for shift in range(block.a_start - a):
            yield NumberedLine(" ", a + shift + 1, b + shift + 1, old[a + shift])
        for index in range(block.a_start, block.a_end):
            yield NumberedLine("-", index + 1, None, old[index], hunk_of.get(block))
        for index in range(block.b_start, block.b_end):
            yield NumberedLine("+", None, index + 1, new[index], hunk_of.get(block))
        a, b = block.a_end, block.b_end


def _marked(line: NumberedLine) -> str:
    return f"{line.mark}{line.text}" if line.text[-1] in "\r\n" else f"{line.mark}{line.text}\n{NO_NEWLINE}\n"
