from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.codecontext.syntax_check import MAX_FILE_BYTES, MAX_REPORTED, TreeSitterSyntax

SYNTAX = TreeSitterSyntax()


@dataclass(frozen=True)
class Sample:
    path: str
    text: str
    old: str
    new: str
    """Put in the place of `old` it breaks the syntax."""
    line: int

    @property
    def broken(self) -> str:
        assert self.text.count(self.old) == 1
        return self.text.replace(self.old, self.new)


SAMPLES = [
    Sample("a.py", "import os\n\n\ndef f(x):\n    return x + 1\n\n\ng()\n", "return x + 1", "return (x + 1", 5),
    Sample("a.pyi", "def f(x: int) -> int: ...\nclass A: ...\n", "class A: ...", "class A(: ...", 2),
    Sample("a.js", "const a = 1;\nfunction f() {\n  return a;\n}\nf();\n", "return a;", "return a +;", 3),
    Sample("a.jsx", "const a = <p>hi</p>;\nconst b = <b>x</b>;\n", "<b>x</b>", "<b>x</i", 2),
    Sample("a.ts", "type A = { a: string };\nconst b: A = { a: 'x' };\n", "= { a: 'x' }", "= { a 'x' }", 2),
    Sample("a.tsx", "const A = (p: P) => <p>{p.x}</p>;\nexport { A };\n", "export { A }", "export { = A }", 2),
    Sample("a.go", "package a\n\nfunc f() int {\n\treturn 1\n}\n", "func f() int {", "func f( int {", 3),
    Sample("a.rs", "fn f() -> i32 {\n    let a = 1;\n    a\n}\n", "let a = 1;", "let a = ;", 2),
    Sample("A.java", "class A {\n    int f() {\n        return 1;\n    }\n}\n", "return 1;", "return 1 +;", 3),
    Sample("a.c", "int f(int a) {\n    return a;\n}\n", "return a;", "return a", 2),
    Sample("a.h", "int f(int a);\nstruct A { int a; };\n", "int f(int a);", "int f(int a;", 1),
    Sample("a.cpp", "class A {\npublic:\n    int f() { return 1; }\n};\n", "{ return 1; }", "{ return 1 +; }", 3),
    Sample("A.cs", "class A {\n    int F() {\n        return 1;\n    }\n}\n", "return 1;", "return 1 +;", 3),
    Sample("a.rb", "def f\n  puts 1\nend\n\nf\n", "puts 1", "puts (1", 2),
    Sample("a.php", "<?php\nfunction f() {\n    return 1;\n}\n", "return 1;", "return 1 +;", 3),
    Sample("a.sh", "if true; then\n  ls\nfi\n", "fi\n", "\n", 2),
    Sample("a.lua", "local function f()\n  return 1\nend\nf()\n", "return 1", "return = 1", 2),
    Sample("a.json", '{\n  "a": 1,\n  "b": [1, 2]\n}\n', "[1, 2]", "[1, 2", 3),
]  # fmt: skip
BY_PATH = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.path)


@BY_PATH
def test_a_sound_text_has_no_problem(sample: Sample) -> None:
    assert SYNTAX.new_problems(sample.path, None, sample.text) == ()


@BY_PATH
def test_a_broken_edit_is_told_with_its_place(sample: Sample) -> None:
    problems = SYNTAX.new_problems(sample.path, sample.text, sample.broken)

    assert sample.line in [problem.line for problem in problems]
    assert all(problem.text == sample.broken.split("\n")[problem.line - 1] for problem in problems)


@BY_PATH
def test_a_new_file_that_is_broken_is_told(sample: Sample) -> None:
    assert SYNTAX.new_problems(sample.path, None, sample.broken)


@BY_PATH
def test_what_was_broken_before_is_not_held_against_an_edit(sample: Sample) -> None:
    assert SYNTAX.new_problems(sample.path, sample.broken, sample.broken + "\n") == ()


@BY_PATH
def test_an_edit_that_mends_has_no_problem(sample: Sample) -> None:
    assert SYNTAX.new_problems(sample.path, sample.broken, sample.text) == ()


def test_a_language_that_is_not_known_is_not_judged() -> None:
    assert SYNTAX.new_problems("a.txt", "sound", "(((((") == ()


def test_a_header_is_sound_if_it_is_sound_as_cpp() -> None:
    text = "#pragma once\nnamespace a {\ntemplate <typename T>\nclass B {\npublic:\n    T f() const;\n};\n}\n"

    assert SYNTAX.new_problems("a.h", None, text) == ()
    assert SYNTAX.new_problems("a.h", text, text.replace("f() const;", "f( const;"))


@pytest.mark.parametrize("path", ["tsconfig.json", "web/tsconfig.app.json", "a.jsonc", ".vscode/settings.json"])
def test_comments_and_last_commas_are_sound_in_json_that_may_have_them(path: str) -> None:
    text = '{\n  // why\n  "a": 1, /* so */\n  "b": [1, 2,],\n}\n'

    assert SYNTAX.new_problems(path, None, text) == ()
    assert SYNTAX.new_problems(path, text, text.replace('"a": 1', '"a" 1'))


def test_comments_are_a_problem_in_plain_json() -> None:
    assert [problem.line for problem in SYNTAX.new_problems("package.json", None, '{\n  // why\n  "a": 1\n}\n')] == [2]


def test_the_problem_nearest_to_the_edit_is_told_not_the_one_that_was_there() -> None:
    before = "def a(:\n    pass\n\n\n" + "x = 1\n" * 50 + "y = 2\n"
    after = before.replace("y = 2\n", "y = = 2\n")

    assert [problem.line for problem in SYNTAX.new_problems("a.py", before, after)] == [55]


def test_only_so_many_problems_are_told() -> None:
    problems = SYNTAX.new_problems("a.js", "f();\n" * 40, "f(;\n" * 40)

    assert 0 < len(problems) <= MAX_REPORTED


def test_a_very_long_line_is_cut() -> None:
    (problem,) = SYNTAX.new_problems("a.py", None, "x = (" + "1 + " * 1_000 + "\n")

    assert len(problem.text) < 250


def test_a_very_large_file_is_not_parsed() -> None:
    assert SYNTAX.new_problems("a.py", None, "(" * (MAX_FILE_BYTES + 1)) == ()


def test_line_ends_of_windows_do_not_shift_the_place() -> None:
    text = "import os\r\n\r\nx = 1\r\n"

    (problem,) = SYNTAX.new_problems("a.py", text, text.replace("x = 1", "x = = 1"))

    assert (problem.line, problem.text) == (3, "x = = 1")


@settings(deadline=None)
@given(
    path=st.sampled_from([sample.path for sample in SAMPLES]),
    before=st.none() | st.text(max_size=80),
    after=st.text(max_size=80),
)
def test_any_text_is_answered_with_lines_it_has(path: str, before: str | None, after: str) -> None:
    for problem in SYNTAX.new_problems(path, before, after):
        assert 1 <= problem.line <= len(after.split("\n"))


@settings(deadline=None)
@given(path=st.sampled_from([sample.path for sample in SAMPLES]), text=st.text(max_size=80))
def test_a_text_that_stays_as_it_is_has_no_new_problem(path: str, text: str) -> None:
    assert SYNTAX.new_problems(path, text, text) == ()
