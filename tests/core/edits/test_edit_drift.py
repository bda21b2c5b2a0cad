"""Edits as models write them, beside a file that is written otherwise: every result is held to the byte."""

from collections.abc import Callable

import pytest

from mulligan.core.edits import apply_edit

Drift = Callable[[str], str]

PYTHON = '''import os


class Basket:
    """What somebody wants to buy."""

    def add(self, name, count=1):
        # The same thing twice is one line.
        if name in self.lines:
            self.lines[name] += count
        else:
            self.lines[name] = count  # new

        self.log("added %s" % name)
        return self.lines[name]

    def clear(self):
        self.lines = {}
        return None
'''

GO = """package queue

func (q *Queue) Push(job Job) error {
\tif q.closed {
\t\treturn ErrClosed
\t}
\tq.jobs = append(q.jobs, job)
\treturn nil
}
"""

ADD = """        if name in self.lines:
            self.lines[name] += count
        else:
"""
ADD_NEW = """        if name in self.lines:
            self.lines[name] += 2 * count
            self.touched = True
        else:
"""
ADDED = PYTHON.replace(ADD, ADD_NEW)
PUSH = """\tif q.closed {
\t\treturn ErrClosed
\t}
"""
PUSH_NEW = """\tif q.closed {
\t\tq.refused++
\t\treturn ErrClosed
\t}
"""
PUSHED = GO.replace(PUSH, PUSH_NEW)


def dedented(text: str, by: int) -> str:
    return "".join(line[by:] for line in text.splitlines(keepends=True))


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.splitlines(keepends=True))


