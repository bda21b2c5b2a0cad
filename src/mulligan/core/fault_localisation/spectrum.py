"""How suspicious lines and functions are, by which tests ran them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

from mulligan.core.fault_localisation.traces import TracedTest


@dataclass(frozen=True)
class Spectrum:
    """What ran in failing and in passing tests."""

    tests: tuple[TracedTest, ...]

    @cached_property
    def failing(self) -> tuple[TracedTest, ...]:
        return tuple(each for each in self.tests if not each.passed)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that failing tests ran, those run by more of them first."""
        ran = Counter(path for each in self.failing for path in each.lines)
        return tuple(path for path, _ in ran.most_common())

    @cached_property
    def lines(self) -> Mapping[str, Mapping[int, float]]:
        """Ochiai's measure of each line that a failing test ran: 1 for one that all failing tests ran, and no other."""
        return {path: self._line_scores(path) for path in self.paths}

    def _line_scores(self, path: str) -> dict[int, float]:
        failed, passed = Counter[int](), Counter[int]()
        for each in self.tests:
            (passed if each.passed else failed).update(each.lines.get(path, ()))
        return {line: _ochiai(failed[line], passed[line], len(self.failing)) for line in failed}

    def of(self, path: str, body: frozenset[int]) -> "Ran | None":
        """The measures of a function with these lines; None if no failing test ran it."""
        scores = [score for line, score in self.lines.get(path, {}).items() if line in body]
        if not scores:
            return None
        ran = Counter(each.passed for each in self.tests if not body.isdisjoint(each.lines.get(path, ())))
        ages = (age for each in self.failing for at, age in each.ages.get(path, {}).items() if at in body)
        as_whole = _ochiai(ran[False], ran[True], len(self.failing))
        return Ran(max(scores), as_whole, min(ages, default=None), len(scores))


@dataclass(frozen=True, slots=True)
class Ran:
    """How a function ran in the tests."""

    by_lines: float
    """The measure of its most suspicious line."""
    as_whole: float
    """The measure of the function itself."""
    age: int | None
    """How many calls a failing test made after its last call of this function; None if that is not known."""
    size: int = 1
    """How many of its lines failing tests ran."""


def _ochiai(failed: int, passed: int, all_failing: int) -> float:
    return failed / sqrt(all_failing * (failed + passed)) if failed else 0.0
