"""Which of several passing changes is kept, and how long others are looked for."""

import pytest

from mulligan.core.guided_coder.comparing import brings_value, changes_to_compare, preferred
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Candidate, slips

FEE = """\
LIMIT = 13


def fee(days, rate):
    name = "late"
    return days * rate + 3
"""
ADDS = "return days * rate + 3"


def changing(old: str, new: str) -> Candidate:
    """A change of the file, as if an operator had made it."""
    brief = Brief("fix it", (), (), ("fee(4, 2) gave 11, expected 13",), (), (LineLocation("fees.py", 6),))
    some_slip = slips(brief, {"fees.py": tuple(FEE.split("\n"))})[0]
    return Candidate("fees.py", tuple(FEE.replace(old, new).split("\n")), f"{old} → {new}", slip=some_slip)


VALUE = changing(ADDS, "return days * rate + 5")
ORDER = changing(ADDS, "return (days + 1) * rate + 3")
WRITTEN = Candidate("fees.py", ("def fee(days, rate):", "    return 77"), "written by a model")


@pytest.mark.parametrize(
    ("new", "brings"),
    [
        pytest.param("return days * rate + 5", True, id="a number"),
        pytest.param("return days * rate + 3.5", True, id="a fraction"),
        pytest.param('return "dear"', True, id="a text"),
        pytest.param("return (days + 1) * rate + 3", False, id="one more"),
        pytest.param("return max(0, days * rate + 3)", False, id="never negative"),
        pytest.param("return days * rate + 13", False, id="a number from another line"),
        pytest.param('return "late"', False, id="a text from another line"),
        pytest.param("return days * rate", False, id="without"),
        pytest.param("return rate2 * days + 3", False, id="a digit in a name"),
    ],
)
def test_a_value_is_brought_if_the_file_did_not_have_it(new: str, brings: bool) -> None:
    assert brings_value(changing(ADDS, new)) is brings


def test_the_likeliest_that_brings_no_value_is_preferred() -> None:
    assert preferred([VALUE, ORDER]) is ORDER
    assert preferred([ORDER, VALUE]) is ORDER
    assert preferred([VALUE]) is VALUE


@pytest.mark.parametrize(
    ("found", "tested", "seconds", "more"),
    [
        pytest.param(ORDER, 10, 0.05, 0, id="among the first"),
        pytest.param(VALUE, 10, 0.05, 30, id="among the first, but a value"),
        pytest.param(ORDER, 11, 0.05, 30, id="some more at least"),
        pytest.param(ORDER, 90, 0.05, 90, id="as many as it took"),
        pytest.param(ORDER, 900, 0.05, 150, id="not without end"),
        pytest.param(ORDER, 900, 0.5, 20, id="not for minutes"),
        pytest.param(ORDER, 900, 30.0, 0, id="slow tests"),
        pytest.param(ORDER, 50, 0.0, 50, id="no time known"),
        pytest.param(WRITTEN, 900, 0.05, 0, id="written by a model"),
    ],
)
def test_how_long_others_are_looked_for(found: Candidate, tested: int, seconds: float, more: int) -> None:
    assert changes_to_compare(found, tested, seconds) == more


def test_no_others_are_looked_for_where_running_everything_takes_long() -> None:
    assert changes_to_compare(ORDER, 90, 0.05, full_seconds=9.9) == 90
    assert changes_to_compare(ORDER, 90, 0.05, full_seconds=10.0) == 0
