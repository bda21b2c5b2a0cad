"""Aligns the lines of two texts, in order, with gaps."""

from collections.abc import Callable, Sequence

from mulligan.core.edits.differences import is_comment
from mulligan.core.edits.lines import key, likeness

_BAND = 12
"""How far from the diagonal to compare lines of a long text."""
ALIKE_FROM = 0.6
"""Lines with a lower likeness are not versions of each other."""
_NEVER = float("-inf")


def align(mine: Sequence[str], theirs: Sequence[str], *, end: int = 0) -> list[int | None]:
    """For each line of `mine` its partner. Lines before the first and after the last partner cost nothing.

    Among equally good alignments, the one that ends nearest to `end` wins.
    """
    my_keys, their_keys = [key(line) for line in mine], [key(line) for line in theirs]

    def worth(i: int, j: int) -> float:
        if my_keys[i] == their_keys[j]:
            return 1.0
        if _begins_alike(my_keys[i], their_keys[j]):
            return 0.3
        alike = likeness(my_keys[i], their_keys[j])
        return alike - 0.35 if alike >= ALIKE_FROM else _NEVER

    mine_alone = [-0.4 if is_comment(line) else -0.8 for line in mine]
    theirs_alone = [-0.2 if is_comment(line) else -0.7 for line in theirs]
    return _best_path(worth, mine_alone, theirs_alone, end)


def _begins_alike(mine: str, theirs: str) -> bool:
    """A comment at its end makes a line longer, but not a different line."""
    return len(mine) >= 3 and theirs.startswith(mine)


def _best_path(
    worth: Callable[[int, int], float], mine_alone: Sequence[float], theirs_alone: Sequence[float], end: int
) -> list[int | None]:
    rows, columns = len(mine_alone), len(theirs_alone)
    score = [[0.0] * (columns + 1)]
    steps: list[list[str]] = [["."] * (columns + 1)]
    for i in range(rows):
        above = score[i]
        line = [above[0] + mine_alone[i]] + [_NEVER] * columns
        step = ["m"] * (columns + 1)
        lowest, highest = (0, columns) if rows <= 60 else (max(0, i - _BAND), min(columns, i + 2 * _BAND))
        for j in range(lowest, highest):
            both = above[j] + worth(i, j) if above[j] > _NEVER else _NEVER
            mine_only = above[j + 1] + mine_alone[i]
            theirs_only = line[j] + theirs_alone[j]
            best = max(both, mine_only, theirs_only)
            line[j + 1] = best
            step[j + 1] = "b" if best == both else "m" if best == mine_only else "t"
        score.append(line)
        steps.append(step)
    column = max(range(columns + 1), key=lambda j: (round(score[rows][j], 6), -abs(j - end)))
    return _walk_back(steps, rows, column)


def _walk_back(steps: Sequence[Sequence[str]], row: int, column: int) -> list[int | None]:
    partners: list[int | None] = []
    while row:
        step = steps[row][column]
        if step == "t":
            column -= 1
            continue
        row -= 1
        if step == "b":
            column -= 1
            partners.append(column)
        else:
            partners.append(None)
    return partners[::-1]
