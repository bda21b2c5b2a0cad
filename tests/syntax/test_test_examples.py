"""What a test expects, said in one line."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.python_test_examples import error_expected, example_of
from tests.examples import examples


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
            ["words = ('a', 'b')", "self.assertCountEqual(found('b', words), words)"],
            "found('b', ('a', 'b')) == ('a', 'b') in any order",
            id="values stand for their variables",
        ),
        pytest.param(
            ["white = Queen(2, 2)", "black = Queen(0, 0)", "self.assertFalse(white.can_attack(black))"],
            "Queen(2, 2).can_attack(Queen(0, 0)) is False",
            id="what is made in the order of its uses",
        ),
        pytest.param(
            ["items = [3, 1]", "expected = [1, 3]", "sort(items)", "assert items == expected"],
            "items = [3, 1]; sort(items); items == [1, 3]",
            id="a list that is changed keeps its name",
        ),
        pytest.param(
            ["before = c.value", "c.add()", "assert c.value == before + 1"],
            "before = c.value; c.add(); c.value == before + 1",
            id="a value from before a change keeps its name",
        ),
        pytest.param(
            ["now = clock()", "advance()", "assert elapsed(now) == 1"],
            "now = clock(); advance(); elapsed(now) == 1",
            id="a call stays before the next",
        ),
        pytest.param(
            ["x = f()", "assert all(x == y for y in ys())"],
            "x = f(); all((x == y for y in ys()))",
            id="a call is not repeated",
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
        pytest.param(["a = a", "f()"], "a = a; f()", id="what is set to itself"),
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


STEPS = st.lists(
    st.sampled_from([
        "a = [3, 1]", "b = tick()", "c = (1, 2)", "d = a", "e = len(a)", "f = a[0]", "g = a + [b]", "h = b + 1",
        "b += 2", "a.append(tick())", "a.sort()", "tick()", "i = [b, e]", "j = a[0] if b else tick()", "k = 60 * 60",
    ]),
    min_size=1, max_size=8, unique=True,
)  # fmt: skip


@given(STEPS, st.permutations("abcdefghijk"))
@settings(max_examples=examples(800), deadline=None)
def test_what_is_told_of_a_test_that_passes_is_true(steps: list[str], names: list[str]) -> None:
    known = _clock()
    possible = [step for step in steps if _runs(step, known)]
    checks = [f"{name} == {known[name]!r}" for name in names if name in known]
    replayed = _clock()
    for each in told(*possible, *(f"assert {check}" for check in checks)).split("; "):
        exec(f"assert {each}" if "==" in each else each, replayed)  # noqa: S102


def _runs(step: str, known: dict[str, object]) -> bool:
    try:
        exec(step, known)  # noqa: S102
    except NameError:  # it uses what no step before it sets
        return False
    return True


def _clock() -> dict[str, object]:
    return {"tick": count(1).__next__}
