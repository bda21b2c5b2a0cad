"""Written code in its place: nothing of the file is lost that the reply did not show."""

import pytest

from mulligan.core.writing.placing import functions_that_differ, place_code, with_function_of

CLOCK = """\
'''Clocks.'''

from datetime import time


class Clock:
    def __init__(self, hour):
        self.hour = hour

    @property
    def shown(self):
        pass

    def add(self, minutes):
        pass


def noon():
    return Clock(12)
"""


def placed(path: str, text: str, code: str) -> str:
    lines = place_code(path, text.rstrip("\n").split("\n"), code)
    assert lines is not None
    return "\n".join(lines) + "\n"


def test_a_function_takes_the_place_of_its_stub_and_the_rest_stays() -> None:
    after = placed("clock.py", CLOCK, "def noon():\n    return Clock(13)")
    assert after == CLOCK.replace("Clock(12)", "Clock(13)")


def test_a_method_without_its_class_is_indented_as_the_file_has_it() -> None:
    code = "def add(self, minutes):\n    if minutes:\n        return 1\n    return 2"
    body = "        if minutes:\n            return 1\n        return 2"
    assert placed("clock.py", CLOCK, code) == CLOCK.replace(
        "add(self, minutes):\n        pass", f"add(self, minutes):\n{body}"
    )


def test_a_decorator_that_the_reply_left_out_stays() -> None:
    after = placed("clock.py", CLOCK, "class Clock:\n    def shown(self):\n        return 'x'")
    assert after == CLOCK.replace("shown(self):\n        pass", "shown(self):\n        return 'x'")


def test_what_a_class_does_not_have_is_added_to_it_and_the_others_are_kept() -> None:
    after = placed("clock.py", CLOCK, "class Clock:\n    def later(self):\n        return 1")
    assert "        pass\n\n    def later(self):\n        return 1\n\n\ndef noon" in after
    assert "self.hour = hour" in after


def test_helpers_and_constants_stand_before_what_uses_them_and_imports_at_the_top() -> None:
    code = (
        "import math\n\nTABLE = {1: 2}\n\ndef double(x):\n    return 2 * x\n\ndef noon():\n    return Clock(double(6))"
    )
    after = placed("clock.py", CLOCK, code)
    assert after.index("import math") < after.index("class Clock") < after.index("TABLE") < after.index("def double")
    assert after.endswith("def double(x):\n    return 2 * x\n\n\ndef noon():\n    return Clock(double(6))\n")


def test_what_shows_the_code_at_work_is_left_out() -> None:
    code = "def leap(y):\n    return y % 4 == 0\n\nif __name__ == '__main__':\n    print(leap(4))"
    assert placed("a.py", "def leap(y):\n    pass\n", code) == "def leap(y):\n    return y % 4 == 0\n"
    assert placed("a.py", "", code) == "def leap(y):\n    return y % 4 == 0\n"


@pytest.mark.parametrize(
    ("path", "text", "code", "after"),
    [
        pytest.param(
            "leap.ts",
            "export const leap = (y: number): boolean => {\n  throw new Error('implement')\n}\n",
            "function leap(y: number): boolean {\n  return y % 4 === 0\n}",
            "export function leap(y: number): boolean {\n  return y % 4 === 0\n}\n",
            id="TypeScript: exported as before",
        ),
        pytest.param(
            "leap.js",
            "function leap(y) {}\n\nmodule.exports = { leap }\n",
            "export function leap(y) {\n  return y % 4 === 0\n}",
            "function leap(y) {\n  return y % 4 === 0\n}\n\nmodule.exports = { leap }\n",
            id="JavaScript: not exported twice",
        ),
        pytest.param(
            "leap.go",
            'package leap\n\n// Leap.\nfunc Leap(y int) bool {\n\tpanic("implement")\n}\n',
            'package main\n\nimport "fmt"\n\nfunc Leap(y int) bool {\n\tfmt.Print(y)\n\treturn true\n}',
            'package leap\n\nimport "fmt"\n\n// Leap.\nfunc Leap(y int) bool {\n\tfmt.Print(y)\n\treturn true\n}\n',
            id="Go: the package and the comment stay",
        ),
        pytest.param(
            "clock.go",
            "package clock\n\ntype C struct{ m int }\n",
            "func (c C) Add(m int) C {\n\treturn C{c.m + m}\n}",
            "package clock\n\ntype C struct{ m int }\n\nfunc (c C) Add(m int) C {\n\treturn C{c.m + m}\n}\n",
            id="Go: a method that is new",
        ),
    ],
)
def test_other_languages_keep_their_own_ways(path: str, text: str, code: str, after: str) -> None:
    assert placed(path, text, code) == after


@pytest.mark.parametrize("code", ["", "x(", "print(1)"])
def test_what_defines_nothing_has_no_place(code: str) -> None:
    assert place_code("a.py", ["def f():", "    pass"], code) is None


@pytest.mark.parametrize("old", ["", "def leap(year):\n    pass\n"])
@pytest.mark.parametrize("itself", ["from leap import leap", "from pack.leap import (\n    leap,\n)", "import leap"])
def test_a_file_does_not_import_itself(old: str, itself: str) -> None:
    code = f"import math\n{itself}\n\n\ndef leap(year):\n    return math.floor(year)\n"
    placed = place_code("pack/leap.py", old.split("\n"), code)
    assert placed is not None
    assert [line for line in placed if line] == ["import math", "def leap(year):", "    return math.floor(year)"]


def test_one_function_of_another_text_with_what_that_imports() -> None:
    other = CLOCK.replace("import time", "import time, timedelta").replace(
        "add(self, minutes):\n        pass", "add(self, minutes):\n        return timedelta(minutes=minutes)"
    )
    mine, theirs = CLOCK.rstrip("\n").split("\n"), other.replace("Clock(12)", "Clock(13)").rstrip("\n").split("\n")
    assert functions_that_differ("clock.py", mine, theirs) == [("Clock", "add", "", 0), ("", "noon", "", 0)]
    mixed = with_function_of("clock.py", mine, theirs, ("Clock", "add", "", 0))
    assert mixed is not None
    assert "\n".join(mixed) == other.rstrip("\n")


def test_texts_that_no_grammar_reads_have_no_functions_to_exchange() -> None:
    assert functions_that_differ("notes.txt", ["a"], ["b"]) == []
    assert functions_that_differ("broken.py", ["def f(:"], ["def f(): return 1"]) == []
