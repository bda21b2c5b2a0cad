"""One line a failure, from what Python's runners really print; and how several are told together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.failures.summaries.lines import MAX_LINE_CHARS, failure_lines
from tests.core.failures.failures_seen import seen

PYTEST_DIFF = """\
>       assert page_items([1, 2, 3, 4, 5], 1, 2) == [1, 2]
E       assert [3, 4] == [1, 2]
E
E         At index 0 diff: 3 != 1
E         Use -v to get more diff

tests/test_cart.py:12: AssertionError
"""
PYTEST_APPROX = """\
        result = total([tea], "de")
>       assert result == pytest.approx(9.52)
E       assert 8.152 == 9.52 ± 9.5e-06
E
E         comparison failed
E         Obtained: 8.152
E         Expected: 9.52 ± 9.5e-06
"""
PYTEST_WHERE = """\
>       assert not page_items([1, 2, 3], 0, 2)
E       assert not [1, 2]
E        +  where [1, 2] = page_items([1, 2, 3], 0, 2)
"""
PYTEST_ERROR = """\
>           if item["naem"] == name:
               ^^^^^^^^^^^^
E           KeyError: 'naem'

src/shop/cart.py:19: KeyError
"""
PYTEST_CHANGED = "E       AssertionError: assert [] == [{'name': 'te..., 'count': 2}]"
UNITTEST_ERROR = """\
Traceback (most recent call last):
  File "/project/test_tax.py", line 25, in test_missing
    self.assertIsNone(rate_for("xx"))
                      ^^^^^^^^^^^^^^
  File "/project/tax.py", line 7, in rate_for
    raise LookupError(country)
LookupError: xx
"""
UNITTEST_LISTS = """\
AssertionError: Lists differ: [0.02, 2] != [1, 2]

First differing element 0:
0.02
1

