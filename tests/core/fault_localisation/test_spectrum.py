"""How suspicious lines and functions are, by which tests ran them."""

from math import sqrt

import pytest

from mulligan.core.fault_localisation.spectrum import Ran, Spectrum
from mulligan.core.fault_localisation.traces import TracedTest


def traced(name: str, *lines: int, passed: bool = True, ages: dict[int, int] | None = None) -> TracedTest:
    return TracedTest(name, passed, {"a.py": frozenset(lines)}, {"a.py": ages or {}})


@pytest.mark.parametrize(
    ("tests", "scores"),
    [
        pytest.param([traced("f", 1, 2, passed=False)], {1: 1.0, 2: 1.0}, id="nothing passes: all that ran"),
        pytest.param(
            [traced("f", 1, 2, passed=False), traced("p", 1)], {1: 0.5**0.5, 2: 1.0}, id="a passing test clears a line"
        ),
        pytest.param(
            [traced("f", 1, passed=False), traced("g", 1, 2, passed=False)],
            {1: 1.0, 2: 0.5**0.5},
            id="what all failing tests ran is worse",
        ),
        pytest.param([traced("p", 1)], {}, id="nothing fails"),
    ],
)
def test_a_line_is_suspicious_if_failing_tests_ran_it_and_passing_ones_did_not(
    tests: list[TracedTest], scores: dict[int, float]
) -> None:
    assert dict(Spectrum(tuple(tests)).lines.get("a.py", {})) == pytest.approx(scores)


def test_a_function_has_the_measure_of_its_worst_line_and_its_own() -> None:
    spectrum = Spectrum((traced("f", 1, 2, passed=False, ages={1: 3}), traced("p", 1)))
    assert spectrum.of("a.py", frozenset({1, 2})) == Ran(1.0, 1 / sqrt(2), 3, 2)


def test_a_function_that_only_passing_tests_ran_is_not_suspected() -> None:
    assert Spectrum((traced("f", 1, passed=False), traced("p", 5))).of("a.py", frozenset({5, 6})) is None


def test_files_that_more_failing_tests_ran_come_first() -> None:
    both = TracedTest("g", passed=False, lines={"b.py": frozenset({1}), "a.py": frozenset({1})})
    assert Spectrum((TracedTest("f", passed=False, lines={"b.py": frozenset({2})}), both)).paths == ("b.py", "a.py")
