"""Applies the difference between old and new to the file's own lines.

Lines in both old and new stay as they are in the file, with its comments, blank lines, quotes and endings. Changed
lines are changed in the file's version; added lines get the file's indentation and typography.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from mulligan.core.edits.differences import differences
from mulligan.core.edits.elision import is_elision, replaced_elisions
from mulligan.core.edits.indentation import IndentMap, IndentPair, NoCertainIndent, opens_block, style_of
from mulligan.core.edits.lines import LinedText, ending_of, indent_of, key, squeezed
from mulligan.core.edits.matches import Aligned
from mulligan.core.edits.tokens import Spacing, merge_line
from mulligan.core.edits.typography import typography_of
from mulligan.core.edits.versions import AddedLine, ChangedLine, DroppedLine, KeptLine, Step, steps_between

_LINES_AROUND = 150
_WORD = re.compile(r"\w+")


class CannotMerge(Exception):
    """The new text can't be merged without guessing; says why."""


def merged_lines(text: LinedText, old: LinedText, found: Aligned, new: LinedText) -> list[str]:
    """The found lines after the edit."""
    merge = _Merge(text, old, found, new)
    steps = steps_between(_bodies(old), _bodies(new))
    try:
        return merge.carry_over(steps)
    except NoCertainIndent:
        raise CannotMerge("the indentation of an added line could be read in two ways") from None


def dominant_ending(*runs: Sequence[str]) -> str:
    """The commonest ending of the first run that has any."""
    for lines in runs:
        counted = Counter(ending for line in lines if (ending := ending_of(line)))
        if counted:
            return counted.most_common(1)[0][0]
    return "\n"


