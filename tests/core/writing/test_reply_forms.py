"""What models answer with: methods without a class, other forms of a function, heads alone."""

import re

import pytest

from mulligan.core.writing.placing import place_code
from mulligan.core.writing.replies import code_in
from mulligan.syntax.blocks import CodeBlock

CART = """\
class Cart {
  kept = (x) => {
    return 0;
  };

  static of(x) {
    return 0;
  }

  async add(x) {
    return 0;
  }
}

const formats = {
  plain: (x) => {
    return 0;
  },
  bold(x) {
    return 0;
  },
};

Cart.prototype.old = function (x) {
  return 0;
};
"""
TYPED = """\
class Cart {
  private static of(x: number): number {
    return 0;
  }
}
"""


def placed(path: str, text: str, reply: str, name: str, where: CodeBlock | None = None) -> str | None:
    code = code_in(path, reply, [name])
    after = place_code(path, text.rstrip("\n").split("\n"), code, [name], where) if code else None
    return "\n".join(after) + "\n" if after else None


@pytest.mark.parametrize(
    ("name", "code", "before", "after"),
    [
        pytest.param("add", "add(x) { return x; }", "async add(x) {\n    return 0;\n  }", "", id="a method alone"),
        pytest.param(
            "add",
            "async add(x) {\n  return x;\n}\n\nsum() {\n  return 1;\n}",
            "async add(x) {\n    return 0;\n  }",
            "async add(x) {\n    return x;\n  }\n\n  sum() {\n    return 1;\n  }",
            id="two methods",
        ),
        pytest.param(
            "add",
            "async function add(x) {\n  return x;\n}",
            "async add(x) {\n    return 0;\n  }",
            "async add(x) {\n    return x;\n  }",
            id="a method as a function",
        ),
        pytest.param(
            "of", "function of(x) { return x; }", "static of(x) {\n    return 0;\n  }", "static of(x) { return x; }",
            id="a static method as a function",
        ),
        pytest.param(
            "of", "of(x) { return x; }", "static of(x) {\n    return 0;\n  }", "static of(x) { return x; }",
            id="a static method that doesn't say so",
        ),
        pytest.param(
            "add", "const add = async (x) => x;", "async add(x) {\n    return 0;\n  }", "add = async (x) => x",
            id="a method as an arrow function",
        ),
        pytest.param("kept", "kept = (x) => {\n  return x;\n}", "0;\n  };", "x;\n  };", id="a field alone"),
        pytest.param("kept", "const kept = (x) => {\n  return x;\n};", "0;\n  };", "x;\n  };", id="as a constant"),
        pytest.param(
            "plain", "function plain(x) { return x; }", "(x) => {\n    return 0;\n  },\n  bold",
            "function plain(x) { return x; },\n  bold", id="a property as a function",
        ),
        pytest.param(
            "plain", "plain: (x) => x", "(x) => {\n    return 0;\n  },\n  bold", "(x) => x,\n  bold",
            id="a property alone",
        ),
        pytest.param(
            "bold", "function bold(x) {\n  return x;\n}", "bold(x) {\n    return 0", "bold(x) {\n    return x",
            id="a method of an object as a function",
        ),
        pytest.param(
            "old", "function old(x) {\n  return x;\n}", "function (x) {\n  return 0", "function old(x) {\n  return x",
            id="an assigned function as a statement",
        ),
    ],
)  # fmt: skip
def test_a_function_of_javascript_takes_the_form_that_the_file_has(
    name: str, code: str, before: str, after: str
) -> None:
    row = next(at for at, line in enumerate(CART.split("\n"), 1) if re.search(rf"\b{name}\b", line))
    qualified = name if name in ("plain", "bold", "old") else f"Cart.{name}"
    got = placed("cart.js", CART, f"Here:\n```js\n{code}\n```", qualified, CodeBlock(row, row))
    assert got == CART.replace(before, after or code, 1)


def test_a_method_of_typescript_keeps_what_the_reply_leaves_out() -> None:
    got = placed("cart.ts", TYPED, "```ts\nof(x: number): number {\n  return x;\n}\n```", "Cart.of")
    assert got == TYPED.replace("0", "x")


def test_an_arrow_function_without_a_block_is_no_stub() -> None:
    got = placed("a.js", "const id = (x) => {\n  return 0;\n};\n", "const id = (x) => x;", "id")
    assert got == "const id = (x) => x;\n"


FULL = "def f(x):\n    return x"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(f"```python\n{FULL}\n```\nIts signature is\n```python\ndef f(x): ...\n```", id="its head again"),
        pytest.param(f"```python\ndef f(x): pass\n```\nSo:\n```python\n{FULL}\n```", id="its head before"),
        pytest.param(f"```python\n{FULL}\n```\n".replace("\n", "\r\n"), id="lines that end as on Windows"),
        pytest.param(f"{FULL}\n".replace("\n", "\r\n"), id="no fence, lines that end as on Windows"),
        pytest.param(f"{FULL}\n```\nThat's it.", id="a fence that never began"),
        pytest.param(f"```\n$ python\n```\n```\nf(\n```\n```python\n{FULL}\n```", id="after what is no code"),
    ],
)
def test_the_whole_function_is_found(reply: str) -> None:
    found = code_in("a.py", reply, ["f"])
    assert found is not None
    assert found.strip() == FULL


def test_a_head_is_taken_if_there_is_nothing_else() -> None:
    assert code_in("a.py", "```\ndef f(x): ...\n```", ["f"]) == "def f(x): ..."


def test_a_function_of_go_without_a_body_does_not_count() -> None:
    full = "func F(x int) int {\n\treturn x\n}"
    assert code_in("a.go", f"```go\n{full}\n```\nIts signature:\n```go\nfunc F(x int) int\n```", ["F"]) == full


@pytest.mark.parametrize("examples", [1, 2])
def test_fences_in_a_docstring_do_not_end_the_code(examples: int) -> None:
    example = "    ```python\n    f(1)\n    ```\n\n    ```\n    f(1)\n    ```\n" * examples
    code = f'def f(x):\n    """Return it.\n\n{example}    """\n    return x'
    assert code_in("a.py", f"So:\n\n```python\n{code}\n```\n\nAnd:\n```\nf(1)\n```", ["f"]) == code


def test_a_method_with_its_margin_keeps_its_texts() -> None:
    text = "class A:\n    def f(self):\n        return 0\n"
    code = "    def f(self):\n        return '''\n    one\n  two'''"
    assert placed("a.py", text, f"```python\n{code}\n```", "A.f") == f"class A:\n{code}\n"


def test_a_function_that_came_in_a_list_loses_the_margin_of_the_list() -> None:
    reply = "1. So:\n   ```python\n   def f(x):\n       return '''\n   one'''\n   ```"
    assert code_in("a.py", reply, ["f"]) == "def f(x):\n    return '''\none'''"
