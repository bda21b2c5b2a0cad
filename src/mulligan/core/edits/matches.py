"""Where a text is in a file: the results for callers, and what the merge needs."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from mulligan.core.edits.lines import LinedText

MatchLevel = Literal["exact", "line ends", "white space", "blank lines", "characters", "elision", "similarity"]
"""How much had to be ignored, from nothing to a little of everything."""


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
    match_level: MatchLevel


@dataclass(frozen=True, slots=True)
class Ambiguous:
    kind: ClassVar[Literal["ambiguous"]] = "ambiguous"
    count: int
    places: tuple[tuple[int, int], ...]
    """First and last line of each, from 1; only the first few of many."""


@dataclass(frozen=True, slots=True)
class NotFound:
    kind: ClassVar[Literal["not_found"]] = "not_found"


Match = ExactMatch | FuzzyMatch | Ambiguous | NotFound

PLACES_SHOWN = 5

Lines = tuple[int, int]
"""Lines of the file from 0, the end excluded."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Characters of the file that equal the needle, except for white space and typography."""

    start: int
    end: int
    match_level: MatchLevel
    overlooked: "Overlooked | None" = None


@dataclass(frozen=True, slots=True)
class Overlooked:
    """How the needle differs from the place that was chosen."""

    similarity: float
    score: float
    """The evidence for the place in spite of that, in bits; see `evidence`."""
    typos: tuple[tuple[str, str], ...]
    """Words of the needle and the file's words."""
    invented: tuple[str, ...]
    """Lines of the needle that the file lacks."""

    @property
    def names(self) -> dict[str, str]:
        """Words that the edit misspells everywhere."""
        return {mine: theirs for mine, theirs in self.typos if len(mine) > 2 and (mine + theirs).isidentifier()}


@dataclass(frozen=True, slots=True)
class Aligned:
    """Whole lines of the file, aligned with those of the needle."""

    partners: tuple[Lines | None, ...]
    """For each line of the needle its line in the file, the run of lines it stands for, or None."""
    match_level: MatchLevel
    overlooked: Overlooked | None = None
    runs: frozenset[int] = frozenset()
    """Lines of the needle that stand for several lines of the file, or none."""

    @property
    def lines(self) -> Lines:
        spans = [span for span in self.partners if span is not None]
        return spans[0][0], spans[-1][1]


@dataclass(frozen=True, slots=True)
class Several:
    """More than one place, none better than the others."""

    count: int
    places: tuple[Lines, ...]


Found = TextSpan | Aligned | Several | None


def lines_of(text: LinedText, found: TextSpan | Aligned) -> Lines:
    """The lines of the file that are affected."""
    if isinstance(found, Aligned):
        return found.lines
    return text.line_at(found.start), text.line_at(max(found.start, found.end - 1)) + 1
