"""Changes within texts are changes, however small; spaces and quotes around them are none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import slips
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.syntax.line_tokens import line_tokens
from tests.examples import examples

PATHS = ["a.py", "a.js", "a.ts", "a.go", "A.java", "a.rs"]
TEXTS = st.text(" ,'a", max_size=4)


@pytest.mark.parametrize(
    ("line", "failure", "becomes"),
    [
        pytest.param('return ", ".join(words)', "gave 'a, b', expected 'a,b'", 'return ",".join(words)', id="one less"),
        pytest.param('return f"{n} x{k}"', "gave '2 x3', expected '2 x 3'", 'return f"{n} x {k}"', id="one more"),
    ],
)
def test_a_space_in_a_text_is_added_or_removed(line: str, failure: str, becomes: str) -> None:
    lines = ["def f(n, k, words):", f"    {line}"]
    source = Excerpt("a.py", 1, 2, "\n".join(lines))
    brief = Brief("", (source,), (), (f"f() {failure}",), (), (LineLocation("a.py", 2),))
    assert f"    {becomes}" in [slip.candidate().lines[1] for slip in slips(brief, {"a.py": lines})]


@given(st.sampled_from(PATHS), TEXTS, TEXTS)
@settings(max_examples=examples(400), deadline=None)
def test_lines_with_different_texts_have_different_tokens(path: str, one: str, other: str) -> None:
    lines = [f'f("{text}") # it\'s' if path == "a.py" else f'f("{text}") // it\'s' for text in (one, other)]
    assert (line_tokens(path, lines[0]) == line_tokens(path, lines[1])) == (one == other)


@pytest.mark.parametrize("path", PATHS)
def test_spaces_between_tokens_and_comments_make_no_other_tokens(path: str) -> None:
    mark = "#" if path == "a.py" else "//"
    assert line_tokens(path, f'f(a,  "b c")  {mark} don\'t\n  g()') == line_tokens(path, 'f( a, "b c" )\n  g( )')
    assert line_tokens(path, "f()\n  g()") != line_tokens(path, "f()\ng()")
    assert line_tokens(path, "return a") != line_tokens(path, "returna")


def test_quotes_make_another_token_where_they_have_another_meaning() -> None:
    assert line_tokens("a.py", "f('a')") == line_tokens("a.py", 'f("a")')
    assert line_tokens("a.go", "f('a')") != line_tokens("a.go", 'f("a")')
