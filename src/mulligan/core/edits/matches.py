"""Where a text stands in a file: what is told to callers, and what the merge needs to know."""

from dataclasses import dataclass
from typing import ClassVar, Literal

Rung = Literal["exact", "line ends", "white space", "blank lines", "characters", "elision", "similarity"]
"""How much had to be overlooked, from nothing to a little of everything."""


@dataclass(frozen=True, slots=True)
class ExactMatch:
    kind: ClassVar[Literal["exact"]] = "exact"
    start: int
    """Characters from the beginning of the content."""
    end: int


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    kind: ClassVar[Literal["fuzzy"]] = "fuzzy"
    start: int
    end: int
    rung: Rung


@dataclass(frozen=True, slots=True)
class Ambiguous:
    kind: ClassVar[Literal["ambiguous"]] = "ambiguous"
    count: int
    places: tuple[tuple[int, int], ...]
    """First and last line of each, from 1; the first few where they are many."""


@dataclass(frozen=True, slots=True)
class NotFound:
    kind: ClassVar[Literal["not_found"]] = "not_found"


Match = ExactMatch | FuzzyMatch | Ambiguous | NotFound

Lines = tuple[int, int]
"""Lines of the file from 0, the end excluded."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of the file that are the needle, or all but: white space and typography aside."""

    start: int
    end: int
    rung: Rung


@dataclass(frozen=True, slots=True)
class Aligned:
    """Whole lines of the file, line by line beside those of the needle."""

    partners: tuple[Lines | None, ...]
    """For each line of the needle its line in the file, the run of lines that it stands for, or None."""
    rung: Rung

    @property
    def lines(self) -> Lines:
        spans = [span for span in self.partners if span is not None]
        return spans[0][0], spans[-1][1]


@dataclass(frozen=True, slots=True)
class Several:
    """More than one place, none better than the others."""

    count: int
    places: tuple[Lines, ...]


Found = Piece | Aligned | Several | None
