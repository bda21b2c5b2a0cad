"""What a failure says about the slip behind it."""

import pytest

from mulligan.core.program_repair.symptoms import symptoms


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("f() gave ' a b', expected 'a b'", {"space"}, id="space in front"),
        pytest.param("f() gave ('a b ', 1), expected ('a b', 1)", {"space"}, id="space behind, in a tuple"),
        pytest.param("f() gave 'ADA', expected 'ada'", {"case"}, id="case"),
        pytest.param("f() gave True, expected False", {"flipped"}, id="flipped"),
        pytest.param("f() gave 3, expected 4", {"by_one"}, id="one too few"),
        pytest.param("f() gave [1, 2], expected [1, 2, 3]", {"by_one"}, id="one element too few"),
        pytest.param("f() gave 6.0, expected 0.0", set[str](), id="something else"),
        pytest.param("f() raised SyntaxError: bad", set[str](), id="an error"),
        pytest.param("f() raised KeyError: 'naem'", {"missing"}, id="no such key"),
        pytest.param("f() raised ZeroDivisionError: division by zero", {"empty"}, id="nothing to divide by"),
        pytest.param("f() gave '12.5040', expected 52.5", {"text"}, id="text for a number"),
        pytest.param("f() gave Promise {}, expected 3", {"waiting"}, id="a promise"),
        pytest.param("f() gave [3, 1, 2], expected [1, 2, 3]", {"order"}, id="another order"),
        pytest.param("f() gave None, expected 3", {"nothing"}, id="no value"),
    ],
)
def test_a_failure_has_its_symptoms(line: str, expected: set[str]) -> None:
    assert symptoms([line]) == expected
