"""What cheap checks notice, what they leave alone, and in which order they say it."""

import builtins
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.fault_localisation.ranking import Focus, SourceFile, weigh
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.findings.finding import FileContext
from mulligan.core.program_repair.findings.hints import find_hints
from mulligan.syntax.likeness import nearly_equal
from mulligan.syntax.python_scopes import attributes_in

KNOWN = FileContext(
    builtins=frozenset(dir(builtins)),
    modules=frozenset(sys.stdlib_module_names),
    defined={"rate_for": "src/shop/tax.py"},
    keys=frozenset({"name", "price"}),
    results_used=frozenset({"total"}),
)


@pytest.mark.parametrize(
    ("body", "line", "hint"),
    [
        pytest.param(
            "    return json.dumps(items)",
            2,
            "`json` is not imported: `import json` is missing",
            id="module not imported",
        ),
        pytest.param(
            "    return defaultdict(int)",
            2,
            "`defaultdict` is not imported: `from collections import defaultdict` is missing",
            id="name of the library not imported",
        ),
        pytest.param(
            "    return rate_for(items)",
            2,
            "`rate_for` is not imported: `from shop.tax import rate_for` is missing",
            id="name of the project not imported",
        ),
        pytest.param("    return itmes", 2, "`itmes` is not defined; `items` is", id="name misspelt"),
        pytest.param("    return zzz", 2, "`zzz` is not defined or imported", id="name unknown"),
        pytest.param("    return items['naem']", 2, "the key 'naem' is nearly 'name'", id="key misspelt"),
        pytest.param("    return items.get('Price')", 2, "the key 'Price' is nearly 'price'", id="key in capitals"),
        pytest.param(
            "    items == 3\n    return items",
            2,
            "`items == 3` has no effect, its result is not used",
            id="comparison as a statement",
        ),
        pytest.param(
            "    sorted(items)\n    return items",
            2,
            "`sorted(items)` has no effect, its result is not used",
            id="result thrown away",
        ),
        pytest.param(
            "    items.strip()\n    return items",
            2,
            "`items.strip()` has no effect, its result is not used",
            id="new text thrown away",
        ),
        pytest.param("    return items.sort()", 2, "`.sort()` gives None, not the list", id="method that gives None"),
        pytest.param(
            "    if items:\n        return 1",
            2,
            "`total` returns a value on some paths only, else nothing",
            id="result on some paths",
        ),
        pytest.param(
            "    result = sum(items)\n    print(result)",
            3,
            "`total` returns nothing, but its result is used",
            id="no result",
        ),
        pytest.param(
            "    result = 0\n    for item in items:\n        result += item\n        return result",
            5,
            "`return result` ends the loop in its first round",
            id="return within the loop",
        ),
        pytest.param(
            "    for item in items:\n        items.remove(item)\n    return items",
            3,
            "`items` is changed while the loop goes over it",
            id="list changed in its loop",
        ),
        pytest.param("    return items == 1 or 2", 2, "`items == 1 or 2` is always true", id="or with a bare constant"),
        pytest.param(
            "    return items != 1 or items != 2",
            2,
            "`items != 1 or items != 2` is always true",
            id="or of two unequal",
        ),
        pytest.param("    return items == items", 2, "`items == items` is always true", id="compared with itself"),
        pytest.param("    return '{items} left'", 2, "`'{items} left'` is not filled in: it is no template", id="no f"),
        pytest.param(
            "    count = 1\n    count =+ 2\n    return count + len(items)",
            3,
            "`count =+ 2` sets a value, it does not add to it",
            id="plus on the wrong side",
        ),
        pytest.param("    return 3", 1, "the parameter `items` is never used", id="parameter not used"),
        pytest.param("    rest = 2\n    return items", 2, "the variable `rest` is never used", id="variable not used"),
    ],
)
def test_a_fault_in_python_is_noticed(body: str, line: int, hint: str) -> None:
    assert hints("cart.py", f"def total(items):\n{body}\n")[0] == (line, f"cart.py, total: {hint}")


def test_a_value_that_may_be_no_number_may_differ_from_itself() -> None:
    assert hints("cart.py", "def total(items):\n    return items != items\n") == []


def test_a_shared_default_is_noticed() -> None:
    found = hints("cart.py", "def total(item, items=[]):\n    return items + [item]\n")
    assert found == [(1, "cart.py, total: the default `items=[]` is shared by all calls")]


CLASS = """\
class Cart:
    def __init__(self):
        self.items, self.count = [], 0

    def total(self):
        return {body}
"""


def test_a_field_without_self_is_noticed() -> None:
    assert hints("cart.py", CLASS.format(body="sum(items)")) == [
        (6, "cart.py, total: `items` is not defined here, `self.items` is")
    ]


def test_a_misspelt_attribute_is_noticed() -> None:
    assert hints("cart.py", CLASS.format(body="self.cuont")) == [
        (6, "cart.py, total: `.cuont` is defined nowhere; `.count` is")
    ]


