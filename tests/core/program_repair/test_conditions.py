"""Changes under conditions: which conditions can be written at a place, and how each change is put under one."""

import pytest

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import Slip, diagnostic_slips, slips, under_conditions
from mulligan.core.program_repair.predicates import predicates, terms
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.program_repair.sites.site import Site
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.syntax.scopes import scope_of
from mulligan.types.fixing import FailingTest

RANGE = """\
def format_range(start, count):
    if count == 1:
        return str(start + 1)
    return f"{start + 1},{count}"
"""
CRON = """\
class Field:
    def __init__(self, values, restricted):
        self.values = values
        self.restricted = restricted


class Cron:
    def __init__(self, day, weekday):
        self.day = day
        self.weekday = weekday

    def matches(self, moment, weekday):
        return moment.day in self.day.values and weekday in self.weekday.values
"""
SCRIPT = """\
export function label(item, count) {
  const text = item.name;
  total -= count;
  if (item.hidden) {
    return text;
  }
  return text + count;
}
"""
GO = """\
package store

type Options struct {
	Limit int
	Strict bool
}

func (s *Store) Merge(from int, to int, options Options) int {
	merged := merge(s.parts[from:to], true)
	if from > to {
		return 0
	}
	if options.Strict && options.Limit < len(merged) {
		return options.Limit
	}
	return len(merged)
}
"""


def brief_at(path: str, text: str, line: int) -> tuple[Brief, RepairFacts]:
    rows = tuple(text.split("\n"))
    brief = Brief("goal", (Excerpt(path, 1, len(rows), text),), (), (), (), (LineLocation(path, line),))
    return brief, RepairFacts(brief, {path: rows})


def site_at(path: str, text: str, line: int) -> Site:
    _, facts = brief_at(path, text, line)
    tree = facts.trees[path]
    unit = tree.units_at(line - 1)[0]
    return Site(tree, unit, scope_of(tree, unit), facts)


def lead(path: str, text: str, line: int, changed: str) -> tuple[Slip, RepairFacts]:
    """The slip or probe of a line after which the code has this text."""
    brief, facts = brief_at(path, text, line)
    found = [*diagnostic_slips(brief, facts), *slips(brief, {path: tuple(text.split("\n"))})]
    return next(each for each in found if changed in "\n".join(each.candidate().lines)), facts


def conditional_edits(path: str, text: str, line: int, changed: str) -> list[str]:
    slip, facts = lead(path, text, line, changed)
    return ["\n".join(each.candidate().lines) for each in under_conditions(facts, slip)]


@pytest.mark.parametrize(
    ("path", "text", "line", "changed", "becomes"),
    [
        pytest.param(
            "a.py",
            RANGE,
            4,
            'return f"{start},{count}"',
            '    if not count:\n        return f"{start},{count}"\n    return f"{start + 1},{count}"',
            id="another return in one case",
        ),
        pytest.param("a.py", RANGE, 2, "if True:", "    if count == 1 or not start:", id="a condition that is wider"),
        pytest.param("a.py", RANGE, 2, "if False:", "    if count == 1 and start:", id="a condition that is narrower"),
        pytest.param(
            "a.py",
            CRON,
            13,
            "self.day.values or weekday in",
            "        if self.day.restricted and self.weekday.restricted:\n"
            "            return moment.day in self.day.values or weekday in self.weekday.values\n",
            id="a field of two objects that nothing reads",
        ),
        pytest.param(
            "a.js",
            SCRIPT,
            3,
            "const text = item.name;\n  if",
            "  if (!item.hidden) {\n    total -= count;\n  }\n",
            id="a statement that is skipped in one case",
        ),
        pytest.param(
            "a.go",
            GO,
            9,
            "parts[from:to], false)",
            "\tmerged := merge(s.parts[from:to], to == len(s.parts))\n",
            id="a condition for a constant",
        ),
        pytest.param("a.go", GO, 10, "if true {", "\tif from > to || options.Strict {\n", id="Go, by types"),
    ],
)
def test_a_change_is_put_under_a_condition(path: str, text: str, line: int, changed: str, becomes: str) -> None:
    assert any(becomes in made for made in conditional_edits(path, text, line, changed))


