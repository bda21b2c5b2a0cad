"""Code that was written again and says the same is told without a test run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.writing.repeats import says_the_same
from tests.examples import examples

BEFORE = """\
def total(items):
    # adds up
    result = 0
    for item in items:
        result += min(item, 9)
    return result
"""


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(BEFORE.replace("# adds up", "# counts"), id="another comment"),
        pytest.param(BEFORE.replace("# adds up", '"""Adds up."""'), id="a docstring"),
        pytest.param(BEFORE.replace("    ", "  "), id="other indentation"),
        pytest.param(BEFORE.replace("min(item, 9)", "min( item,9 )"), id="other spaces"),
    ],
)
def test_the_same_in_other_clothes_is_the_same(after: str) -> None:
    assert says_the_same("total.py", BEFORE, after)


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(BEFORE.replace("min", "max"), id="another function"),
        pytest.param(BEFORE.replace("    return", "        return"), id="a return in the loop"),
        pytest.param(BEFORE.replace("9", "8"), id="another number"),
        pytest.param(BEFORE.replace("return result", "return items"), id="another variable of the same function"),
        pytest.param(BEFORE.replace("min(item, 9)", "(item,)"), id="a tuple"),
        pytest.param(BEFORE.replace("+= min(item, 9)", "= result"), id="something left out"),
    ],
)
def test_what_does_something_else_is_not_the_same(after: str) -> None:
    assert not says_the_same("total.py", BEFORE, after)
    assert not says_the_same("total.py", after, BEFORE)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        pytest.param("a.js", "f(`${a}${b}`)", "f(`${a} ${b}`)", id="a space in a template"),
        pytest.param("a.js", "f(';')", "f('')", id="a semicolon in a text"),
        pytest.param("a.js", "function f(x) { return\nx }", "function f(x) { return x }", id="a lost result"),
        pytest.param("a.go", 'package a\nvar s = f(a, ",")', 'package a\nvar s = f(a, ", ")', id="go"),
        pytest.param("a.go", "package a\nvar s = ` `", "package a\nvar s = ``", id="a raw text"),
        pytest.param("a.go", "package a\nvar s = '.'", 'package a\nvar s = "."', id="a character and a text"),
        pytest.param("A.java", 'class A { String s = " a"; }', 'class A { String s = "a"; }', id="java"),
        pytest.param("a.rs", 'fn f() -> &str { " " }', 'fn f() -> &str { "" }', id="rust"),
        pytest.param("a.rs", 'fn f() -> &str { r" " }', 'fn f() -> &str { r"a" }', id="a raw text in rust"),
        pytest.param("A.cs", 'class A { string S = $"{a}{b}"; }', 'class A { string S = $"{a} {b}"; }', id="c#"),
        pytest.param("a.py", "dict(nmae=d)", "dict(name=d)", id="the name of an argument"),
        pytest.param("a.py", "def f(rev=False): return g(rev)", "def f(desc=False): return g(desc)", id="a parameter"),
        pytest.param("a.py", "class A:\n    nmae: str = ''", "class A:\n    name: str = ''", id="a field"),
        pytest.param("a.js", "export const NMAE = 1", "export const NAME = 1", id="an exported constant"),
        pytest.param("a.py", """s.strip("'")""", """s.strip('"')""", id="a quote in quotes"),
        pytest.param("a.py", "for x in xs:\n    a = x", "for x in xs:\n    b = x", id="another variable that is set"),
    ],
)
def test_a_correction_of_texts_or_names_is_not_the_same(path: str, before: str, after: str) -> None:
    assert not says_the_same(path, before, after)
    assert says_the_same(path, before, f"{before}\n")


@given(st.sampled_from(["a.py", "a.js", "a.ts", "a.go", "A.java", "a.rs", "A.cs", "a.php", "a.c"]), st.data())
@settings(max_examples=examples(400), deadline=None)
def test_no_two_different_texts_are_the_same(path: str, data: st.DataObject) -> None:
    texts = st.text(" ;,'ab#/", max_size=4)
    one, other = data.draw(texts), data.draw(texts)
    assert says_the_same(path, _with_text(path, one), _with_text(path, other)) == (one == other)


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.ts"])
def test_other_quotes_say_the_same_where_they_mean_the_same(path: str) -> None:
    assert says_the_same(path, "f('a b', '')", 'f("a b", "")')


def _with_text(path: str, text: str) -> str:
    """A file in which a function returns this text."""
    value = f'"{text}"'
    return {
        "py": f"def f():\n    return {value}\n",
        "js": f"function f() {{ return {value}; }}",
        "ts": f"function f() {{ return {value}; }}",
        "go": f"package a\n\nfunc f() string {{ return {value} }}\n",
        "java": f"class A {{ String f() {{ return {value}; }} }}",
        "rs": f"fn f() -> &str {{ {value} }}",
        "cs": f"class A {{ string F() {{ return {value}; }} }}",
        "php": f"<?php function f() {{ return {value}; }}",
        "c": f"char *f() {{ return {value}; }}",
    }[path.rpartition(".")[2]]