def numbered(text: str, style: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(style.format(number) + line for number, line in enumerate(lines, 9))


def halved(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(" " * ((len(line) - len(line.lstrip(" "))) // 2) + line.lstrip(" ") for line in lines)


WHOLE: dict[str, Drift] = {
    "as it stands": lambda text: text,
    "trailing spaces": lambda text: text.replace("\n", "  \n"),
    "tabs for spaces": lambda text: text.replace("    ", "\t"),
    "indent of two for four": halved,
    "indent of eight for four": lambda text: text.replace("    ", "        "),
    "over-indented": lambda text: indented(text, "    "),
    "one space before all": lambda text: indented(text, " "),
    "dedented": lambda text: dedented(text, 4),
    "dedented to the margin": lambda text: dedented(text, 8),
    "first line dedented only": lambda text: text.lstrip(" "),
    "inner spacing": lambda text: text.replace(" += ", "  +=  "),
    "CRLF for LF": lambda text: text.replace("\n", "\r\n"),
    "no final newline": lambda text: text.rstrip("\n"),
    "blank lines around": lambda text: f"\n\n{text}\n",
    "blank line added": lambda text: text.replace("        else", "\n        else"),
    "no-break spaces": lambda text: text.replace(" name ", "\u00a0name\u00a0"),
    "zero-width characters": lambda text: text.replace("name", "na\u200bme"),
    "fence with language": lambda text: f"```python\n{text}```",
    "fence": lambda text: f"```\n{text}```\n",
    "numbers with colon": lambda text: numbered(text, "{}: "),
    "numbers with bar": lambda text: numbered(text, "{}| "),
    "numbers with spaced bar": lambda text: numbered(text, "{} | "),
    "numbers as cat has them": lambda text: numbered(text, "{:>6}\t"),
    "numbers with arrow": lambda text: numbered(text, "{:>6}\u2192"),
    "numbers in brackets": lambda text: numbered(text, "[{}] "),
    "numbers with L": lambda text: numbered(text, "L{}: "),
    "numbers as grep has them": lambda text: numbered(text, "{}:"),
    "path and number": lambda text: numbered(text, "src/basket.py:{}: "),
    "quote marks": lambda text: indented(text, "> "),
    "literal newlines": lambda text: text.replace("\n", "\\n"),
    "fence and numbers": lambda text: f"```\n{numbered(text, '{}: ')}```",
}


@pytest.mark.parametrize("drift", [pytest.param(drift, id=name) for name, drift in WHOLE.items()])
def test_an_edit_that_drifted_as_a_whole_ends_to_the_byte(drift: Drift) -> None:
    assert apply_edit(PYTHON, drift(ADD), drift(ADD_NEW)) == ADDED


TABS: dict[str, Drift] = {
    "four spaces for tabs": lambda text: text.replace("\t", "    "),
    "two spaces for tabs": lambda text: text.replace("\t", "  "),
    "eight spaces for tabs": lambda text: text.replace("\t", "        "),
    "over-indented": lambda text: indented(text, "\t"),
    "dedented": lambda text: dedented(text, 1),
    "literal newlines and tabs": lambda text: text.replace("\n", "\\n").replace("\t", "\\t"),
}


@pytest.mark.parametrize("drift", [pytest.param(drift, id=name) for name, drift in TABS.items()])
def test_a_file_with_tabs_keeps_its_tabs(drift: Drift) -> None:
    assert apply_edit(GO, drift(PUSH), drift(PUSH_NEW)) == PUSHED


def test_a_file_with_crlf_keeps_its_line_endings() -> None:
    content = PYTHON.replace("\n", "\r\n")
    assert apply_edit(content, ADD, ADD_NEW) == ADDED.replace("\n", "\r\n")
    assert apply_edit(content, "import os", "import os\nimport sys") == content.replace("os", "os\r\nimport sys", 1)


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param(
            PYTHON,
            "self.lines[name] = count\n\n        self.log(\u201cadded %s\u201d % name)\n",
            "self.lines[name] = count\n\n        self.log(\u201cput in %s\u201d % name)\n",
            PYTHON.replace("added", "put in"),
            id="curly quotes, and a comment dropped at a line's end",
        ),
        pytest.param(
            "title: \u201cHome\u201d\nlang: en\nsize: 3\n",
            'title: "Home"\nlang: en\n',
            'title: "Home"\nlang: de\n',
            "title: \u201cHome\u201d\nlang: de\nsize: 3\n",
            id="straight quotes where the file has curly ones",
        ),
        pytest.param(
            "a = x - 1\nb = 'it\u2019s'\n",
            "a = x \u2013 1\nb = \u2018it\u2019s\u2019\n",
            "a = x \u2013 2\nb = \u2018it\u2019s so\u2019\n",
            "a = x - 2\nb = 'it\u2019s so'\n",
            id="a dash, and a curly quote that the file has too",
        ),
        pytest.param(
            "nom = 'café'\nville = 'Orléans'\n",
            "nom = 'cafe\u0301'\n",
            "nom = 'the\u0301'\n",
            "nom = 'thé'\nville = 'Orléans'\n",
            id="accents taken apart",
        ),
        pytest.param(
            "alpha\n\nbeta\n\ngamma\n",
            "alpha\nbeta\ngamma\n",
            "alpha\nbeta 2\ngamma\n",
            "alpha\n\nbeta 2\n\ngamma\n",
            id="blank lines dropped",
        ),
        pytest.param(
            PYTHON,
            f"    def add(self, name, count=1):\n{ADD}",
            f"    def add(self, name, count=2):\n{ADD}",
            PYTHON.replace("count=1", "count=2"),
            id="comment line dropped",
        ),
        pytest.param(
            PYTHON,
            "    def clear(self):\n        # empty it\n        self.lines = {}\n        return None\n",
            "    def clear(self):\n        # empty it\n        self.lines = {}\n        return self\n",
            PYTHON.replace("return None", "return self"),
            id="comment line made up",
        ),
        pytest.param(
            PYTHON,
            ADD.replace("        if name", "        if nmae") + "            self.lines[name] = count  # new\n",
            ADD_NEW.replace("        if name", "        if nmae") + "            self.lines[name] = count  # new\n",
            ADDED,
            id="a typo that old and new share",
        ),
        pytest.param(
            PYTHON,
            "        # the same thing twice is one line.\n" + ADD,
            "        # the same thing twice is one line.\n" + ADD_NEW,
            ADDED,
            id="case slip in a comment",
        ),
        pytest.param(
            PYTHON,
            "    def add(self, name, count=1):\n        ...\n        return self.lines[name]\n",
            "    def add(self, name, count=2):\n        ...\n        return self.lines[name], True\n",
            PYTHON.replace("count=1", "count=2").replace("return self.lines[name]", "return self.lines[name], True"),
            id="elision",
        ),
        pytest.param(
            PYTHON,
            "def clear(self):\n    # ... existing code ...\n    return None\n",
            "def clear(self):\n    # ... existing code ...\n    return self\n",
            PYTHON.replace("return None", "return self"),
            id="elision as a comment, dedented",
        ),
        pytest.param(
            PYTHON,
            " \n-        return None\n",
            " \n+        return self\n",
            PYTHON.replace("return None", "return self"),
            id="diff marks",
        ),
        pytest.param(
            PYTHON,
            "     def clear(self):\n         self.lines = {}\n-        return None\n",
            "     def clear(self):\n+        self.log('clear')\n         self.lines = {}\n",
            PYTHON.replace(
                "        self.lines = {}\n        return None", "        self.log('clear')\n        self.lines = {}"
            ),
            id="diff marks with context",
        ),
        pytest.param(
            "usage:\n  -v  more\n  -q  less\n",
            " usage:\n-  -v  more\n",
            " usage:\n+  -v  all\n",
            "usage:\n  -v  all\n  -q  less\n",
            id="diff marks before flags",
        ),
        pytest.param(
            "-- one\nselect 1;\n-- two\n",
            "--- one\n-select 1;\n",
            "+-- one\n+select 2;\n",
            "-- one\nselect 2;\n-- two\n",
            id="diff marks before comments",
        ),
        pytest.param(
            'say("hi", x)\nrest()\n',
            'say(\\"hi\\", x)',
            'say(\\"ho\\", x)',
            'say("ho", x)\nrest()\n',
            id="escaped quotes",
        ),
        pytest.param(
            "if a < b && c:\n    go()\n",
            "if a &lt; b &amp;&amp; c:",
            "if a &lt; b:",
            "if a < b:\n    go()\n",
            id="entities",
        ),
        pytest.param(
            'print("a\\n")\nprint("b")\nend()\n',
            'print("a\\n")\\nprint("b")',
            'print("a\\n")\\nprint("c\\n")',
            'print("a\\n")\nprint("c\\n")\nend()\n',
            id="literal newlines beside real ones in strings",
        ),
        pytest.param(
            "x = call(a, b)  # why\n",
            "call( a,b )",
            "call( a,b,c )",
            "x = call(a, b, c)  # why\n",
            id="part of a line, spaced",
        ),
        pytest.param(
            "def f():\n    go()\n    stop()\n",
            "go()",
            "if ready:\n    go()",
            "def f():\n    if ready:\n        go()\n    stop()\n",
            id="one line named without its indentation",
        ),
        pytest.param(
            "def f():\n    go()\n    stop()\n",
            "go()",
            "go()\n    wait()",
            "def f():\n    go()\n    wait()\n    stop()\n",
            id="one line without its indentation, the next one with it",
        ),
        pytest.param(
            "a: 1\nb: 2  # why\nc: 3\n",
            "a: 1\nb: 2",
            "a: 1\nb: 2\nd: 4",
            "a: 1\nb: 2  # why\nd: 4\nc: 3\n",
            id="a comment dropped at the end of the last line",
        ),
        pytest.param(
            "# a\n#\n####\n\ncode_of_the_file()\n",
            "#\n\ncode_of_the_file()\n",
            "# b\n#\n\ncode_of_the_file()\n",
            "# a\n# b\n#\n####\n\ncode_of_the_file()\n",
            id="a rule of signs",
        ),
        pytest.param(
            "create t (\n    a,\n    b\n)\nselect a\nwhere c\n  and d\n",
            "select a\nwhere c\n\tand d\n",
            "select a\nwhere c\n\tand (\n\t\td or e)\n",
            "create t (\n    a,\n    b\n)\nselect a\nwhere c\n  and (\n    d or e)\n",
            id="tabs where the file has two spaces",
        ),
        pytest.param(
            "{\n\t/*\n\t * why\n\t */\n\tgo();\n}\n",
            "        /*\n         * why\n         */\n        go();\n",
            "        /*\n         * why\n         */\n        if (x)\n                go();\n",
            "{\n\t/*\n\t * why\n\t */\n\tif (x)\n\t\tgo();\n}\n",
            id="eight spaces for tabs beside an aligned comment",
        ),
        pytest.param(
            "\t}\n\tif job.Attempts <= 0 {\n\t\tjob.Attempts = 3\n\t}\n",
            "}\nif job.Attempts <= 0 {\njob.Attempts = 3",
            "}\nif job.window <= 0 {\njob.window = 3",
            "\t}\n\tif job.window <= 0 {\n\t\tjob.window = 3\n\t}\n",
            id="all lines replaced by as many, indentation lost",
        ),
        pytest.param(
            "a('b')\nstop_it()\n",
            "stop_it()\n",
            "if c(\u2018d\u2019):  # don\u2019t\n    stop_it()\n",
            "a('b')\nif c('d'):  # don't\n    stop_it()\n",
            id="curly quotes in the new text alone",
        ),
        pytest.param(
            'say "hi" now\n',
            'say "hi" now\n',
            "say \u201chi\u201d now\n",
            "say \u201chi\u201d now\n",
            id="quotes that are to be curly",
        ),
        pytest.param(
            "List:\n- a thing\n- more of it\n\nend of the list\n",
            " List:\n - a thing\n-- more of it\n \n end of the list\n",
            " List:\n - a thing\n+- less of it\n \n end of the list\n",
            "List:\n- a thing\n- less of it\n\nend of the list\n",
            id="diff marks before a list",
        ),
        pytest.param(
            "f() {\n    go();\n    stop();\n}\n",
            "2|    go();\n3|    stop();",
            "2|    go();\n3|wait();",
            "f() {\n    go();\nwait();\n}\n",
            id="line numbers without a space after them",
        ),
        pytest.param(
            "if a:\n    go()\n    stop()\nelse:\n    wait()\n",
            "2:    go()\n3:    stop()",
            "2:    run(1)\n3:    halt(2)",
            "if a:\n    run(1)\n    halt(2)\nelse:\n    wait()\n",
            id="line numbers without a space before other lines",
        ),
        pytest.param(
            "add(new Entry(entries.size() + 1, from));\n",
            "Entry(entriys.size() + ",
            "Entry(entriys.size() + 6",
            "add(new Entry(entries.size() + 61, from));\n",
            id="a misspelt part that loses the space after it",
        ),
        pytest.param(
            "'freeze plan', which describes how to do it\n",
            "', which describes howd to do",
            " of today', which describes howd to do",
            "'freeze plan of today', which describes how to do it\n",
            id="a misspelt part that gets a space before it",
        ),
    ],
)
def test_an_edit_that_drifted_in_places_ends_to_the_byte(content: str, old: str, new: str, expected: str) -> None:
    assert apply_edit(content, old, new) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(numbered(ADD, "{}: "), ADD_NEW, id="numbers in old alone"),
        pytest.param(ADD, numbered(ADD_NEW, "{}: "), id="numbers in new alone"),
        pytest.param(f"```\n{ADD}```", ADD_NEW, id="fence around old alone"),
        pytest.param(ADD, f"```python\n{ADD_NEW}```", id="fence around new alone"),
    ],
)
def test_marks_on_one_side_alone_are_taken_off(old: str, new: str) -> None:
    assert apply_edit(PYTHON, old, new) == ADDED


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param("- a\n- b\n", "- a\n", "- c\n", "- c\n- b\n", id="a list is no diff"),
        pytest.param("> a\n> b\n", "> a\n", "> c\n", "> c\n> b\n", id="a quotation stays one"),
        pytest.param("1: a\n2: b\n", "1: a\n", "1: c\n", "1: c\n2: b\n", id="a table of numbers stays one"),
        pytest.param("t\n```\nx\n```\n", "```\nx\n```", "```\ny\n```", "t\n```\ny\n```\n", id="a fence in the file"),
        pytest.param(
            "def f():\n    ...\n", "    ...\n", "    return 1\n", "def f():\n    return 1\n", id="an ellipsis"
        ),
        pytest.param(
            "f({\n  ...a,\n  b: 1,\n})\n",
            "  ...a,\n  b: 1,\n",
            "  ...a,\n  ...c,\n  b: 2,\n",
            "f({\n  ...a,\n  ...c,\n  b: 2,\n})\n",
            id="spread arguments",
        ),
        pytest.param("\ufeffa\nb\n", "a", "c\nd", "\ufeffc\nd\nb\n", id="a byte order mark"),
        pytest.param("a = '\\n'\n", "'\\n'", "'\\n\\n'", "a = '\\n\\n'\n", id="an escape in a string"),
    ],
)
def test_what_stands_in_the_file_is_never_unwrapped(content: str, old: str, new: str, expected: str) -> None:
    assert apply_edit(content, old, new) == expected
