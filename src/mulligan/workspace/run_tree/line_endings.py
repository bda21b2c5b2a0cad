"""New lines for a file that keeps its own line endings, mixed ones included."""

from collections import Counter
from collections.abc import Sequence

from mulligan.core.line_diff import changed_blocks, split_keeping_ends


def with_endings_of(text: str, lines: Sequence[str]) -> str:
    """The lines as a text. One that stays has the ending it had, one that stands in the place of another has that of
    the other, a new one has what most have. The text ends as it did: with a line ending or without."""
    old = split_keeping_ends(text)
    bare = [line.rstrip("\r\n") for line in old]
    had = [line[len(shown) :] for line, shown in zip(old, bare, strict=True)]
    usual = Counter(filter(None, had)).most_common(1)
    ending = usual[0][0] if usual else "\n"
    endings = _carried_over(bare, had, lines)
    inner = [f"{line}{kept or ending}" for line, kept in zip(lines[:-1], endings[:-1], strict=True)]
    return "".join([*inner, *lines[-1:], had[-1] if had else ""])


def _carried_over(old: Sequence[str], had: Sequence[str], lines: Sequence[str]) -> list[str]:
    """For each line the ending of the one that it is, or that it replaces; empty where there is none."""
    endings: list[str] = []
    place = 0
    for block in changed_blocks(old, lines):
        endings += had[place : block.a_start]
        replaced, count = had[block.a_start : block.a_end], block.b_end - block.b_start
        endings += [*replaced[:count], *[""] * (count - len(replaced))]
        place = block.a_end
    return [*endings, *had[place:]]