- [0.02, 2]
+ [1, 2]
"""


@pytest.mark.parametrize(
    ("detail", "statement", "expected"),
    [
        pytest.param(
            PYTEST_DIFF,
            "assert page_items([1, 2, 3, 4, 5], 1, 2) == [1, 2]",
            "page_items([1, 2, 3, 4, 5], 1, 2) gave [3, 4], expected [1, 2]",
            id="pytest compares",
        ),
        pytest.param(
            PYTEST_WHERE,
            "assert not page_items([1, 2, 3], 0, 2)",
            "page_items([1, 2, 3], 0, 2) gave [1, 2], expected a false value",
            id="pytest, what should be false",
        ),
        pytest.param(
            PYTEST_WHERE,
            "",
            "page_items([1, 2, 3], 0, 2) gave [1, 2], expected a false value",
            id="pytest, without the source",
        ),
        pytest.param(
            "E    assert 4 == 3", "assert 4 == add(1, 2)", "add(1, 2) gave 3, expected 4", id="pytest, turned round"
        ),
        pytest.param(
            "E    assert 'b' in ['a']",
            "assert 'b' in names()",
            "names() gave ['a'], expected 'b' in it",
            id="pytest, in",
        ),
        pytest.param("E    assert 5 < 3", "assert size() < 3", "size() gave 5, expected < 3", id="pytest, less than"),
        pytest.param(
            "E    assert None is not None",
            "assert find('x') is not None",
            "find('x') gave None, expected not None",
            id="pytest, not None",
        ),
        pytest.param(
            "E       Failed: DID NOT RAISE KeyError",
            "with pytest.raises(KeyError):\n    total([], 'fr')",
            "total([], 'fr') raised nothing, expected KeyError",
            id="pytest, nothing raised",
        ),
        pytest.param(
            "E       Failed: DID NOT RAISE <class 'ValueError'>",
            "pytest.raises(ValueError, parse, 'x')",
            "parse('x') raised nothing, expected ValueError",
            id="pytest, nothing raised by a function that was given",
        ),
        pytest.param(
            PYTEST_ERROR,
            "assert find([tea], 'tea') is tea",
            "find([tea], 'tea') raised KeyError: 'naem'",
            id="pytest, an error",
        ),
        pytest.param(
            "AssertionError: 0.019 != 0.19",
            "self.assertEqual(rate_for('de'), 0.19)",
            "rate_for('de') gave 0.019, expected 0.19",
            id="unittest compares",
        ),
        pytest.param(
            "AssertionError: 4 != 3",
            "self.assertEqual(4, add(1, 2))",
            "add(1, 2) gave 3, expected 4",
            id="unittest, turned round",
        ),
        pytest.param(
            "AssertionError: 1.5 != 2.5 within 7 places (1.0 difference)",
            "self.assertAlmostEqual(half(3), 2.5)",
            "half(3) gave 1.5, expected 2.5",
            id="unittest, almost equal",
        ),
        pytest.param(
            UNITTEST_LISTS,
            "self.assertEqual([rate_for('fr'), 2], [1, 2])",
            "[rate_for('fr'), 2] gave [0.02, 2], expected [1, 2]",
            id="unittest, lists",
        ),
        pytest.param(
            "AssertionError: unexpectedly None",
            "self.assertIsNotNone(find('x'))",
            "find('x') gave None, expected something else",
            id="unittest, None",
        ),
        pytest.param(
            "AssertionError: 'b' not found in ['a']",
            "self.assertIn('b', names())",
            "names() gave ['a'], expected 'b' in it",
            id="unittest, in",
        ),
        pytest.param(
            "AssertionError: ValueError not raised",
            "with self.assertRaises(ValueError):\n    rate_for('fr')",
            "rate_for('fr') raised nothing, expected ValueError",
            id="unittest, nothing raised",
        ),
        pytest.param(
            UNITTEST_ERROR,
            "self.assertIsNone(rate_for('xx'))",
            "rate_for('xx') raised LookupError: xx",
            id="unittest, an error",
        ),
    ],
)
def test_python_failures_are_told_as_call_result_and_expectation(detail: str, statement: str, expected: str) -> None:
    assert failure_lines([seen("tests/test_cart.py", detail, statement)]) == (expected,)


@pytest.mark.parametrize(
    ("path", "detail", "body", "expected"),
    [
        pytest.param(
            "t.py",
            PYTEST_APPROX,
            "def test_total(tea):\n    result = total([tea], 'de')\n    assert result == pytest.approx(9.52)",
            "total([tea], 'de') gave 8.152, expected 9.52",
            id="of pytest",
        ),
        pytest.param(
            "t.py",
            "AssertionError: False is not true",
            "    def test_known(self):\n        rate = rate_for('fr')\n        self.assertTrue(rate > 1)",
            "rate_for('fr') > 1 gave False, expected True",
            id="of unittest",
        ),
        pytest.param(
            "t.js",
            "The expression evaluated to a falsy value:\n\n  assert.ok(found)\n",
            "const found = cart.find('tea');\nassert.ok(found);",
            "cart.find('tea') gave a false value, expected a true value",
            id="of node",
        ),
    ],
)
def test_a_variable_is_told_by_the_call_whose_result_it_holds(path: str, detail: str, body: str, expected: str) -> None:
    statement = body.splitlines()[-1].strip()
    assert failure_lines([seen(path, detail, statement, body)]) == (expected,)


def test_a_variable_that_a_call_should_have_changed_is_told_after_that_call() -> None:
    body = "def test_add(tea):\n    items = []\n    add_item(items, tea)\n    assert items == [tea]"
    expected = "after add_item(items, tea), items is [], expected [{'name': 'te..., 'count': 2}]"
    assert failure_lines([seen("t.py", PYTEST_CHANGED, "assert items == [tea]", body)]) == (expected,)


def test_an_error_is_told_with_the_line_it_came_from() -> None:
    told = seen("t.py", PYTEST_ERROR, "find(items)", raised_at='shop/cart.py:19: if item["naem"] == name:')
    assert failure_lines([told]) == (
        """find(items) raised KeyError: 'naem' at shop/cart.py:19: if item["naem"] == name:""",
    )


def test_a_comparison_is_told_without_a_place() -> None:
    told = seen("t.py", "E   assert 3 == 4", "assert add(1, 2) == 4", raised_at="shop/cart.py:1: x")
    assert failure_lines([told]) == ("add(1, 2) gave 3, expected 4",)


def test_what_says_most_comes_first_and_nothing_twice() -> None:
    vague = seen("t.py", "", "", message="something broke", name="test_x")
    raised = seen("t.py", PYTEST_ERROR, "find(items)")
    gave = seen("t.py", "E   assert 3 == 4", "assert add(1, 2) == 4")
    assert failure_lines([vague, raised, gave, gave]) == (
        "add(1, 2) gave 3, expected 4",
        "find(items) raised KeyError: 'naem'",
        "test_x: something broke",
    )


@given(
    path=st.sampled_from(["t.py", "t.js", "t_test.go", ""]),
    detail=st.text(alphabet="E assert==!=[]()'\"\nTypeError: got want{},+-", max_size=150),
    statement=st.text(alphabet="assert.equal(x)=='\",[]{} expect", max_size=60),
)
def test_any_output_gives_short_single_lines(path: str, detail: str, statement: str) -> None:
    for line in failure_lines([seen(path, detail, statement, statement)]):
        assert 0 < len(line) <= MAX_LINE_CHARS
        assert "\n" not in line


def test_spaces_of_a_value_are_told_as_they_are() -> None:
    text = (
        "AssertionError: Lists differ: ['   ', ' * '] != ['111', '1*1']\n\nFirst differing element 0:\n'   '\n'111'\n"
    )
    (line,) = failure_lines(
        [seen("test_field.py", text, statement="self.assertEqual(annotate(['   ', ' * ']), ['111', '1*1'])")]
    )
    assert line == "annotate(['   ', ' * ']) gave ['   ', ' * '], expected ['111', '1*1']"
