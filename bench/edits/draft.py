"""An edit on its way from what is meant to what a sloppy model sends."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from bench.edits.sources import Source


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the span before and after the edit; None where there is no such line."""

    old: str | None
    new: str | None

    @property
    def kept(self) -> bool:
        """The edit leaves the line alone: it is there as context."""
        return self.old == self.new


@dataclass(frozen=True, slots=True)
class Draft:
    """The file, the true span in it, and the edit as it is written so far.

    The file and what is expected of it follow from `truth`; what the model sends follows from `rows`.
    """

    source: Source
    before: tuple[str, ...]
    after: tuple[str, ...]
    truth: tuple[Row, ...]
    rows: tuple[Row, ...]
    file_ending: str = "\n"
    final_newline: bool = True
    edit_ending: str = "\n"
    old_ended: bool = False
    """The old text ends with a line ending."""
    new_ended: bool = False

    @property
    def old(self) -> str:
        lines = olds(self.rows)
        return self.edit_ending.join(lines) + (self.edit_ending if self.old_ended and lines else "")

    @property
    def new(self) -> str:
        lines = news(self.rows)
        return self.edit_ending.join(lines) + (self.edit_ending if self.new_ended and lines else "")

    @property
    def content(self) -> str:
        return self._file(olds(self.truth))

    @property
    def expected(self) -> str:
        return self._file(news(self.truth))

    @property
    def above(self) -> str:
        """The file up to the span."""
        return "".join(line + self.file_ending for line in self.before)

    @property
    def below(self) -> str:
        """The file from the line after the span on."""
        return self._ended(self.after) if self.after else ""

    def with_rows(self, rows: Iterable[Row]) -> "Draft":
        return replace(self, rows=tuple(rows))

    def with_lines(self, change: Callable[[str], str]) -> "Draft":
        """Every line of the old and the new text changed; a line that both have is changed once."""
        return self.with_rows(_changed(row, change) for row in self.rows)

    def _file(self, span: Sequence[str]) -> str:
        return self._ended((*self.before, *span, *self.after))

    def _ended(self, lines: Sequence[str]) -> str:
        return self.file_ending.join(lines) + (self.file_ending if self.final_newline else "")


Drift = Callable[[Draft, Random], Draft | None]
"""One way of being sloppy. None if this edit offers no place for it."""


def olds(rows: Iterable[Row]) -> list[str]:
    return [row.old for row in rows if row.old is not None]


def news(rows: Iterable[Row]) -> list[str]:
    return [row.new for row in rows if row.new is not None]


def context(rows: Sequence[Row]) -> list[int]:
    """Where rows stand that the edit leaves alone and that are not blank."""
    return [place for place, row in enumerate(rows) if row.kept and row.old and row.old.strip()]


def gaps(rows: Sequence[Row]) -> list[int]:
    """Rows inside the span that could vanish unmistakably: they and both their neighbours are context."""
    return [
        place for place in range(1, len(rows) - 1) if rows[place - 1].kept and rows[place].kept and rows[place + 1].kept
    ]


def in_order(*drifts: Drift) -> Drift:
    """Several at once, one after the other."""

    def drifted(draft: Draft, rng: Random) -> Draft | None:
        for drift in drifts:
            following = drift(draft, rng)
            if following is None or following == draft:
                return None
            draft = following
        return draft

    return drifted


def squeezed(lines: Iterable[str]) -> str:
    """The lines without any white space and without the blank ones: what is the same so is the same to anybody."""
    tight = ("".join(line.split()) for line in lines)
    return "\n".join(["", *(line for line in tight if line), ""])


def places_of(lines: Sequence[str], draft: Draft) -> int:
    """How often the lines stand in the file, white space aside."""
    needle = squeezed(lines)
    if len(needle) < 3:
        return 0
    text, count, start = squeezed([*draft.before, *olds(draft.truth), *draft.after]), 0, 0
    while (start := text.find(needle, start)) >= 0:
        count, start = count + 1, start + 1
    return count


def _changed(row: Row, change: Callable[[str], str]) -> Row:
    if row.kept:
        line = change(row.old or "")
        return Row(line, line)
    return Row(*(None if line is None else change(line) for line in (row.old, row.new)))
