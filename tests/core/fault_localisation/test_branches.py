"""A branch that was not taken points at its condition, and at what the condition asks."""

from mulligan.core.fault_localisation.ranking import SourceFile, Weighed
from mulligan.core.fault_localisation.suspects import wrong_branches
from mulligan.core.line_change import LineLocation
from mulligan.syntax.functions import functions_in

TICKETS = """\
def fee(day, hours):
    if is_free(day):
        return 0.0
    return hours * 2


def is_free(day):
    return day in WEEKEND and day in HOLIDAYS
"""


def weighed(path: str, text: str) -> list[Weighed]:
    lines = tuple(text.split("\n"))
    file = SourceFile(path, lines)
    return [Weighed(file, each, 1.0) for each in functions_in(path, lines)]


def test_the_wanted_value_of_a_branch_points_at_its_condition_and_what_that_calls() -> None:
    found = list(wrong_branches(["fee(1, 3) gave 6.0, expected 0"], weighed("tickets.py", TICKETS)))
    assert found == [LineLocation("tickets.py", 2), LineLocation("tickets.py", 8)]


def test_a_value_that_no_branch_returns_points_nowhere() -> None:
    assert list(wrong_branches(["fee(1, 3) gave 6.0, expected 5"], weighed("tickets.py", TICKETS))) == []


def test_the_condition_of_a_language_with_braces_is_found_too() -> None:
    text = "function fee(day) {\n  if (free(day)) {\n    return 0;\n  }\n  return 2;\n}\n"
    found = list(wrong_branches(["fee(1) gave 2, expected 0"], weighed("fee.js", text)))
    assert LineLocation("fee.js", 2) in found
