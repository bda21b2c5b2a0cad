"""Code that was written again and says the same is told without a test run."""

import pytest

from mulligan.core.writing.repeats import says_the_same

BEFORE = """\
def total(items):
    # adds up
    result = 0
    for item in items:
        result += min(item, 9)
    return result
"""


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(BEFORE.replace("# adds up", "# counts"), id="another comment"),
        pytest.param(BEFORE.replace("# adds up", '"""Adds up."""'), id="a docstring"),
        pytest.param(BEFORE.replace("    ", "  "), id="other indentation"),
        pytest.param(BEFORE.replace("result", "sum_so_far"), id="another name for a variable"),
        pytest.param(BEFORE.replace("item in", "each in").replace("(item,", "(each,"), id="another name in a loop"),
        pytest.param(BEFORE.replace("min(item, 9)", "min( item,9 )"), id="other spaces"),
    ],
)
def test_the_same_in_other_clothes_is_the_same(after: str) -> None:
    assert says_the_same("total.py", BEFORE, after)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(BEFORE.replace("min", "max"), id="another function"),
        pytest.param(BEFORE.replace("    return", "        return"), id="a return in the loop"),
        pytest.param(BEFORE.replace("9", "8"), id="another number"),
        pytest.param(BEFORE.replace("return result", "return items"), id="another variable of the same function"),
        pytest.param(BEFORE.replace("min(item, 9)", "(item,)"), id="a tuple"),
        pytest.param(BEFORE.replace("+= min(item, 9)", "= result"), id="something left out"),
    ],
)
def test_what_does_something_else_is_not_the_same(after: str) -> None:
    assert not says_the_same("total.py", BEFORE, after)
    assert not says_the_same("total.py", after, BEFORE)
