"""A function's own text as the reply changes nothing, wherever the function stands and whatever else has its name."""

import argparse
import contextlib
import dataclasses
import fractions
import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from mulligan.core.writing.placing import place_code
from mulligan.core.writing.replies import code_in
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.definitions import cut_code
from mulligan.syntax.functions import CodeFunction, functions_in

SAMPLES = Path(__file__).parents[3] / "bench" / "edits"

PYTHON = """\
import sys

if sys.platform == "win32":
    def folder():
        return "C:"
else:
    def folder():
        return "/"


def run(x):
    return x


def counted(call):
    def wrapper(*given):
        return call(*given) + 1

    return wrapper


def timed(call):
    def wrapper(*given):
        return call(*given) + 2

    return wrapper


class A:
    def __init__(self):
        self.x = 1

    def run(self):
        return self.x

    @property
    def y(self):
        return self._y

    @y.setter
    def y(self, y):
        self._y = y

    class Inner:
        x = 1

        def run(self):
            def run():
                return 1
            return run


class B:
    def __init__(self):
        self.text = '''
one
  two
'''

    def run(self):
        return 2
"""
SCRIPT = """\
function run(x) {
  return x;
}

class A {
  constructor() {
    this.x = 1;
  }

  static of(x) {
    return new A(x);
  }

  of(x) {
    return `
${x}
`;
  }

  get y() {
    return this._y;
  }

  set y(y) {
    this._y = y;
  }

  async *#run() {
    yield 1;
  }

  kept = (x) => {
    return x;
  };
}

class B {
  constructor() {
    const run = () => {
      return 1;
    };
    function of() {
      return run();
    }
    this.of = of;
  }
}

B.prototype.run = function () {
  return 2;
};

export const formats = {
  run: (x) => x,
  of(x) {
    return x;
  },
};

module.exports.run = async (x) => {
  return 3;
};
"""
TYPED = """\
abstract class A<T> {
  private readonly kept = (x: number): number => {
    return x;
  };

  constructor(private readonly x: T) {
    super();
  }

  protected static async of<T>(x: T): Promise<A<T>> {
    return new B(x);
  }

  public get y(): T {
    return this.x;
  }
}

class B<T> extends A<T> {
  constructor(x: T) {
    super(x);
  }
}

export const of = (x: (y: number) => number): number => x(1);
"""
GO = """\
package shelves

type A struct{ x int }

type B[T any] struct{ x T }

func (a A) String() string {
\treturn "a"
}

func (b *B[T]) String() string {
\treturn "b"
}

func String() string {
\treturn "c"
}

func init() {
}

func init() {
\tString()
}
"""


def alone(path: str, lines: Sequence[str], each: CodeFunction) -> str:
    """Without its margin, but with its texts as they are."""
    cut = cut_code(path, lines)
    assert cut is not None
    margin = lines[each.first - 1][: -len(lines[each.first - 1].lstrip())]
    rows = (
        row if number in cut.verbatim else row.removeprefix(margin)
        for number, row in enumerate(lines[each.first - 1 : each.last], each.first - 1)
    )
    return "\n".join(rows)


def as_it_stands(_: str, lines: Sequence[str], each: CodeFunction) -> str:
    return "\n".join(lines[each.first - 1 : each.last])


def whole_file(_: str, lines: Sequence[str], __: CodeFunction) -> str:
    return "\n".join(lines)


Form = Callable[[str, Sequence[str], CodeFunction], str]


def changed(path: str, text: str, form: Form) -> list[str]:
    """The functions whose own text would change the file."""
    lines = text.rstrip("\n").split("\n")
    functions = functions_in(path, lines)
    assert functions
    found: list[str] = []
    for each in functions:
        code = code_in(path, f"Sure:\n\n```\n{form(path, lines, each)}\n```\nDone.", [each.qualified])
        after = place_code(path, lines, code, [each.qualified], CodeBlock(each.first, each.last)) if code else None
        if after != tuple(lines):
            found.append(f"{each.qualified} in {each.first}")
    return found


@pytest.mark.parametrize("form", [alone, as_it_stands, whole_file])
@pytest.mark.parametrize(
    ("path", "text"),
    [("a.py", PYTHON), ("a.js", SCRIPT), ("a.ts", TYPED), ("a.go", GO)],
    ids=["Python", "JavaScript", "TypeScript", "Go"],
)
def test_a_function_lands_where_it_was_asked_for_among_others_of_its_name(path: str, text: str, form: Form) -> None:
    assert changed(path, text, form) == []


@pytest.mark.parametrize("module", [argparse, contextlib, dataclasses, fractions, functools, textwrap])
def test_every_function_of_the_standard_library_lands_in_its_own_place(module: ModuleType) -> None:
    assert changed("module.py", inspect.getsource(module), alone) == []


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("**/samples/*.*[os]"), key=str), ids=lambda path: path.name)
def test_every_function_of_other_languages_lands_in_its_own_place(path: Path) -> None:
    assert changed(path.name, path.read_text(), alone) == []


