"""What becomes of a model's words, of variants and of hints: whole new texts of a file."""

import pytest

from mulligan.core.guided_coder.written_changes import model_candidates, prose_candidates
from mulligan.core.line_change import LineChange, LineLocation, line_replacement
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import chances, slips
from mulligan.core.program_repair.findings.finding import Finding, Hint, MissingImport, Misspelt, UndefinedName
from mulligan.core.retrieval.excerpts import Excerpt

LINES = ("def f(x):", "    if x > 1:", "        return x", "    return 0")


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


def made(path: str, lines: tuple[str, ...], *findings: Finding, suspect: int = 2) -> list[tuple[str, ...]]:
    source = Excerpt(path, 1, len(lines), "\n".join(lines))
    place = LineLocation(path, suspect)
    brief = Brief("goal", (source,), (), (), tuple(Hint(place, "f", each) for each in findings), (place,))
    return [slip.candidate().lines for slip in slips(brief, {path: lines})]


@pytest.mark.parametrize(
    ("lines", "finding", "becomes"),
    [
        pytest.param(
            ("from os import path", "x = math.pi"),
            MissingImport(2, "math", ""),
            ("import math", "from os import path", "x = math.pi"),
            id="a missing import",
        ),
        pytest.param(
            ("from datetime import date, time", "x = timedelta(1)"),
            MissingImport(2, "timedelta", "datetime"),
            ("from datetime import date, time, timedelta", "x = timedelta(1)"),
            id="a missing import beside others",
        ),
        pytest.param(
            ("def f(row):", "    return row['naem']"),
            Misspelt(2, "key", "naem", "name"),
            ("def f(row):", "    return row['name']"),
            id="a misspelt key",
        ),
        pytest.param(
            ("def f(self, x):", "    return total + x"),
            UndefinedName(2, "total", "self.total"),
            ("def f(self, x):", "    return self.total + x"),
            id="no self",
        ),
    ],
)
def test_a_finding_is_cured_first(lines: tuple[str, ...], finding: Finding, becomes: tuple[str, ...]) -> None:
    assert made("a.py", lines, finding)[0] == becomes


def test_a_finding_in_a_file_that_is_not_shown_is_no_candidate() -> None:
    hint = Hint(LineLocation("b.py", 1), "", MissingImport(1, "math", ""))
    brief = Brief("goal", (), (), (), (hint,), ())
    assert slips(brief, {"a.py": LINES}) == []


def test_what_another_source_defines_is_used_and_not_changed() -> None:
    files = {
        "worth.js": ("export const worth = (stamp) => stamp.value * stamp.count;",),
        "parse.js": ("export const parse = (cents, count) => ({ cents, count });",),
    }
    source = Excerpt("worth.js", 1, 1, files["worth.js"][0])
    brief = Brief("goal", (source,), (), (), (), (LineLocation("worth.js", 1),), ("parse.js",))
    found = [slip.candidate() for slip in slips(brief, files)]
    assert ("export const worth = (stamp) => stamp.cents * stamp.count;",) in {each.lines for each in found}
    assert {each.path for each in found} == {"worth.js"}


def test_chances_add_up_to_one_and_fall() -> None:
    source = Excerpt("a.py", 1, len(LINES), "\n".join(LINES))
    found = slips(Brief("goal", (source,), (), (), (), (LineLocation("a.py", 2),)), {"a.py": LINES})
    shares = chances(found)
    assert abs(sum(shares) - 1) < 1e-9
    assert shares == sorted(shares, reverse=True)
    assert chances([]) == []


def test_places_that_failures_point_at_come_before_others_that_are_shown() -> None:
    source = Excerpt("a.py", 1, len(LINES), "\n".join(LINES))
    found = slips(Brief("goal", (source,), (), (), (), (LineLocation("a.py", 4),)), {"a.py": LINES})
    assert {slip.location.line for slip in found if slip.suspected} == {4}
    assert {slip.location.line for slip in found if not slip.suspected} == {2, 3}


@pytest.mark.parametrize(
    ("after", "text"),
    [
        pytest.param(("a", "x", "c"), "x", id="one line for it"),
        pytest.param(("a", "b", "x", "c"), "b\nx", id="with one below"),
        pytest.param(("a", "c"), "", id="taken out"),
        pytest.param(("a", "x", "y"), "", id="another line too"),
    ],
)
def test_what_stands_in_the_place_of_a_line(after: tuple[str, ...], text: str) -> None:
    assert line_replacement(("a", "b", "c"), after, 2) == text


def test_a_note_says_what_is_tried() -> None:
    (only,) = model_candidates(LineChange(LineLocation("a.py", 4), "return 1"), LINES)
    assert only.note == "a.py: `return 0` → `return 1`"


@pytest.mark.parametrize(
    ("path", "head", "row", "tail"),
    [
        pytest.param("a.py", "def table(k):\n    return {", "'k{}': {},", "    }[k]", id="python"),
        pytest.param(
            "a.go",
            "package a\n\nfunc table(k string) int {\n\tt := map[string]int{",
            '"k{}": {},',
            "\t}\n\treturn t[k]\n}",
            id="go",
        ),
    ],
)
def test_a_table_that_was_generated_is_left_alone(path: str, head: str, row: str, tail: str) -> None:
    def made(rows: int) -> int:
        table = "\n".join(row.format(number, 7 * number) for number in range(rows))
        lines = tuple(f"{head}\n{table}\n{tail}".split("\n"))
        suspects = (LineLocation(path, head.count("\n") + 1),)
        return len(slips(Brief("goal", (), (), ("table gave 3, expected 4",), (), suspects), {path: lines}))

    assert made(3) > 10
    assert made(3000) == 0


def test_the_same_change_of_a_long_statement_is_one_however_it_is_spaced() -> None:
    lines = ("def f(x):", "    return [", "        x+1,", "        x,", "    ]")
    found = slips(Brief("goal", (), (), ("f(1) gave 3, expected 4",), (), (LineLocation("a.py", 2),)), {"a.py": lines})
    texts = ["".join(slip.candidate().lines).replace(" ", "") for slip in found]
    assert len(texts) == len(set(texts))
    assert "".join(lines).replace(" ", "") not in texts
