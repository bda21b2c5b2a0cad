"""Where functions begin and end, in three languages and in code that does not parse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.syntax.blanking import blank_literals, split_arguments
from mulligan.syntax.functions import CodeFunction, functions_in, names_in
from mulligan.syntax.statements import statement_at

PYTHON = '''\
import functools

LIMIT = 3


@functools.cache
def twice(number):
    text = """
def not_one():
"""
    return number * 2


class Cart:
    size = 1

    async def add(self, item):
        def check():
            return True
        return check()
'''

BROKEN_PYTHON = """\
def first(a,
          b
):
    if a
        return b

def second():
    pass
"""

SCRIPT = """\
import { rateFor } from './tax.js';

// function notOne() {
export default async function total(items, { deep = {} } = {}) {
  const text = '}';
  return items;
}

export const page = (items, size) =>
  items
    .slice(size);

const half = async number => {
  return number / 2;
};

export class Cart {
  constructor() {
    this.items = [];
  }

  async find(name) {
    if (/[}]/.test(name)) {
      return null;
    }
    return this.items.find((item) => item.name === name);
  }

  static of = (items) => new Cart(items);
}

exports.late = function (x) {
  return `}${x}`;
};
"""

TYPED = """\
interface Item { price: number }

export function sum<T extends Item>(items: T[]): number {
  return 0;
}

export const pick = (items: Item[], at: number): Item => {
  return items[at];
};
"""

GO = """\
package cart

type Counter struct{ n int }

func (c *Counter) Inc() { c.n++ }

func Any(values map[string]interface{}) (interface{}, error) {
	brace := '}'
	raw := `}`
	return values, nil
}
"""

LUA = """\
local Cart = {}  -- function not_one() end

function Cart:total()
  local sum = function(n) return "end" .. n end
  return sum(1)
end

local function half(n) return n / 2 end
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param(
            "a.py",
            PYTHON,
            [("twice", 6, 11, ""), ("add", 17, 20, "Cart"), ("check", 18, 19, "")],
            id="python",
        ),
        pytest.param("a.py", BROKEN_PYTHON, [("first", 1, 5, ""), ("second", 7, 8, "")], id="python that is broken"),
        pytest.param(
            "a.js",
            SCRIPT,
            [
                ("total", 4, 7, ""),
                ("page", 9, 11, ""),
                ("half", 13, 15, ""),
                ("constructor", 18, 20, "Cart"),
                ("find", 22, 27, "Cart"),
                ("of", 29, 29, "Cart"),
                ("late", 32, 34, ""),
            ],
            id="javascript",
        ),
        pytest.param("a.ts", TYPED, [("sum", 3, 5, ""), ("pick", 7, 9, "")], id="typescript"),
        pytest.param("a.lua", LUA, [("total", 3, 6, "Cart"), ("sum", 4, 4, ""), ("half", 8, 8, "")], id="lua"),
        pytest.param("a.go", GO, [("Inc", 5, 5, "Counter"), ("Any", 7, 11, "")], id="go"),
    ],
)
def test_functions_are_found_with_their_lines_and_owners(
    path: str, text: str, expected: list[tuple[str, int, int, str]]
) -> None:
    found = functions_in(path, text.split("\n"))
    assert [(each.name, each.first, each.last, each.owner) for each in found] == expected


def test_a_method_knows_where_the_head_of_its_class_stands() -> None:
    found = functions_in("a.py", PYTHON.split("\n"))
    assert CodeFunction("add", 17, 20, "Cart", 14) in found


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.rs"])
@given(text=st.text(alphabet="{}()[]'\"`/*\\\n =>;:,.abfunctiode", max_size=120))
def test_any_text_has_functions_within_its_lines(path: str, text: str) -> None:
    lines = text.split("\n")
    for each in functions_in(path, lines):
        assert 1 <= each.first <= each.last <= len(lines)


@given(text=st.text(alphabet="{}()'\"`/*\\\n =a", max_size=120))
def test_masking_keeps_every_character_in_its_place(text: str) -> None:
    bare = blank_literals("a.js", text)
    assert len(bare) == len(text)
    assert all(one in {other, " "} for one, other in zip(bare, text, strict=True))


def test_words_in_strings_comments_and_the_language_are_no_names() -> None:
    assert names_in("a.py", "total = add('price', count)  # later") == {"total", "add", "count"}
    assert names_in("a.go", 'if total := Add("price"); ok { // later') == {"total", "Add", "ok"}


def test_arguments_are_split_at_their_own_commas_alone() -> None:
    assert split_arguments("a.js", "f(1, 2), [3, 4], 'a,b'") == ["f(1, 2)", "[3, 4]", "'a,b'"]


@pytest.mark.parametrize(
    ("path", "text", "line", "expected"),
    [
        pytest.param("t.py", "f(\n  1,\n  2,\n)", 2, "f(1, 2)", id="a call over several lines"),
        pytest.param("t.py", "with raises(E):\n    f(1)\n", 1, "with raises(E):\n    f(1)", id="with its body"),
        pytest.param("t.py", "if x:\n    f(1)\n", 1, "if x:", id="the head of a condition"),
        pytest.param("t.js", "a();\nequal(\n  f(1),\n  2\n);\nb();", 2, "equal( f(1), 2 );", id="in javascript"),
        pytest.param("t.go", '\tt.Errorf("}(", got)\n}', 1, 't.Errorf("}(", got)', id="in go"),
        pytest.param("t.go", "x", 9, "", id="no such line"),
    ],
)
def test_a_statement_is_read_from_its_first_line(path: str, text: str, line: int, expected: str) -> None:
    assert statement_at(path, text.split("\n"), line) == expected