@pytest.mark.parametrize(
    ("code", "name", "nth"),
    [
        pytest.param("def __init__(self):\n    self.x = 0", "A.__init__", 0, id="a method alone"),
        pytest.param("class A:\n    def __init__(self):\n        self.x = 0", "A.__init__", 0, id="with its class"),
        pytest.param("def run(self):\n    return 0", "A.run", 0, id="not the function of that name"),
        pytest.param("@property\ndef y(self):\n    return 0", "A.y", 0, id="the getter"),
        pytest.param("@y.setter\ndef y(self, y):\n    self.x = 0", "A.y", 1, id="the setter"),
        pytest.param("class A:\n    @y.setter\n    def y(self, y):\n        self.x = 0", "A.y", 1, id="with its class"),
        pytest.param("def y(self, y):\n    self.x = 0", "A.y", 1, id="the setter without its decorator"),
        pytest.param("def wrapper(*given):\n    return 0", "wrapper", 1, id="the second of two inner functions"),
        pytest.param("def folder():\n    return 0", "folder", 1, id="under a condition"),
        pytest.param("class Inner:\n    def run(self):\n        return 0", "Inner.run", 0, id="with its nested class"),
    ],
)
def test_nothing_else_of_that_name_is_touched(code: str, name: str, nth: int) -> None:
    lines = PYTHON.rstrip("\n").split("\n")
    asked = [each for each in functions_in("a.py", lines) if each.qualified == name][nth]
    after = place_code("a.py", lines, code, [name], CodeBlock(asked.first, asked.last))
    assert after is not None
    behind = len(lines) - asked.last
    assert after[: asked.first - 1] == tuple(lines[: asked.first - 1])
    assert after[len(after) - behind :] == tuple(lines[asked.last :])
    assert "0" in "\n".join(after[asked.first - 1 : len(after) - behind])


def test_what_a_method_needs_stands_outside_of_its_class_and_other_methods_in_it() -> None:
    text = "class A:\n    def run(self):\n        return 1\n\n\nclass B:\n    def run(self):\n        return 2"
    code = "LIMIT = 3\n\ndef run(self):\n    return self._most(LIMIT)\n\ndef _most(self, most):\n    return most"
    after = place_code("a.py", text.split("\n"), code, ["B.run"])
    assert after is not None
    assert "\n".join(after) == (
        "class A:\n    def run(self):\n        return 1\n\n\nLIMIT = 3\n\n\n"
        "class B:\n    def run(self):\n        return self._most(LIMIT)\n\n"
        "    def _most(self, most):\n        return most"
    )


def test_a_method_that_its_class_lacks_does_not_replace_a_function_of_its_name() -> None:
    text = "def run(x):\n    return x\n\n\nclass A:\n    x = 1"
    after = place_code("a.py", text.split("\n"), "def run(self):\n    return self.x", ["A.run"])
    assert after == tuple(f"{text}\n\n    def run(self):\n        return self.x".split("\n"))


@pytest.mark.parametrize("text", ["", "const x = 1;"])
def test_a_function_that_came_as_a_method_becomes_one(text: str) -> None:
    code = code_in("a.js", "```js\nasync run(x) {\n  return x;\n}\n```", ["run"])
    after = place_code("a.js", text.split("\n"), code or "", ["run"])
    assert "\n".join(after or ()) == f"{text}\n\nasync function run(x) {{\n  return x;\n}}".lstrip("\n")


def test_a_new_function_stands_before_the_comments_of_the_next_one() -> None:
    text = "package a\n\n// F is it.\nfunc F() int {\n\treturn 0\n}"
    after = place_code("a.go", text.split("\n"), "func one() int {\n\treturn 1\n}\n\nfunc F() int {\n\treturn one()\n}")
    assert after is not None
    assert "\n".join(after).endswith("}\n\n// F is it.\nfunc F() int {\n\treturn one()\n}")


def test_what_a_reply_only_mentions_stays() -> None:
    text = "class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 2"
    code = "class A:\n    def run(self):\n        return 3\n\n    def stop(self):\n        ...  # unchanged"
    assert place_code("a.py", text.split("\n"), code, ["A.run"]) == tuple(text.replace("1", "3").split("\n"))


@pytest.mark.parametrize("code", ["def f(self):\n    return 1", "class A:\n    def f(self):\n        return 1"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("class A: pass", "class A:", id="in one line"),
        pytest.param("class A:\n    pass", "class A:", id="with pass"),
        pytest.param("class A:\n    '''Doc.'''", "class A:\n    '''Doc.'''\n", id="with a docstring"),
        pytest.param("class A:\n    '''Doc.'''\n    ...", "class A:\n    '''Doc.'''\n", id="with both"),
        pytest.param("class A: x = 1", "class A:\n    x = 1\n", id="with a value in one line"),
    ],
)
def test_a_method_is_added_to_a_class_that_has_none(before: str, after: str, code: str) -> None:
    placed = place_code("a.py", before.split("\n"), code, ["A.f"])
    assert placed == tuple(f"{after}\n    def f(self):\n        return 1".split("\n"))


@pytest.mark.parametrize("code", ["f(x) {\n  return x;\n}", "class A {\n  f(x) {\n    return x;\n  }\n}"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("class A {}", "class A {", id="an empty one"),
        pytest.param("class A {\n  x = 1;\n}", "class A {\n  x = 1;\n", id="with a field"),
    ],
)
def test_a_method_is_added_to_a_class_of_javascript_that_has_none(before: str, after: str, code: str) -> None:
    written = code_in("a.js", f"```js\n{code}\n```", ["A.f"])
    placed = place_code("a.js", before.split("\n"), written or "", ["A.f"])
    assert placed == tuple(f"{after}\n  f(x) {{\n    return x;\n  }}\n}}".split("\n"))


def test_text_of_several_lines_is_not_indented_with_the_method_that_has_it() -> None:
    code = "def f(self):\n    '''What it\n    does.'''\n    return '''\none\n  two'''"
    placed = place_code("a.py", ["class A:", "    def f(self): return 0"], code, ["A.f"])
    shown = "class A:\n    def f(self):\n        '''What it\n        does.'''\n        return '''\none\n  two'''"
    assert placed == tuple(shown.split("\n"))
