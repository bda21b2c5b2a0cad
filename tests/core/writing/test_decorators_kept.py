"""The decorators of a function that is written again: they belong to the project."""

import pytest

from mulligan.core.writing.placing import place_code


@pytest.mark.parametrize(
    ("before", "came", "after"),
    [
        pytest.param(
            '@app.route("/admin")\n@login_required\n@rate_limit(5)', '@app.route("/admin")',
            '@app.route("/admin")\n@login_required\n@rate_limit(5)', id="two are left out",
        ),
        pytest.param("@classmethod\n@cached", "@classmethod", "@classmethod\n@cached", id="the inner one is left out"),
        pytest.param("@cached", "", "@cached", id="none came"),
        pytest.param("", "@cached", "@cached", id="the file has none"),
        pytest.param("@a\n@b", "@b\n@a", "@a\n@b", id="another order"),
        pytest.param("@a\n@b", "@a\n@new\n@b", "@a\n@new\n@b", id="a new one between them"),
        pytest.param("@a\n@b", "@new\n@a", "@new\n@a\n@b", id="a new one above"),
        pytest.param("@a  # why\n# and this\n@b", "@new", "@a  # why\n# and this\n@b\n@new", id="a new one alone"),
        pytest.param("@rate_limit(5)", "@rate_limit(9)", "@rate_limit(5)", id="another argument"),
        pytest.param("@rate_limit(5)", "@rate_limit", "@rate_limit(5)", id="without its argument"),
        pytest.param('@get("/")', "@get('/', name='x')", "@get('/', name='x')", id="one argument more"),
        pytest.param('@patch("a")\n@patch("b")', '@patch("b")', '@patch("a")\n@patch("b")', id="one of two"),
        pytest.param("@staticmethod", "@classmethod\n@cached", "@staticmethod\n@cached", id="bound in another way"),
    ],
)  # fmt: skip
def test_a_function_keeps_its_decorators_and_gets_new_ones(before: str, came: str, after: str) -> None:
    text, code = f"{before}\ndef f(x):\n    pass".lstrip("\n"), f"{came}\ndef f(x):\n    return x".lstrip("\n")
    assert place_code("a.py", text.split("\n"), code) == tuple(f"{after}\ndef f(x):\n    return x".split("\n"))


def test_a_method_gets_new_decorators_in_its_own_indentation() -> None:
    text = "class A:\n    @a\n    def f(self):\n        pass"
    code = "class A:\n    @a\n    @new(\n        1,\n    )\n    def f(self):\n        return 1"
    assert place_code("a.py", text.split("\n"), code, ["A.f"]) == tuple(code.split("\n"))
    alone = "@a\n@new(\n    1,\n)\ndef f(self):\n    return 1"
    assert place_code("a.py", text.split("\n"), alone, ["A.f"]) == tuple(code.split("\n"))


def test_a_method_of_typescript_keeps_its_decorators_and_gets_new_ones() -> None:
    text = '@Injectable()\nclass A {\n  @Get("x")\n  @Guard()\n  f() {\n    return 0;\n  }\n}'
    code = 'class A {\n  @Log()\n  @Get("x")\n  f() {\n    return 1;\n  }\n}'
    expected = text.replace("0", "1").replace("  @Get", "  @Log()\n  @Get")
    assert place_code("a.ts", text.split("\n"), code, ["A.f"]) == tuple(expected.split("\n"))
