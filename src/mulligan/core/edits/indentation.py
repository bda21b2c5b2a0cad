"""Converts the indentation of a model's lines to the file's."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

TAB = 4
"""Columns of a tab when indentations are compared."""

_UNITS = (2, 4, 8)
_WIDTHS = 40
"""Most depths to compare with each other."""
_OPENERS = (":", "{", "(", "[", "=>", "then", "do", "else")


class NoCertainIndent(Exception):
    """The line could be at two depths."""


@dataclass(frozen=True, slots=True)
class IndentPair:
    """A line's indentation in the old text and in the file."""

    line: int
    """Line number in the old text."""
    mine: str
    theirs: str
    opens: bool
    """Whether the next line is expected to be deeper."""


@dataclass(frozen=True, slots=True)
class Style:
    """How the file indents around the place."""

    tabs: bool
    unit: int
    """Columns of one level."""
    units: frozenset[int] = frozenset()
    """Steps between a line and a deeper one."""

    def text(self, columns: int) -> str:
        return tabbed(columns) if self.tabs else " " * columns


def style_of(indents: Sequence[str]) -> Style:
    """From the indents of consecutive lines. A single space aligns comments, and is not counted."""
    tabs = sum(indent.startswith("\t") for indent in indents)
    spaces = sum(indent.startswith("  ") for indent in indents)
    if tabs and tabs >= spaces:
        return Style(tabs=True, unit=TAB)
    steps = Counter(
        deeper - flat
        for flat, deeper in zip(map(len, indents), map(len, indents[1:]), strict=False)
        if deeper - flat in _UNITS
    )
    unit = steps.most_common(1)[0][0] if steps else TAB
    return Style(tabs=False, unit=unit, units=frozenset(steps))


