"""What a function says about itself is no place for a change, and stays the first thing in it."""

import ast

import pytest

from tests.core.program_repair.made_variants import files_made

RECURSIVE = '''\
def total(values, seen=[]):
    """The sum of values.

    Returns 0 for none of them, "seen" for values that were seen.
    """
    return values[0] + total(values[1:])
'''
ALONE = 'def total(values):\n    """The sum of values."""\n'
FAILURES = [
    "total([]) gave None, expected 0",
    'total([1]) gave "seen", expected "sum"',
    "total([]) raised IndexError: empty",
]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("text", [pytest.param(RECURSIVE, id="above its code"), pytest.param(ALONE, id="alone")])
def test_no_change_is_made_in_a_docstring_or_before_it(text: str, failure: str) -> None:
    made = [each for line in range(1, text.count("\n") + 1) for each in files_made("a.py", text, line, failure=failure)]
    assert made
    assert {docstring(each) for each in made} == {docstring(text)}


def docstring(text: str) -> str | None:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return ast.get_docstring(function, clean=False)