SOUND_PYTHON = '''\
"""{total} of all."""

import os.path as path


class Base:
    def total(self, unused):
        raise NotImplementedError


class Cart(Base):
    names: list[str] = []

    def total(self, items):
        """{items} are counted."""
        text = "{items}".format(items=2)
        for item in (one := self.names):
            if not item:
                continue
            return item
        with open(path.join(text, "x")) as file:
            return [line for line in file if one]


def find(items, name, *, _spare=None):
    try:
        return items[name]
    except KeyError as error:
        raise LookupError(name) from error


def each(items):
    while True:
        yield from (lambda x: x)(items)


def kind(value):
    match value:
        case [first, *rest]:
            return first, rest
        case _:
            return None
'''


def test_sound_python_gives_no_hint() -> None:
    assert hints("cart.py", SOUND_PYTHON) == []


@pytest.mark.parametrize(
    ("path", "text", "line", "hint"),
    [
        pytest.param("a.js", "return items.lenght;", 2, "`lenght` is nearly `length`", id="name misspelt"),
        pytest.param("a.js", "return items.pirce;", 2, "`pirce` is nearly `price`", id="key of the test misspelt"),
        pytest.param(
            "a.js",
            "if (items = 3) return 1;",
            2,
            "`items = 3` sets a value, it does not compare",
            id="=",
        ),
        pytest.param(
            "a.js",
            "return items === 1 || 2;",
            2,
            "`items === 1 || 2` is always true",
            id="or with a bare constant",
        ),
        pytest.param("a.js", "items;", 3, "`total` returns nothing, but its result is used", id="no result"),
        pytest.param(
            "a.js",
            "return items.find((item) => { item.ok });",
            2,
            "the function given to `.find()` returns nothing",
            id="callback without a result",
        ),
        pytest.param("a.js", "return items.sort();", 2, "`items.sort()` sorts as text, numbers too", id="sort"),
        pytest.param(
            "a.js",
            "return '${items} left';",
            2,
            "`'${items} left'` is not filled in: it is no template",
            id="quotes",
        ),
        pytest.param(
            "a.ts",
            "let sum = 0;\n  for (const item of items) {\n    sum += item;\n    return sum;\n  }",
            5,
            "`return sum;` ends the loop in its first round",
            id="return within the loop",
        ),
    ],
)
def test_a_fault_in_a_script_is_noticed(path: str, text: str, line: int, hint: str) -> None:
    found = hints(path, f"export function total(items) {{\n  {text}\n}}\n")
    assert found[0] == (line, f"{path}, total: {hint}")


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        pytest.param(
            "func total(items []int) int {\n\tnet := 0\n\tfor _, item := range items {\n\t\tnet := net + item\n"
            "\t\t_ = net\n\t}\n\treturn net\n}\n",
            4,
            "`net` is a new variable in this block, not the one outside",
            id="a second variable",
        ),
        pytest.param(
            "func (c Counter) total() {\n\tc.n++\n}\n",
            2,
            "the receiver `c` is a copy, so that what is set in it is lost",
            id="a receiver that is a copy",
        ),
    ],
)
def test_a_fault_in_go_is_noticed(text: str, line: int, hint: str) -> None:
    assert hints("a.go", text)[0] == (line, f"a.go, total: {hint}")


def test_hints_far_from_the_failures_are_left_out() -> None:
    text = "def total(items):\n    return items\n\n\ndef other(items):\n    items == 3\n    return items\n"
    assert hints("cart.py", text) == []


def test_the_hint_on_the_line_that_failed_comes_first() -> None:
    text = "def total(items):\n    rest = 2\n    items == 2\n    return items['naem']\n"
    found = hints("cart.py", text, places=(LineLocation("cart.py", 4),))
    assert [line for line, _ in found] == [4, 3, 2]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("naem", "name", True, id="two letters changed places"),
        pytest.param("lenght", "length", True, id="in a longer word"),
        pytest.param("userName", "username", True, id="case alone"),
        pytest.param("item", "items", False, id="a plural"),
        pytest.param("item1", "item2", False, id="numbered"),
        pytest.param("get", "set", False, id="short words"),
        pytest.param("start", "start", False, id="the same"),
        pytest.param("total", "country", False, id="other words"),
    ],
)
def test_names_are_nearly_equal(one: str, other: str, expected: bool) -> None:
    assert nearly_equal(one, other) is expected
    assert nearly_equal(other, one) is expected


@given(text=st.text(alphabet="def f(x):\n    return if == 'a' + [] {} for in = lambda:", max_size=150))
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go"])
def test_any_text_gives_hints_within_its_lines(path: str, text: str) -> None:
    assert all(1 <= line <= text.count("\n") + 1 for line, _ in hints(path, text))


def hints(path: str, text: str, places: tuple[LineLocation, ...] = ()) -> list[tuple[int, str]]:
    """Of a file whose function `total` a failing test calls."""
    file = SourceFile(path, tuple(text.split("\n")))
    focus = Focus(tested=frozenset({"total"}), locations=places)
    known = FileContext(
        KNOWN.builtins,
        KNOWN.modules,
        KNOWN.defined,
        frozenset(attributes_in(file.lines)) if path.endswith(".py") else frozenset(),
        KNOWN.keys,
        KNOWN.results_used,
    )
    found = find_hints([file], weigh([file], focus), focus, known)
    return [(each.location.line, each.text) for each in found]
