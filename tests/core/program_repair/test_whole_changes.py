"""Changes of more than one line: imports of other languages, a result that is not handed out, a lost change."""

from collections.abc import Sequence

import pytest

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.candidates import slips
from mulligan.core.retrieval.excerpts import Excerpt
from tests.core.program_repair.made_variants import plain

RECORD = "export function record(team) {\n  return team;\n}"
PLAIN = "function record(team) {\n  return team;\n}\n\nmodule.exports = { record };"
COPIES = """\
func (s *Stock) Take(item string, n int) {
	for _, bin := range s.bins {
		if bin.Item == item {
			bin.Count -= n
		}
	}
}"""


def fixed(files: dict[str, str], failure: str = "", *, suspects: Sequence[LineLocation] = ()) -> list[tuple[str, str]]:
    sources = tuple(Excerpt(path, 1, text.count("\n") + 1, text) for path, text in files.items())
    brief = Brief("", sources, (), (failure,) if failure else (), (), tuple(suspects))
    made = slips(brief, {path: text.split("\n") for path, text in files.items()})
    return [(each.path, "\n".join(each.lines)) for each in (slip.candidate() for slip in made)]


@pytest.mark.parametrize(
    ("path", "text", "other", "failure", "meant"),
    [
        pytest.param(
            "src/league.js",
            "export const table = (teams) => teams.map(record);",
            {"src/record.js": RECORD},
            "table() raised ReferenceError: record is not defined",
            'import { record } from "./record.js";\nexport const table = (teams) => teams.map(record);',
            id="a module",
        ),
        pytest.param(
            "lib/league.js",
            "module.exports = { table: (teams) => teams.map(record) };",
            {"record.js": PLAIN},
            "ReferenceError: record is not defined",
            'const { record } = require("../record.js");\nmodule.exports = { table: (teams) => teams.map(record) };',
            id="a required file",
        ),
        pytest.param(
            "src/league.js",
            'import { points } from "./record.js";\nexport const table = (teams) => teams.map(record);',
            {"src/record.js": RECORD},
            "ReferenceError: record is not defined",
            'import { points, record } from "./record.js";\nexport const table = (teams) => teams.map(record);',
            id="beside what is imported",
        ),
        pytest.param(
            "a.go",
            'package a\n\nimport (\n\t"fmt"\n)\n\nvar n, _ = strconv.Atoi("1")',
            {},
            "build: undefined: strconv",
            'package a\n\nimport (\n\t"strconv"\n\t"fmt"\n)\n\nvar n, _ = strconv.Atoi("1")',
            id="a package of Go, in a group",
        ),
        pytest.param(
            "a.go",
            'package a\n\nvar n, _ = strconv.Atoi("1")',
            {},
            "build: undefined: strconv",
            'package a\n\nimport "strconv"\n\nvar n, _ = strconv.Atoi("1")',
            id="a package of Go, the first",
        ),
    ],
)
def test_an_import_that_a_failure_misses_is_put_in(
    path: str, text: str, other: dict[str, str], failure: str, meant: str
) -> None:
    assert (path, meant) in fixed({path: text, **other}, failure)


def test_a_name_that_the_file_defines_is_not_imported() -> None:
    failure = "ReferenceError: record is not defined"
    assert not [text for _, text in fixed({"a.js": RECORD, "b.js": RECORD}, failure) if "import" in text]


@pytest.mark.parametrize(
    ("path", "text", "meant"),
    [
        pytest.param(
            "a.py",
            "def count(votes):\n    tally = {}\n    for vote in votes:\n        tally[vote] = 1",
            "def count(votes):\n    tally = {}\n    for vote in votes:\n        tally[vote] = 1\n    return tally",
            id="what a function made",
        ),
        pytest.param(
            "a.js",
            "class List {\n  add(item) {\n    this.items.push(item);\n  }\n}",
            "class List {\n  add(item) {\n    this.items.push(item);\n    return this;\n  }\n}",
            id="the thing itself",
        ),
    ],
)
def test_a_function_that_returns_nothing_hands_out_what_it_holds(path: str, text: str, meant: str) -> None:
    assert (path, meant) in fixed({path: text}, suspects=[LineLocation(path, 3)])


def test_what_is_set_in_a_copy_of_a_loop_is_set_in_the_list() -> None:
    meant = COPIES.replace("for _, bin", "for i, bin").replace("bin.Count -=", "s.bins[i].Count -=")
    assert ("a.go", meant) in fixed({"a.go": COPIES})


def test_a_method_that_sets_a_field_gets_the_thing_and_no_copy() -> None:
    text = "func (c Counter) Add() {\n\tc.count++\n}"
    assert ("a.go", text.replace("c Counter", "c *Counter")) in fixed({"a.go": text})
    reading = "func (c Counter) Count() int {\n\treturn c.count\n}"
    assert not [text for _, text in fixed({"a.go": reading}) if "*Counter" in text]


LETTER = """\
def page(name, loud):
    if loud:
        text = \"\"\"Dear guest,
welcome.
        Come in.
\"\"\"
        log(name)
    return text"""


def test_a_text_of_several_lines_is_the_same_in_another_place() -> None:
    letter = '"""Dear guest,\nwelcome.\n        Come in.\n"""'
    made = [
        text for _, text in fixed({"a.py": LETTER}, "page('a') gave 3, expected 4", suspects=[LineLocation("a.py", 3)])
    ]
    moved = [text for text in made if -1 < text.find("log(name)") < text.find("text =")]
    assert moved
    assert [text for text in made if '"""' in text and letter not in text] == []


BRANCHES = """\
export class Log {
  add(msg) {
    if (this.loud)
      console.log(msg);
    return this.count;
  }
}"""


def test_a_branch_without_brackets_neither_grows_nor_takes_the_next_statement() -> None:
    made = [
        text for _, text in fixed({"a.js": BRANCHES}, "add() gave 3, expected 4", suspects=[LineLocation("a.js", 4)])
    ]
    branches = {plain(text).partition("if(this.loud)")[2] for text in made if "if (this.loud)" in text}
    assert "{}returnthis.count;}}" in branches
    assert [each for each in branches if each.startswith("returnthis")] == []
    kept = [each for each in branches if each.startswith("console.log(msg);")]
    assert all(each.startswith(("console.log(msg);return", "console.log(msg);}")) for each in kept)
    assert all(each.count("return") <= 1 for each in kept)
