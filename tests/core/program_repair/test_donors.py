"""Statements and calls of other places, and their opposites."""

import pytest

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import slips
from mulligan.core.retrieval.excerpts import Excerpt

BUCKET = """\
class Bucket:
    def take(self, amount):
        self._accrue()
        self.tokens -= amount

    def change(self, rate):
        check(rate)
        self.rate = rate

    def _accrue(self):
        self.tokens += self.rate
"""
CACHE = """\
class Cache {
  set(key, labels) {
    const held = this.entries.get(key);
    if (held) {
      held.tags = labels;
    }
  }

  drop(entry) {
    this.index.remove(entry.key, entry.tags);
  }
}
"""
ROUTER = """\
function walk(node, params) {
  for (const child of node.children) {
    params[child.name] = node.value;
    const found = walk(child, params);
    if (found) return found;
  }
  return null;
}
"""
MARKUP = """\
from markup import Markup, escape


def render(node, context):
    context[node.name] = join(node.body)
"""
VOTES = """\
package votes

func (c *Count) Winner(round Round, name string) bool {
	log(round.Continuing())
	return round.Tally[name] > c.election.Total()
}

func (r Round) Continuing() int { return len(r.Tally) }

func (e Election) Total() int { return e.total }
"""


def made(path: str, text: str, line: int) -> list[str]:
    rows = tuple(text.split("\n"))
    brief = Brief("goal", (Excerpt(path, 1, len(rows), text),), (), (), (), (LineLocation(path, line),))
    return ["\n".join(slip.candidate().lines) for slip in slips(brief, {path: rows})]


@pytest.mark.parametrize(
    ("path", "text", "line", "becomes"),
    [
        pytest.param("a.py", BUCKET, 7, "        check(rate)\n        self._accrue()\n", id="a method of the object"),
        pytest.param(
            "a.js",
            CACHE,
            5,
            "    if (held) {\n      this.index.remove(held.key, held.tags);\n",
            id="a statement with another name",
        ),
        pytest.param(
            "a.js",
            ROUTER,
            5,
            "    if (found) return found;\n    delete params[child.name];\n",
            id="the opposite of an assignment",
        ),
        pytest.param("a.py", MARKUP, 5, "context[node.name] = Markup(join(node.body))", id="a class around a value"),
        pytest.param("a.go", VOTES, 5, "round.Tally[name] > round.Continuing()", id="a method of another object"),
    ],
)
def test_what_another_place_does_is_tried(path: str, text: str, line: int, becomes: str) -> None:
    assert any(becomes in each for each in made(path, text, line))


def test_a_statement_whose_names_are_not_known_is_not_tried() -> None:
    text = "def f(a):\n    return a\n\n\ndef g(book, page, word):\n    book.add(page, word)\n"
    assert not any(each.count(".add(") > 1 for each in made("a.py", text, 2))