def tabbed(columns: int) -> str:
    return "\t" * (columns // TAB) + " " * (columns % TAB)


def opens_block(line: str) -> bool:
    return line.rstrip().endswith(_OPENERS)


class IndentMap:
    """Maps the old text's indentation to the file's, learnt from the lines in both."""

    def __init__(self, pairs: Sequence[IndentPair], style: Style, new_indents: Iterable[str]) -> None:
        self._pairs = _without_odd_first(pairs)
        self._levels = _on_levels(self._pairs)
        self._style = style
        self._slope = _slope(self._levels, style, [columns(indent) for indent in new_indents])
        self._same = all(pair.mine == pair.theirs for pair in self._pairs)
        self._tabs_for_spaces = any("\t" in pair.theirs for pair in pairs) and not any(
            "\t" in pair.mine for pair in pairs
        )
        self._spaces_for_tab = _spaces_for_tab(self._pairs, style)
        self._known: dict[tuple[str, int], str] = {}

    def added(self, new: str, after: int, *, instead: bool) -> str:
        """The indent of a line added after this line of the old text, or replacing it."""
        found = self._known.get((new, after))
        if found is None:
            found = self._known[new, after] = self._added(new, after, instead=instead)
        return found

    def _added(self, new: str, after: int, *, instead: bool) -> str:
        if not self._pairs:
            return new
        there = [pair for pair in self._pairs if pair.mine == new]
        if not there:
            nearest = min(self._levels, key=lambda pair: _distance(pair, new, after))
            return self.stepped(nearest.mine, nearest.theirs, new)
        if len({pair.theirs for pair in there}) == 1:
            return there[0].theirs
        return self._between(there, after, instead=instead)

    def _between(self, there: Sequence[IndentPair], after: int, *, instead: bool) -> str:
        """The old text has one depth where the file has several: the neighbours must agree."""
        above = max((pair for pair in there if pair.line <= after), key=lambda pair: pair.line, default=None)
        below = min((pair for pair in there if pair.line > after), key=lambda pair: pair.line, default=None)
        if above is None or below is None:
            alone = above or below
            if alone is None or (alone is above and alone.opens):
                raise NoCertainIndent
            return alone.theirs
        deeper = above.opens and columns(below.theirs) > columns(above.theirs)
        if above.theirs == below.theirs or (deeper and not instead):
            return below.theirs
        raise NoCertainIndent

    def stepped(self, mine: str, theirs: str, new: str) -> str:
        """Deeper or less deep than `theirs` by as much as `new` is than `mine`."""
        if self._same:
            return new
        if new.startswith(mine):
            return theirs + self._deeper(new.removeprefix(mine), columns(theirs))
        if mine.startswith(new) and self._slope == 1 and theirs.endswith(mine.removeprefix(new)):
            return theirs[: len(theirs) - len(mine) + len(new)]
        found = columns(theirs) + self._scaled(columns(new) - columns(mine))
        if found < 0:
            raise NoCertainIndent
        return self._style.text(found)

    def _deeper(self, extra: str, start: int) -> str:
        """The added depth, in tabs or spaces as in the file."""
        if extra and not extra.strip("\t"):
            return " " * self._spaces_for_tab * len(extra) if self._spaces_for_tab else extra
        step = self._scaled(columns(extra))
        if not self._tabs_for_spaces:
            return " " * step
        return tabbed(start + step).removeprefix(tabbed(start))

    def _scaled(self, width: int) -> int:
        """Converts columns of the old text to columns of the file."""
        if not width:
            return 0
        if self._slope is None or not (found := width * self._slope).is_integer():
            raise NoCertainIndent
        return int(found)


def _distance(pair: IndentPair, new: str, after: int) -> tuple[int, int, bool]:
    """Lines that share most of their indentation come first, then the nearest."""
    shared = len(pair.mine) if new.startswith(pair.mine) else 0
    return -shared, abs(pair.line - after), pair.line > after


def columns(indent: str) -> int:
    return sum(TAB if sign == "\t" else 1 for sign in indent)


def _without_odd_first(pairs: Sequence[IndentPair]) -> list[IndentPair]:
    """A first line without its indentation says nothing about the others."""
    rest = list(pairs[1:])
    if rest and not pairs[0].mine and pairs[0].theirs and all(pair.mine == pair.theirs for pair in rest):
        return rest
    return list(pairs)


def _on_levels(pairs: Sequence[IndentPair]) -> list[IndentPair]:
    """Without lines one column deeper than others: that aligns comments, and is not a level."""
    levels = _levels(columns(pair.mine) for pair in pairs)
    return [pair for pair in pairs if columns(pair.mine) in levels]


def _levels(widths: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for width in sorted(widths):
        found |= {width} - {level + 1 for level in found}
    return found


def _spaces_for_tab(pairs: Sequence[IndentPair], style: Style) -> int:
    """How many spaces the file has for a tab of the old text; 0 if the file has tabs too."""
    drifted = [pair for pair in pairs if "\t" in pair.mine and "\t" not in pair.theirs and len(pair.theirs) > 1]
    widths = {len(pair.theirs) / len(pair.mine) for pair in drifted if not pair.mine.strip("\t")}
    if len(widths) == 1 and (width := widths.pop()).is_integer():
        return int(width)
    return style.unit if drifted else 0


def _slope(pairs: Sequence[IndentPair], style: Style, new: Sequence[int]) -> float | None:
    """Columns of the file per column of the old text. None if the depths could be scaled as well as shifted."""
    seen = dict(sorted({columns(pair.mine): columns(pair.theirs) for pair in pairs}.items())[:_WIDTHS])
    widths = sorted(seen)
    slopes = Counter(
        (seen[wide] - seen[narrow]) / (wide - narrow)
        for narrow, wide in combinations(widths, 2)
        if wide - narrow > 1 and seen[wide] > seen[narrow]
    )
    if slopes:
        return slopes.most_common(1)[0][0]
    levels = sorted(_levels({*widths, *new}))
    unit = min((wide - narrow for narrow, wide in pairwise(levels)), default=style.unit)
    if all(theirs != mine != 0 != theirs for mine, theirs in seen.items()) and (
        unit > max(_UNITS) or {unit, *(unit * theirs / mine for mine, theirs in seen.items())} <= style.units
    ):
        return None
    if unit not in _UNITS:
        return 1.0
    ratio = style.unit / unit
    scaled = all(theirs == mine * ratio for mine, theirs in seen.items())
    drifted = any(theirs != mine for mine, theirs in seen.items())
    return ratio if scaled or (drifted and unit % style.unit) else 1.0
