"""What becomes of a model's words, of variants and of hints: whole new texts of a file."""

import pytest

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import (
    hint_candidates,
    model_candidates,
    prose_candidates,
    variant_candidate,
)
from mulligan.core.program_repair.operators.variants import Variant
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.retrieval.line_change import LineChange, LineLocation

LINES = ("def f(x):", "    if x > 1:", "        return x", "    return 0")


def brief_with(*hints: str, suspects: tuple[LineLocation, ...] = (), text: str = "") -> Brief:
    source = Excerpt("a.py", 1, text.count("\n") + 1, text)
    return Brief("goal", (source,), (), (), hints, suspects)


@pytest.mark.parametrize(
    ("new", "becomes"),
    [
        pytest.param("if x >= 1:", ["    if x >= 1:"], id="a line"),
        pytest.param("```python\nif x >= 1:\n```", ["    if x >= 1:"], id="fenced"),
        pytest.param("`if x >= 1:`", ["    if x >= 1:"], id="in backquotes"),
        pytest.param("if x >= 1 and x:\n    pass", ["    if x >= 1 and x:", "        pass"], id="two lines"),
    ],
)
def test_what_was_written_takes_the_place_of_the_line(new: str, becomes: list[str]) -> None:
    first = model_candidates(LineChange(LineLocation("a.py", 2), new), LINES)[0]
    assert list(first.lines) == [LINES[0], *becomes, *LINES[2:]]


def test_lines_that_stand_around_the_place_already_are_not_written_twice() -> None:
    new = "def f(x):\n    if x >= 1:\n        return x"
    texts = [each.lines for each in model_candidates(LineChange(LineLocation("a.py", 2), new), LINES)]
    assert (LINES[0], "    if x >= 1:", *LINES[2:]) in texts


@pytest.mark.parametrize("new", [" if x > 1: ", "if x>1:", "```\nif x > 1:\n```"])
def test_a_line_that_was_only_copied_is_no_candidate(new: str) -> None:
    assert model_candidates(LineChange(LineLocation("a.py", 2), new), LINES) == []


def test_other_quotes_are_no_change_but_other_spaces_within_them_are() -> None:
    assert model_candidates(LineChange(LineLocation("a.js", 1), "f(',')"), ('f(",");',)) == []
    assert model_candidates(LineChange(LineLocation("a.js", 1), 'f(", ");'), ('f(",");',)) != []


@pytest.mark.parametrize(
    ("thought", "corrections"),
    [
        pytest.param("It should be `if x >= 1:`.", [("if x > 1:", "if x >= 1:")], id="a line in a sentence"),
        pytest.param(
            "Wrong:\n```\nif x > 1:\n```\nRight:\n```\nif x >= 1:\n```", [("if x > 1:", "if x >= 1:")], id="fences"
        ),
        pytest.param(
            "The start is `(page - 1) * size`.", [("start = page * size", "start = (page - 1) * size")], id="a value"
        ),
        pytest.param("The `start` is `page * size`, which is too much.", [], id="pieces of what is there"),
        pytest.param("Something is wrong.", [], id="no code"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_corrections_are_found_in_plain_words(thought: str, corrections: list[tuple[str, str]]) -> None:
    assert prose_candidates(thought, ["if x > 1:", "start = page * size", "return x"]) == corrections


def test_a_variant_moves_by_the_steps_of_the_file() -> None:
    lines = ("for x in y:", "  use(x)", "  return x")
    moved = variant_candidate(LineLocation("a.py", 3), Variant("return x", shift=-1), lines)
    assert moved.lines == ("for x in y:", "  use(x)", "return x")
    assert variant_candidate(LineLocation("a.py", 3), Variant("return x", shift=1), lines).lines[2] == "    return x"


def test_a_variant_without_text_takes_the_line_out() -> None:
    assert variant_candidate(LineLocation("a.py", 4), Variant(""), LINES).lines == LINES[:3]


@pytest.mark.parametrize(
    ("lines", "hint", "becomes"),
    [
        pytest.param(
            ("from os import path", "x = math.pi"),
            "a.py: `math` is not imported: `import math` is missing",
            ("import math", "from os import path", "x = math.pi"),
            id="a missing import",
        ),
        pytest.param(
            ("def f(row):", "    return row['naem']"),
            "a.py, f: the key 'naem' is nearly 'name'",
            ("def f(row):", "    return row['name']"),
            id="a misspelt key",
        ),
        pytest.param(
            ("def f(self, x):", "    return total + x"),
            "a.py, f: `total` is not defined here, `self.total` is",
            ("def f(self, x):", "    return self.total + x"),
            id="no self",
        ),
        pytest.param(
            ("def f(self, x):", "    self.counts.get(x)"),
            "a.py, f: `f` returns nothing, but its result is used",
            ("def f(self, x):", "    return self.counts.get(x)"),
            id="no return",
        ),
        pytest.param(
            ("for x in y:", "    return x"),
            "a.py, f: `return x` stands in the loop and ends it in the first round",
            ("for x in y:", "return x"),
            id="a return in a loop",
        ),
    ],
)
def test_a_hint_is_cured(lines: tuple[str, ...], hint: str, becomes: tuple[str, ...]) -> None:
    brief = brief_with(hint, suspects=(LineLocation("a.py", 2),), text="\n".join(lines))
    assert next(hint_candidates(brief, {"a.py": lines})).lines == becomes


def test_a_return_is_missing_below_the_line_that_a_hint_is_about() -> None:
    lines = ("return lines.map((line) => {", "  line.price * line.count;", "});")
    brief = brief_with("a.js, f: the function given to `.map()` returns nothing", suspects=(LineLocation("a.js", 1),))
    assert next(hint_candidates(brief, {"a.js": lines})).lines[1] == "  return line.price * line.count;"


def test_a_hint_about_a_file_that_is_not_shown_is_no_candidate() -> None:
    assert (
        list(hint_candidates(brief_with("b.py: `math` is not imported: `import math` is missing"), {"a.py": LINES}))
        == []
    )


def test_what_is_hardly_ever_meant_is_tried_on_a_suspicious_line() -> None:
    lines = ("def f(name):", '    return "Hello {name}"')
    brief = brief_with(suspects=(LineLocation("a.py", 2),), text="\n".join(lines))
    assert [each.lines[1] for each in hint_candidates(brief, {"a.py": lines})] == ['    return f"Hello {name}"']


def test_a_note_says_what_is_tried() -> None:
    (only,) = model_candidates(LineChange(LineLocation("a.py", 4), "return 1"), LINES)
    assert only.note == "a.py: `return 0` → `return 1`"


def test_a_variable_that_is_never_used_is_tried_where_what_it_was_made_from_stands() -> None:
    text = "def means(values, size):\n    chunk = values[:size]\n    return sum(values) / size"
    hint = "a.py, means: the variable `chunk` is never used"
    brief = Brief("", (Excerpt("a.py", 1, 3, text),), (), (), (hint,), ())
    made = ["\n".join(each.lines) for each in hint_candidates(brief, {"a.py": text.split("\n")})]
    assert text.replace("sum(values)", "sum(chunk)") in made
