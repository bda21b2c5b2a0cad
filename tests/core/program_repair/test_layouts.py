"""However code is laid out, the same changes are tried."""

import pytest

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import slips
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.syntax.line_tokens import line_tokens

COUNTER = """\
class Counter:
    def take(self, key, value):
        self.n -= 1
        self.held[key] = value

    def put_back(self, key, value):
        check(key)
"""
SCRIPT = """\
class Counter {
  take(key, value) {
    this.n -= 1;
    this.held[key] = value;
  }

  putBack(key, value) {
    check(key);
  }
}
"""


def tokens_made(path: str, text: str, line: int, failure: str = "") -> set[tuple[str, ...]]:
    """The files after each change, without line breaks."""
    rows = text.split("\n")
    source = Excerpt(path, 1, len(rows), text)
    brief = Brief("", (source,), (), (failure,) if failure else (), (), (LineLocation(path, line),))
    made = ("\n".join(slip.candidate().lines) for slip in slips(brief, {path: rows}))
    return {tuple(each for each in line_tokens(path, one) if each.strip()) for one in made}


@pytest.mark.parametrize(("path", "text", "line"), [("a.py", COUNTER, 7), ("a.js", SCRIPT, 8)])
def test_what_another_place_does_is_undone_without_spaces_too(path: str, text: str, line: int) -> None:
    tight = text.replace(" -= ", "-=").replace(" = ", "=")
    assert tokens_made(path, tight, line) == tokens_made(path, text, line)
    undone = ("n", "+=", "1")
    assert any(undone == each[at : at + 3] for each in tokens_made(path, tight, line) for at in range(len(each)))


@pytest.mark.parametrize("value", ["total - paid", "total", "held[total]"])
def test_a_result_in_brackets_over_lines_is_wrapped_too(value: str) -> None:
    failure = "owed(1, 2) gave -1.0, expected 0"
    plain = tokens_made("a.py", f"def owed(total, paid):\n    return {value}\n", 2, failure)
    broken = tokens_made("a.py", f"def owed(total, paid):\n    return (\n        {value}\n    )\n", 3, failure)
    assert {_without_brackets(each) for each in plain} <= {_without_brackets(each) for each in broken}


def _without_brackets(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in tokens if each not in "()")
