"""`mulligan fix` where code is missing: a small model writes it, and the project's tests judge it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.e2e.fix_project import Repository, project_with, say
from tests.scripted_server import running

GUIDED = ("--agency", "guided", "--yes")


@dataclass(frozen=True)
class StubProject:
    """A module that is a stub, its tests, and what a model makes of it."""

    path: str
    files: dict[str, str]
    verify: str
    reply: str
    told: tuple[str, ...]
    """Pieces of what the model has to be told."""


PYTHON = StubProject(
    path="leap.py",
    files={
        "INSTRUCTIONS.md": "# Leap\n\nA year is a leap year if it can be divided by 4, but not by 100.\n",
        "leap.py": "def leap_year(year):\n    pass\n",
        "leap_test.py": (
            "import unittest\n\nfrom leap import leap_year\n\n\nclass LeapTest(unittest.TestCase):\n"
            "    def test_leap(self):\n        self.assertEqual(leap_year(1996), True)\n\n"
            "    def test_common(self):\n        self.assertEqual(leap_year(1900), False)\n"
        ),
    },
    verify="python3 -m unittest leap_test",
    reply=(
        "Sure! A leap year can be divided by 4:\n\n```python\ndef leap_year(year):\n"
        "    return year % 4 == 0 and year % 100 != 0\n```\n\nHope this helps."
    ),
    told=(
        "can be divided by 4",
        "def leap_year(year):",
        "leap_year(1996) == True",
        "leap_year(1900) == False",
    ),
)
GO = StubProject(
    path="hamming.go",
    files={
        "go.mod": "module hamming\n\ngo 1.18\n",
        "hamming.go": (
            "// Package hamming compares strands.\npackage hamming\n\n"
            "// Distance counts where two strands differ.\nfunc Distance(a, b string) int {\n"
            '\tpanic("Please implement the Distance function")\n}\n'
        ),
        "hamming_test.go": (
            'package hamming\n\nimport "testing"\n\nfunc TestDistance(t *testing.T) {\n'
            '\tif got := Distance("GAT", "CAT"); got != 1 {\n\t\tt.Errorf("Distance gave %d, want 1", got)\n\t}\n}\n'
        ),
    },
    verify="go test ./...",
    reply=(
        "```go\npackage hamming\n\nfunc Distance(a, b string) int {\n\tcount := 0\n\tfor i := range a {\n"
        "\t\tif a[i] != b[i] {\n\t\t\tcount++\n\t\t}\n\t}\n\treturn count\n}\n```\nIt compares byte by byte."
    ),
    told=("Distance counts where two strands differ", "func Distance(a, b string) int", 'Distance("GAT", "CAT")'),
)
TYPESCRIPT = StubProject(
    path="bob.ts",
    files={
        "bob.ts": (
            "export function hey(message: string): string {\n"
            "  throw new Error('Remove this line and implement the function')\n}\n"
        ),
        # Node 20 reads no types: they are taken off on the way.
        "hooks.mjs": (
            "import { readFileSync } from 'node:fs'\nimport { fileURLToPath } from 'node:url'\n"
            "export const resolve = (name, context, next) => next(name === './bob' ? './bob.ts' : name, context)\n"
            "export const load = (url, context, next) => url.endsWith('.ts')\n"
            "  ? { format: 'module', shortCircuit: true,\n"
            "      source: readFileSync(fileURLToPath(url), 'utf8').replaceAll(': string', '') }\n"
            "  : next(url, context)\n"
        ),
        "register.mjs": "import { register } from 'node:module'\nregister('./hooks.mjs', import.meta.url)\n",
        "bob.test.ts": (
            "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { hey } from './bob'\n\n"
            "test('a question', () => {\n  assert.equal(hey('You?'), 'Sure.')\n})\n"
        ),
    },
    verify="node --import ./register.mjs --test bob.test.ts",
    reply=(
        "Here is the code.\n```typescript\nfunction hey(message: string): string {\n"
        "  return message.endsWith('?') ? 'Sure.' : 'Whatever.'\n}\n```"
    ),
    told=("export function hey(message: string): string", "hey('You?'), 'Sure.'"),
)


def fix(repository: Repository, log: Path, *replies: str, verify: str) -> tuple[Finished, list[dict[str, Any]]]:
    """What came of the run, and what the model was sent."""
    script = Script.model_validate({"replies": [say(each) for each in replies]})
    with running(script, log=log) as server:
        done = repository.fix_at(server, *GUIDED, goal="make the tests pass", verify=verify)
    lines = log.read_text().splitlines() if log.exists() else []
    return done, [json.loads(line)["body"] for line in lines if "messages" in json.loads(line).get("body", {})]


def notes(done: Finished) -> list[str]:
    return [frame["text"] for frame in done.frames if frame["type"] == "run_note"]


def trials(done: Finished) -> list[str]:
    ended = [frame for frame in done.frames if frame["type"] == "run_check" and frame["purpose"] == "candidate"]
    return [frame["note"] for frame in ended]


@pytest.mark.parametrize(
    "project",
    [pytest.param(PYTHON, id="Python"), pytest.param(GO, id="Go"), pytest.param(TYPESCRIPT, id="TypeScript")],
)
def test_a_stub_is_written_with_one_question_and_no_slip(
    mulligan: Command, tmp_path: Path, project: StubProject
) -> None:
    repository = project_with(mulligan, project.files)
    done, sent = fix(repository, tmp_path / "log", project.reply, verify=project.verify)
    assert (done.end["verdict"], done.end["files"]) == ("verified", [project.path])
    assert len(sent) == 1
    told = sent[0]["messages"][1]["content"]
    for piece in project.told:
        assert piece in told
    assert {note.partition(":")[0] for note in trials(done)} == {project.path}
    assert any(note.startswith("Order: write what is missing") for note in notes(done))
    assert not (repository.folder / project.path).read_text().endswith("\n\n")


def test_samples_are_asked_for_in_two_wordings_until_one_passes(mulligan: Command, tmp_path: Path) -> None:
    repository = project_with(mulligan, PYTHON.files)
    wrong = [f"```python\ndef leap_year(year):\n    return {value}\n```" for value in ("'no'", "[]", "{}")]
    done, sent = fix(repository, tmp_path / "log", *wrong, PYTHON.reply, verify=PYTHON.verify)
    assert done.end["verdict"] == "verified"
    assert [each["temperature"] for each in sent] == [0, 0, 0, 0.6]
    first, corrected, in_other_words, warmer = (each["messages"] for each in sent)
    assert corrected[: len(first)] == first
    assert "leap_year(1900) gave None, expected False" in in_other_words[-1]["content"]
    assert "in other words" in " ".join(notes(done))
    assert warmer == first


def test_what_a_sample_fails_in_is_fed_back_as_long_as_fewer_tests_fail(mulligan: Command, tmp_path: Path) -> None:
    files = dict(PYTHON.files)
    files["leap_test.py"] += "\n    def test_century(self):\n        self.assertEqual(leap_year(2000), True)\n"
    repository = project_with(mulligan, files)
    none = "```python\ndef leap_year(year):\n    return 'no'\n```"
    half = "```python\ndef leap_year(year):\n    return year % 4 == 0\n```"
    whole = half.replace("== 0", "== 0 and (year % 100 != 0 or year % 400 == 0)")
    done, sent = fix(repository, tmp_path / "log", none, half, whole, verify=PYTHON.verify)
    assert done.end["verdict"] == "verified"
    first, second, third = (each["messages"] for each in sent)
    assert second[: len(first)] == third[: len(first)] == first
    assert third[len(first)]["content"] == half
    assert "leap_year(1900)" in third[-1]["content"]
    assert "leap_year(1996)" not in third[-1]["content"]


def test_an_error_that_tests_expect_is_told_with_its_message(mulligan: Command, tmp_path: Path) -> None:
    files = dict(PYTHON.files)
    files["leap_test.py"] += (
        "\n    def test_before(self):\n        with self.assertRaises(ValueError) as err:\n            leap_year(-1)\n"
        '        self.assertEqual(err.exception.args[0], "no such year")\n'
    )
    repository = project_with(mulligan, files)
    right = "    if year < 0:\n        raise ValueError('no such year')\n    return year % 4"
    reply = PYTHON.reply.replace("    return year % 4", right)
    done, sent = fix(repository, tmp_path / "log", PYTHON.reply, reply, verify=PYTHON.verify)
    assert done.end["verdict"] == "verified"
    assert "leap_year(-1) raises ValueError('no such year')" in sent[0]["messages"][1]["content"]
    assert "leap_year(-1) raised nothing, expected ValueError('no such year')" in sent[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("files", "asked"),
    [
        pytest.param({"leap.py": ""}, "Write the file leap.py", id="an empty file"),
        pytest.param({}, "Write the file leap.py", id="a file that nobody has made"),
        pytest.param({"leap.py": "FIRST = 1582\n"}, "Write `leap_year` in leap.py", id="a name that nobody defines"),
    ],
)
def test_what_tests_import_and_nobody_defines_is_written(
    mulligan: Command, tmp_path: Path, files: dict[str, str], asked: str
) -> None:
    rest = {path: text for path, text in PYTHON.files.items() if path != "leap.py"}
    repository = project_with(mulligan, rest | files)
    done, sent = fix(repository, tmp_path / "log", PYTHON.reply, verify=PYTHON.verify)
    assert done.end["verdict"] == "verified"
    assert asked in sent[0]["messages"][1]["content"]
    assert (repository.folder / "leap.py").read_text().startswith(files.get("leap.py") or "def leap_year")


def test_a_method_that_a_class_lacks_is_written_into_it(mulligan: Command, tmp_path: Path) -> None:
    code = "class Cart:\n    def __init__(self, items):\n        self.items = items\n"
    tests = (
        "import unittest\n\nfrom cart import Cart\n\n\nclass CartTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(Cart([1, 2]).total(), 3)\n"
    )
    repository = project_with(mulligan, {"cart.py": code, "test_cart.py": tests})
    method = "    def total(self):\n        return sum(self.items)\n"
    done, sent = fix(repository, tmp_path / "log", f"```\n{method}```", verify="python3 -m unittest test_cart")
    assert done.end["verdict"] == "verified"
    assert "Write `Cart.total` in cart.py" in sent[0]["messages"][1]["content"]
    assert (repository.folder / "cart.py").read_text() == f"{code}\n{method}"


def test_a_loop_that_never_ends_is_found_where_it_is_and_cured_without_a_question(mulligan: Command) -> None:
    halves = (
        "def halvings(number):\n    count = 0\n    while number >= 0:\n        number //= 2\n        count += 1\n"
        "    return count\n"
    )
    tests = (
        "import unittest\n\nfrom halves import halvings\n\n\nclass HalvesTest(unittest.TestCase):\n"
        "    def test_eight(self):\n        self.assertEqual(halvings(8), 4)\n\n"
        "    def test_none(self):\n        self.assertEqual(halvings(0), 0)\n"
    )
    repository = project_with(mulligan, {"halves.py": halves, "test_halves.py": tests})
    with running(Script.model_validate({"replies": [say("No idea.")], "then": "repeat_last"})) as server:
        done = repository.fix_at(
            server, *GUIDED, "--timeout", "5", goal="make the tests pass", verify="python3 -m unittest"
        )
        assert not server.requests()
    assert done.end["verdict"] == "verified"
    baseline = next(each for each in done.frames if each["type"] == "run_check" and each["purpose"] == "baseline")
    assert (baseline["failing"], baseline["timed_out"]) == (2, False)
    cured = (mulligan.project / "halves.py").read_text()
    assert "while number > 0:" in cured or "while number >= 1:" in cured