class _Merge:
    def __init__(self, text: LinedText, old: LinedText, found: Aligned, new: LinedText) -> None:
        self._text, self._old, self._new = text, old, new
        self._partners = found.partners
        self._runs = found.runs
        self._replaced = replaced_elisions(old, new) if found.match_level == "elision" else frozenset[int]()
        self._first, self._end = found.lines
        around = range(max(0, self._first - _LINES_AROUND), min(len(text.lines), self._end + _LINES_AROUND))
        self._ending = dominant_ending(text.lines[self._first : self._end], text.lines[around.start : around.stop])
        self._typography = typography_of(old.text, "".join(text.lines[self._first : self._end]))
        self._spacing = Spacing()
        self._typos = found.overlooked.names if found.overlooked else dict[str, str]()
        self._trailing_differs = False
        style = style_of([indent_of(text.body(line)) for line in around if text.keys[line]])
        self._indents = IndentMap(self._learn(), style, [indent_of(self._plain(new.body(line))) for line in new.solid])
        self._out: list[str] = []
        self._cursor = self._first
        self._after = -1
        self._dropping = False
        self._replaces: dict[int, int] = {}

    def _learn(self) -> list[IndentPair]:
        """How lines in both texts are written in each."""
        pairs: list[IndentPair] = []
        for line, span in enumerate(self._partners):
            if span is None or line in self._runs or not self._old.keys[line]:
                continue
            mine, theirs = self._plain(self._old.body(line)), self._text.body(span[0])
            pairs.append(IndentPair(line, indent_of(mine), indent_of(theirs), opens_block(theirs)))
            self._trailing_differs |= mine[len(mine.rstrip()) :] != theirs[len(theirs.rstrip()) :]
            if mine.strip() != theirs.strip():
                self._spacing.learn(mine, theirs)
        return pairs

    def carry_over(self, steps: Sequence[Step]) -> list[str]:
        self._replaces = _replacements(steps)
        for step, below in zip(steps, self._lines_below(steps), strict=True):
            if isinstance(step, KeptLine):
                self._keep(step)
            elif isinstance(step, ChangedLine):
                self._change(step)
            elif isinstance(step, DroppedLine):
                self._drop(step)
            else:
                self._add(step, below)
            self._after = self._after if isinstance(step, AddedLine) else step.old
            self._dropping = isinstance(step, DroppedLine) or (self._dropping and isinstance(step, AddedLine))
        self._copy_to(self._end)
        return _ended(self._out, self._ending, last=ending_of(self._text.lines[self._end - 1]))

    def _plain(self, body: str) -> str:
        return self._typography.follow(body)

    def _copy_to(self, line: int) -> None:
        self._out += self._text.lines[self._cursor : line]
        self._cursor = max(self._cursor, line)

    def _keep(self, step: KeptLine) -> None:
        span = self._partners[step.old]
        if span is not None:
            self._copy_to(span[1])

    def _change(self, step: ChangedLine) -> None:
        span = self._partners[step.old]
        if span is not None and step.old in self._runs and is_elision(self._new.lines[step.new]):
            self._copy_to(span[1])
            return
        if span is not None and step.old in self._replaced:
            self._drop(DroppedLine(step.old))
            self._add(AddedLine(step.new), span[1])
            return
        if span is None or step.old in self._runs:
            raise CannotMerge(f"line {step.old + 1} of the old text is changed, but the file has no such line")
        self._copy_to(span[0])
        self._out.append(self._changed_line(step, self._text.body(span[0])))
        self._cursor = span[1]

    def _changed_line(self, step: ChangedLine, theirs: str) -> str:
        mine, wanted = self._plain(self._old.body(step.old)), self._plain(self._new.body(step.new))
        if not key(wanted):
            return self._ending
        indent = self._indents.stepped(indent_of(mine), indent_of(theirs), indent_of(wanted))
        body, trail = theirs.strip(), theirs[len(theirs.rstrip()) :]
        if mine.strip() == body or squeezed(mine) != squeezed(wanted):
            exact = mine.strip() == body
            merged = None if exact else merge_line(mine, wanted, theirs, self._spacing)
            if merged is None and not exact and differences(mine, theirs):
                raise CannotMerge(f"line {step.old + 1} of the old text is changed where it is not as in the file")
            body = wanted.strip() if merged is None else merged
        if mine.rstrip() != mine and wanted.rstrip() == wanted and mine.endswith(trail):
            trail = ""
        return indent + body + trail + self._ending

    def _drop(self, step: DroppedLine) -> None:
        span = self._partners[step.old]
        if span is None:
            return
        if step.old in self._runs - self._replaced:
            raise CannotMerge(f"line {step.old + 1} of the old text is removed, but the file has no such line")
        if any(self._is_taken_for(step.old, neighbour) for neighbour in (step.old - 1, step.old + 1)):
            raise CannotMerge("the removed line occurs twice in the old text, and the file has two different ones")
        if self._dropping:
            self._pass_over(span[0])
        self._copy_to(span[0])
        self._cursor = span[1]

    def _is_taken_for(self, line: int, neighbour: int) -> bool:
        """Whether two lines are equal in the old text, but not in the file."""
        if not 0 <= neighbour < len(self._partners) or self._old.keys[line] != self._old.keys[neighbour]:
            return False
        here, there = self._partners[line], self._partners[neighbour]
        return here is not None and there is not None and self._text.keys[here[0]] != self._text.keys[there[0]]

    def _pass_over(self, line: int) -> None:
        """Drop blank lines between two dropped lines. Any other line there is missing from the old text: refuse."""
        if any(self._text.keys[number] for number in range(self._cursor, line)):
            raise CannotMerge("the file has a line between those that are removed which the old text does not show")
        self._cursor = max(self._cursor, line)

    def _add(self, step: AddedLine, below: int) -> None:
        if {self._after, self._after + 1} <= self._runs and self._partners[self._after + 1] is None:
            raise CannotMerge("lines are added between lines that the file wraps differently")
        if any(self._text.keys[line] for line in range(self._cursor, below)):
            raise CannotMerge("lines are added next to a line of the file that the old text does not show")
        line = self._added_line(step)
        if key(line) and self._belongs_below(indent_of(line), below):
            self._copy_to(below)
        self._out.append(line)

    def _belongs_below(self, indent: str, below: int) -> bool:
        """Whether a line added at blank lines that the old text lacks goes below them, where its indentation is."""
        if not self._first < self._cursor < below < self._end:
            return False
        upper, lower = (indent_of(self._text.body(line)) for line in (self._cursor - 1, below))
        return indent == lower != upper

    def _lines_below(self, steps: Sequence[Step]) -> list[int]:
        """For each step, where the next line of the old text is in the file."""
        below = [self._end]
        for step in reversed(steps[1:]):
            span = None if isinstance(step, AddedLine) else self._partners[step.old]
            below.append(below[-1] if span is None else span[0])
        return below[::-1] if steps else []

    def _indent_of_replaced(self, step: AddedLine, wanted: str) -> str | None:
        """The file's indentation, for a line indented like the one it replaces."""
        replaced = self._replaces.get(step.new)
        span = None if replaced is None or replaced in self._runs else self._partners[replaced]
        if replaced is None or span is None or indent_of(self._plain(self._old.body(replaced))) != wanted:
            return None
        return indent_of(self._text.body(span[0])) if self._old.keys[replaced] else None

    def _added_line(self, step: AddedLine) -> str:
        wanted = _WORD.sub(lambda word: self._typos.get(word[0], word[0]), self._plain(self._new.body(step.new)))
        if not key(wanted):
            return self._ending
        indent = self._indent_of_replaced(step, indent_of(wanted))
        if indent is None:
            indent = self._indents.added(indent_of(wanted), self._after, instead=self._dropping)
        body = self._spacing.respace(wanted[len(indent_of(wanted)) :])
        return indent + (body.rstrip() if self._trailing_differs else body) + self._ending


def _replacements(steps: Sequence[Step]) -> dict[int, int]:
    """Maps added lines to the dropped ones they replace, if there are as many."""
    found: dict[int, int] = {}
    for _, run in groupby(steps, key=lambda step: isinstance(step, DroppedLine | AddedLine)):
        each = list(run)
        gone = [step.old for step in each if isinstance(step, DroppedLine)]
        added = [step.new for step in each if isinstance(step, AddedLine)]
        if len(gone) == len(added):
            found |= zip(added, gone, strict=True)
    return found


def _bodies(text: LinedText) -> list[str]:
    return [text.body(line) for line in range(len(text.lines))]


def _ended(lines: Sequence[str], ending: str, *, last: str) -> list[str]:
    """Every line ends like the file's lines, the last like the one it replaces."""
    if not lines:
        return []
    out = [line if ending_of(line) else line + ending for line in lines]
    if not last:
        out[-1] = out[-1].rstrip("\r\n")
    return out