@pytest.mark.parametrize(
    ("path", "text", "line", "changed", "made"),
    [
        pytest.param(
            "a.js",
            "function f(a, n) {\n  return a > 1 ? n : 0;\n}\n",
            2,
            "a >= 1 ? n",
            "  return ((n) ? (a >= 1) : (a > 1)) ? n : 0;",
            id="within a conditional expression",
        ),
        pytest.param(
            "a.py",
            "def f(a, n):\n    if m := a.get(n):\n        return m\n",
            2,
            "if True:",
            "    if (m := a.get(n)) or n:",
            id="an assignment in a condition",
        ),
        pytest.param(
            "a.py",
            "def f(a, b, n):\n    if a or b:\n        n += 1\n    if n:\n        return a\n",
            4,
            "if False:",
            "    if n and (a or b):",
            id="a condition with two parts",
        ),
    ],
)
def test_a_condition_is_bracketed_where_it_has_to_be(path: str, text: str, line: int, changed: str, made: str) -> None:
    assert made in "\n".join(conditional_edits(path, text, line, changed))


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        pytest.param("a.py", "def f(a, n):\n    a = n + 1; b = n\n    return a, b\n", 2, id="two in a line"),
        pytest.param(
            "a.js",
            "function f(a, n) {\n  if (a)\n    total += n;\n  else\n    total -= n;\n}\n",
            3,
            id="without brackets",
        ),
    ],
)
def test_nothing_is_put_next_to_what_does_not_stand_alone(path: str, text: str, line: int) -> None:
    brief, facts = brief_at(path, text, line)
    rows = tuple(text.split("\n"))
    leads = [
        *diagnostic_slips(brief, facts),
        *(each for each in slips(brief, {path: rows}) if each.location.line == line),
    ]
    made = ["\n".join(each.candidate().lines) for lead in leads for each in under_conditions(facts, lead)]
    assert not [each for each in made if each.count("if ") > text.count("if ") + each.count(" else ")]


def test_a_text_of_several_lines_keeps_its_lines() -> None:
    text = 'def f(n):\n    text = """a\nb\n""" + str(n + 1)\n    return text\n'
    brief, facts = brief_at("a.py", text, 2)
    leads = [*diagnostic_slips(brief, facts), *slips(brief, {"a.py": tuple(text.split("\n"))})]
    made = ["\n".join(each.candidate().lines) for lead in leads for each in under_conditions(facts, lead)]
    assert made
    assert all('"""a\nb\n"""' in each for each in made)


def test_a_declaration_of_a_script_stays_in_its_block() -> None:
    made = conditional_edits("a.js", SCRIPT, 2, "const text = item.hidden;")
    assert "  const text = (!count) ? (item.hidden) : (item.name);" in "\n".join(made)


def test_conditions_use_only_what_is_known_before_the_place() -> None:
    site = site_at("a.py", "def f(a):\n    b = a + 1\n    c = b\n    return c\n\n\ndef g(d):\n    return d\n", 3)
    assert set(terms(site)) == {"a", "b"}


def test_a_function_has_no_fields_of_itself() -> None:
    text = "class A:\n    def f(self):\n        return self.x\n\n\ndef g(d):\n    return d\n"
    assert not any("self" in each for each in predicates(site_at("a.py", text, 7)))


def test_a_method_is_called_and_a_property_is_not() -> None:
    text = (
        "class A:\n    @property\n    def size(self):\n        return 1\n\n    def empty(self):\n        return 0\n\n\n"
        "def f(a):\n    return a\n"
    )
    found = predicates(site_at("a.py", text, 11))
    assert "a.size" in found
    assert "a.empty()" in found
    assert "a.empty" not in found


def test_go_compares_with_what_the_type_allows() -> None:
    found = predicates(site_at("a.go", GO, 10))
    assert "options.Limit == 0" in found
    assert "!options.Strict" in found
    assert "options.Limit" not in found
    assert "options.Strict == 0" not in found


def test_a_change_under_a_condition_names_the_tests_that_it_must_not_break() -> None:
    broken = (FailingTest(id="t", name="t", path="test_a.py", message="", detail=""),)
    slip, facts = lead("a.py", RANGE, 4, 'return f"{start},{count}"')
    assert all(each.candidate().must_also_pass == broken for each in under_conditions(facts, slip, broken))
    assert slip.candidate().must_also_pass == ()


def test_diagnostic_edits_are_marked_so_that_none_is_kept() -> None:
    brief, facts = brief_at("a.py", RANGE, 2)
    found = diagnostic_slips(brief, facts)
    assert found
    assert all(each.candidate().is_diagnostic for each in found)
    assert not any(each.candidate().is_diagnostic for each in slips(brief, {"a.py": tuple(RANGE.split("\n"))}))
