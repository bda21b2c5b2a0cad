"""What a test expects, said in one line."""

import pytest

from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.test_examples import error_expected, example_of


def told(*body: str, head: str = "def test_it(self):", path: str = "a_test.py") -> str:
    lines = [f"    {head}", *(f"        {line}" for line in body)]
    return example_of(path, lines, CodeBlock(1, len(lines)))


RAISES = (
    "with self.assertRaises(ValueError) as err:",
    "    Queen(8, 4)",
    "self.assertEqual(type(err.exception), ValueError)",
    'self.assertEqual(err.exception.args[0], "row not on board")',
)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param(["self.assertEqual(leap(4), True)"], "leap(4) == True", id="equal"),
        pytest.param(["assert leap(4)"], "leap(4)", id="pytest"),
        pytest.param(["self.assertIn(1, made([1]))"], "1 in made([1])", id="in"),
        pytest.param(
            ["words = ['a', 'b']", "self.assertCountEqual(found('b', words), words)"],
            "found('b', ['a', 'b']) == ['a', 'b'] in any order",
            id="values stand for their variables",
        ),
        pytest.param(
            ["made = Set()", "made.add(3)", "self.assertEqual(made, Set([3]))"],
            "made = Set(); made.add(3); made == Set([3])",
            id="what changes keeps its name",
        ),
        pytest.param(RAISES, "Queen(8, 4) raises ValueError('row not on board')", id="an error and its message"),
        pytest.param(
            ["with pytest.raises(KeyError, match='gone'):", "    take('x')"],
            "take('x') raises KeyError with a message like 'gone'",
            id="an error of pytest",
        ),
        pytest.param(
            ["with self.assertRaises(ValueError):", "    node.value", "self.assertEqual(node.value, 'a')"],
            "node.value raises ValueError; node.value == 'a'",
            id="a value is no error",
        ),
        pytest.param(["for n in range(3):", "    self.assertEqual(f(n), n)"], "", id="a loop"),
        pytest.param(["self.assertEqual(self.cart.total(), 3)"], "", id="what is set up elsewhere"),
        pytest.param(["self.assertEqual(f('" + "x" * 500 + "'), 1)"], "", id="too long"),
        pytest.param(["this is no Python"], "", id="does not parse"),
    ],
)
def test_a_test_is_told_in_a_line(body: list[str], line: str) -> None:
    assert told(*body) == line


def test_what_a_fixture_gives_can_not_be_told() -> None:
    assert told("assert cart.total() == 3", head="def test_it(cart):") == ""


def test_other_languages_show_their_tests_as_they_stand() -> None:
    assert told("assert leap(4)", path="a_test.go") == ""


def test_the_error_that_a_test_expects_is_known_by_what_raises_it() -> None:
    body = "\n".join(["def test_it(self):", *(f"    {line}" for line in RAISES)])
    assert error_expected(body) == ("Queen(8, 4)", "ValueError('row not on board')")
    assert error_expected("def test_it(self):\n    assert leap(4)") == ("", "")
