"""Other numbers that may have been meant: those that are told of, those of its neighbours, and their kin."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import LineContext
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import CodeLine

MOST_TOLD = 8
KIN: tuple[tuple[str, ...], ...] = (
    ("1000", "1024"), ("60", "3600", "24", "30"), ("10", "100", "1000"), ("60", "100"), ("12", "24"), ("7", "5"),
    ("28", "30", "31"), ("52", "53"), ("365", "366"), ("0.1", "0.01", "0.001"), ("16", "10", "2"), ("90", "180", "360"),
)  # fmt: skip
"""Numbers that are taken for each other: of units, of the calendar, of percent."""


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_PRECISE = 5e-4
"""How far a number may be off that is worked out from results which were rounded to be shown."""


def other_numbers(
    line: CodeLine, index: int, around: LineContext, vocabulary: ProjectWords
) -> Iterator[tuple[float, str]]:
    """The likeliest first, with their weights. By one more or less is another rule's."""
    number = line.at(index)
    sets = line.at(0) != "return" and "=" in {token.text for token in line.tokens} | {line.at(line.before(index))}
    weights: dict[str, float] = {}
    for other in around.told_numbers:
        weights.setdefault(other, 2.4)
    for kin in KIN:
        if number in kin:
            for other in kin:
                weights.setdefault(other, 3.4 if sets else 3.9)
    for other in vocabulary.numbers[:MOST_TOLD] if line.at(0) != "return" else ():
        weights.setdefault(other, 4.4 if sets else 5.3)
    for rank, other in enumerate(_turned(number)) if sets else ():
        weights.setdefault(other, 3.2 + 0.3 * rank)
    for weight, other in _reckoned(number, vocabulary.differences):
        told = weight if sets else weight + 0.6
        weights[other] = min(told, weights.get(other, told))
    weights.pop(number, None)
    yield from ((weight, other) for other, weight in weights.items())


def _turned(number: str) -> Iterator[str]:
    """A nought too many or too few, half of it, twice as much, the next round number; written as it was."""
    bare = number.replace("_", "")
    whole, _, rest = bare.partition(".")
    if not whole.isdecimal() or rest.strip("0") or int(whole) < 2:
        return
    value = int(whole)
    step = next(step for step in (100, 10, 5, 1) if value % step == 0)
    turned = [value * 10, *(value // by for by in (10, 2) if value % by == 0), value * 2]
    turned += [value + step, value - step] if step > 1 else []
    for other in turned:
        yield f"{other:_}" if "_" in number else f"{other}.{rest}" if rest else str(other)


def _reckoned(number: str, differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, str]]:
    """What it would have to be, if results grow with it, or by as much as it does, for them to be those wanted."""
    value = float(number.replace("_", "")) if _NUMBER.fullmatch(number.replace("_", "")) else 0.0
    for got, wanted in _pairs(differences) if value else ():
        if got and wanted / got > 0:
            yield from ((2.2, each) for each in _written(value * wanted / got, number))
        if got and wanted:
            yield from ((3.0, each) for each in _written(value * got / wanted, number))
        yield from ((3.4, each) for each in _written(value + wanted - got, number))
        yield from ((3.6, each) for each in _written(value - wanted + got, number))


def _pairs(differences: Sequence[tuple[str, str]]) -> Iterator[tuple[float, float]]:
    """Numbers that stand in the same place of what was got and what was wanted, and differ."""
    for got, wanted in differences:
        if _NUMBER.split(got) == _NUMBER.split(wanted):
            pairs = zip(_NUMBER.findall(got), _NUMBER.findall(wanted), strict=True)
            yield from ((float(one), float(other)) for one, other in pairs if float(one) != float(other))


def _written(value: float, like: str) -> Iterator[str]:
    """A number with as few places as do, where a person would write so few."""
    places = len(like.partition(".")[2])
    for more in range(places, max(places, 2) + 2):
        short = round(value, more)
        if short > 0 and abs(short - value) <= _PRECISE * abs(value):
            yield f"{short:.{more}f}"
            return
