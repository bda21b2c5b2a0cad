"""Which lines each test runs, told by the real runners of real little projects, in the sandbox."""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from mulligan.core.failures import read_report
from mulligan.core.fault_localisation.plan import plan_trace
from mulligan.core.fault_localisation.traces import TracedTest, read_traces
from mulligan.core.fix_runs.hanging_tests import interrupter_of
from mulligan.types.fixing import Check
from mulligan.workspace.traced_tests import BatchRuns, run_interrupted, run_traced
from tests.patience import PATIENCE
from tests.workspace.traced_project import project_with, run_texts

FINES = """\
def fine(days):
    if days < 0:
        return 1
    return rate(days)


def rate(days):
    return days * 15


def unused():
    return 0
"""
PYTEST = """\
from fines import fine


def test_early():
    assert fine(-1) == 0


def test_late():
    assert fine(2) == 30
"""
UNITTEST = """\
import unittest

from fines import fine


class Fines(unittest.TestCase):
    def test_early(self):
        self.assertEqual(fine(-1), 0)

    def test_late(self):
        self.assertEqual(fine(2), 30)
"""
SCRIPT = """\
export function fine(days) {
  if (days < 0) {
    return 1;
  }
  return rate(days);
}

function rate(days) {
  return days * 15;
}
"""
SCRIPT_TEST = """\
import { test } from 'node:test';
import assert from 'node:assert';
import { fine } from './fines.mjs';

test('early', () => assert.equal(fine(-1), 0));
test('late', () => assert.equal(fine(2), 30));
"""
GO = """\
package fines

func Fine(days int) int {
	if days < 0 {
		return 1
	}
	return days * 15
}
"""
GO_TEST = """\
package fines

import "testing"

func TestEarly(t *testing.T) {
	if Fine(-1) != 0 {
		t.Fatal("no")
	}
}

func TestLate(t *testing.T) {
	if Fine(2) != 30 {
		t.Fatal("no")
	}
}
"""
PYTHON_RAN = {"early": {2, 3}, "late": {2, 4, 8}}


@pytest.mark.parametrize(
    ("files", "command", "source", "ran"),
    [
        pytest.param(
            {"fines.py": FINES, "test_fines.py": PYTEST},
            f"{sys.executable} -m pytest -q -p no:cacheprovider",
            "fines.py",
            PYTHON_RAN,
            id="pytest",
        ),
        pytest.param(
            {"fines.py": FINES, "test_fines.py": UNITTEST},
            f"PYTHONPATH=. {sys.executable} -m unittest",
            "fines.py",
            PYTHON_RAN,
            id="unittest, with a search path of its own",
        ),
        pytest.param(
            {"fines.mjs": SCRIPT, "fines.test.mjs": SCRIPT_TEST},
            "node --test",
            "fines.mjs",
            {"early": {1, 2, 3}, "late": {1, 2, 5, 8, 9}},
            id="Node",
        ),
        pytest.param(
            {"fines.go": GO, "fines_test.go": GO_TEST, "go.mod": "module fines\n\ngo 1.19\n"},
            "go test ./...",
            "fines.go",
            {"early": {3, 4, 5, 6}, "late": {3, 4, 7}},
            id="Go",
        ),
    ],
)
async def test_each_test_is_seen_with_the_lines_it_runs(
    tmp_path: Path, files: dict[str, str], command: str, source: str, ran: dict[str, set[int]]
) -> None:
    seen = await traced(tmp_path, files, command)
    assert {name_of(each): each.passed for each in seen} == {"early": False, "late": True}
    assert {name_of(each): set(each.lines[source]) for each in seen} == ran
    assert {path.name for path in (tmp_path / "project").iterdir() if path.name != "__pycache__"} == set(files)


ALIKE = """\
import { describe, it, test } from 'node:test';
import assert from 'node:assert';
import { fine } from './fines.mjs';

test('handles empty', () => assert.equal(fine(-1), 0));
test('empty', () => assert.equal(fine(2), 30));
test('twice', () => assert.equal(fine(-1), 0));
test('twice', () => assert.equal(fine(2), 30));
test('y', () => assert.equal(fine(2), 30));
describe('a', () => it('same', () => assert.equal(fine(-1), 0)));
describe('b', () => it('same', () => assert.equal(fine(2), 30)));
"""


@pytest.mark.parametrize("reporter", ["tap", "spec"])
async def test_tests_in_node_with_names_that_end_alike_are_told_apart(tmp_path: Path, reporter: str) -> None:
    files = {"fines.mjs": SCRIPT, "fines.test.mjs": ALIKE}
    seen = await traced(tmp_path, files, f"node --test --test-reporter={reporter}")
    assert [(each.id.partition("fines.test.mjs > ")[2], each.passed) for each in seen] == [
        ("handles empty", False),
        ("empty", True),
        ("twice", False),
        ("twice", True),
        ("y", True),
        ("a > same", False),
        ("b > same", True),
    ]


GO_SKIPPED = """
func TestSkipped(t *testing.T) {
	Fine(-1)
	t.Skip("not yet")
}
"""
GO_PACKAGES = {
    "go.mod": "module example.org/fines\n\ngo 1.19\n",
    "a/fines.go": GO,
    "a/fines_test.go": GO_TEST.replace("TestEarly", "TestFine").partition("func TestLate")[0],
    "b/fines.go": GO,
    "b/fines_test.go": GO_TEST.replace("TestLate", "TestFine").replace("-1) != 0", "-1) != 1") + GO_SKIPPED,
}


async def test_tests_of_one_name_in_two_packages_of_go_are_told_apart_and_skipped_ones_left_out(tmp_path: Path) -> None:
    seen = await traced(tmp_path, GO_PACKAGES, "go test ./...")
    assert {each.id: each.passed for each in seen} == {
        "example.org/fines/a.TestFine": False,
        "example.org/fines/b.TestEarly": True,
        "example.org/fines/b.TestFine": True,
    }


EXPECTED_TO_FAIL_PYTEST = """

@pytest.mark.xfail
def test_expected():
    assert fine(-1) == 0


@pytest.mark.xfail
def test_expected_but_passes():
    assert fine(-1) == 1


def test_skipped():
    fine(-1)
    pytest.skip("not yet")
"""
EXPECTED_TO_FAIL_UNITTEST = """
    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(fine(-1), 0)

    def test_skipped(self):
        fine(-1)
        self.skipTest("not yet")
"""
TODO = """
test('expected', { todo: true }, () => assert.equal(fine(-1), 0));
test('skipped', (t) => fine(-1) && t.skip());
"""


@pytest.mark.parametrize(
    ("files", "command"),
    [
        pytest.param(
            {"fines.py": FINES, "test_fines.py": f"import pytest\n{PYTEST}{EXPECTED_TO_FAIL_PYTEST}"},
            f"{sys.executable} -m pytest -q -p no:cacheprovider",
            id="pytest",
        ),
        pytest.param(
            {"fines.py": FINES, "test_fines.py": UNITTEST + EXPECTED_TO_FAIL_UNITTEST},
            f"{sys.executable} -m unittest",
            id="unittest",
        ),
        pytest.param({"fines.mjs": SCRIPT, "fines.test.mjs": SCRIPT_TEST + TODO}, "node --test", id="Node"),
    ],
)
async def test_tests_that_are_skipped_or_expected_to_fail_are_left_out(
    tmp_path: Path, files: dict[str, str], command: str
) -> None:
    seen = await traced(tmp_path, files, command)
    assert [(name_of(each), each.passed) for each in seen] == [("early", False), ("late", True)]


async def test_tests_of_go_are_built_with_the_flags_of_the_command_and_values_are_no_packages(tmp_path: Path) -> None:
    files = {
        "fines.go": "//go:build integration\n\n" + GO,
        "fines_test.go": "//go:build integration\n\n" + GO_TEST,
        "go.mod": "module fines\n\ngo 1.19\n",
    }
    seen = await traced(tmp_path, files, "go test -run Test/one -tags integration -ldflags='-s -w' ./... -count 1")
    assert {name_of(each): each.passed for each in seen} == {"early": False, "late": True}


SUBTESTS = """\
import unittest

from fines import fine


class Fines(unittest.TestCase):
    def test_all(self):
        for days in range(-150, 1):
            with self.subTest(days=days):
                self.assertEqual(fine(days), 1)
"""


@pytest.mark.parametrize("runner", ["pytest -q -p no:cacheprovider", "unittest"])
async def test_a_failing_subtest_is_traced_to_its_end(tmp_path: Path, runner: str) -> None:
    files = {"fines.py": FINES, "test_fines.py": SUBTESTS}
    (seen,) = await traced(tmp_path, files, f"{sys.executable} -m {runner}")
    assert (seen.passed, seen.lines["fines.py"]) == (False, {2, 3, 4, 8})


@pytest.mark.parametrize("option", ["-x", "--stepwise"])
async def test_passing_tests_are_traced_where_pytest_stops_at_a_failure(tmp_path: Path, option: str) -> None:
    settings = f"[pytest]\naddopts = {option}\n"
    files = {"fines.py": FINES, "test_fines.py": PYTEST, "pytest.ini": settings}
    seen = await traced(tmp_path, files, f"{sys.executable} -m pytest -q")
    assert [(name_of(each), each.passed) for each in seen] == [("early", False), ("late", True)]


TRANSPILER = """\
const fs = require('fs');
require.extensions['.ts'] = (module, file) => {
  const text = fs.readFileSync(file, 'utf8').replace(/: number/g, file.includes('rates') ? '        ' : '');
  module._compile(text, file);
};
"""
TRANSPILED_TEST = """\
const { test } = require('node:test');
const assert = require('node:assert');
test('early', () => assert.equal(require('./rates.ts').rate(2), 0));
test('late', () => assert.equal(require('./fines.ts').fine(2), 0));
"""


async def test_a_test_that_runs_a_script_with_other_lines_than_its_file_is_left_out(tmp_path: Path) -> None:
    files = {
        "transpiler.cjs": TRANSPILER,
        "rates.ts": "exports.rate = (days: number) => {\n  return days * 15;\n};\n",
        "fines.ts": "exports.fine = (days: number) => {\n  return days * 15;\n};\n",
        "fines.test.cjs": TRANSPILED_TEST,
    }
    seen = await traced(tmp_path, files, "node --require ./transpiler.cjs --test")
    assert [(name_of(each), each.lines["rates.ts"]) for each in seen] == [("early", {1, 2})]


async def test_a_python_function_knows_how_long_ago_it_ran(tmp_path: Path) -> None:
    test = "from fines import fine, unused\n\n\ndef test_late():\n    unused()\n    assert fine(2) == 0\n"
    command = f"{sys.executable} -m pytest -q -p no:cacheprovider"
    (seen,) = await traced(tmp_path, {"fines.py": FINES, "test_fines.py": test}, command)
    assert seen.ages == {"fines.py": {11: 1, 1: 0, 7: 0}}


async def test_a_runner_that_loads_no_tracer_tells_nothing(tmp_path: Path) -> None:
    command = f"{sys.executable} -I -m unittest discover"
    assert await traced(tmp_path, {"fines.py": FINES, "test_fines.py": UNITTEST}, command) == ()


ENDLESS = FINES.replace("        return 1\n", "        while days:\n            days -= 1\n")


@pytest.mark.parametrize("runner", ["pytest -q -p no:cacheprovider", "unittest"])
async def test_a_test_that_does_not_end_fails_where_it_is(tmp_path: Path, runner: str) -> None:
    command = f"{sys.executable} -m {runner}"
    tests = UNITTEST if runner == "unittest" else PYTEST
    commands = project_with(tmp_path, {"fines.py": ENDLESS, "test_fines.py": tests})
    interrupter = interrupter_of(command)
    assert interrupter
    run = partial(run_interrupted, commands.run, tmp_path / "project", command, interrupter, time_limit=PATIENCE)
    result = await run(stops=False)
    (failing,) = read_report(result.command, result.exit_code, result.stdout, result.stderr).failing
    assert failing.name.endswith("test_early")
    assert "TimeoutError: no end after" in failing.message
    assert re.search(r'fines.py(?::|", line )[34]', failing.detail)
    if runner == "unittest":
        return  # how a run is stopped is not the runner's doing, and takes seconds of the processor
    stopped = await run(stops=True)
    assert (stopped.exit_code, stopped.timed_out) == (1, False)
    assert "failed" not in stopped.stdout.lower()


FORKED = f"{sys.executable} -m pytest -q -p no:cacheprovider"
FORKED_UNITTEST = f"{sys.executable} -m unittest test_fines.Fines.test_early test_fines.Fines.test_late"
TESTS = {FORKED: PYTEST, FORKED_UNITTEST: UNITTEST}
with_each_runner = pytest.mark.parametrize("command", TESTS, ids=["pytest", "unittest"])
RIGHT = FINES.replace("return 1", "return 0")


async def forked(
    folder: Path, texts: Sequence[str], files: Mapping[str, str] = {}, *, command: str = FORKED, hangs: bool = False
) -> BatchRuns:
    project_with(folder, {"fines.py": FINES, "test_fines.py": TESTS.get(command, PYTEST), **files})
    changed = [("fines.py", each.encode()) for each in texts]
    return await run_texts(folder, changed, command, time_limit=PATIENCE, hangs=hangs)


@pytest.mark.parametrize(
    ("command", "codes", "messages"),
    [
        pytest.param(FORKED, [1, 2, 1, 0], ["assert 1 == 0", "assert 2 == 0"], id="pytest"),
        pytest.param(
            FORKED_UNITTEST, [1, 1, 1, 0], ["AssertionError: 1 != 0", "AssertionError: 2 != 0"], id="unittest"
        ),
    ],
)
async def test_many_texts_of_a_file_are_tested_after_one_start(
    tmp_path: Path, command: str, codes: list[int], messages: list[str]
) -> None:
    texts = [FINES, "1 / 0\n", FINES.replace("return 1", "return 2"), RIGHT, FINES]
    ran = await forked(tmp_path, texts, command=command)
    reports = [read_report(each.command, each.exit_code, each.stdout, each.stderr) for each in ran.results]
    assert [each.exit_code for each in ran.results] == codes
    assert [each.command for each in ran.results] == [command] * 4
    assert [[test.message for test in each.failing] for each in (reports[0], reports[2])] == [
        [each] for each in messages
    ]
    assert "ZeroDivisionError" in ran.results[1].stdout + ran.results[1].stderr


@with_each_runner
async def test_a_text_of_one_file_is_gone_when_that_of_another_is_tested(tmp_path: Path, command: str) -> None:
    files = {"fines.py": "from rates import fine\n", "rates.py": FINES, "test_fines.py": TESTS[command]}
    project_with(tmp_path, files)
    texts = [
        ("rates.py", RIGHT + "1 / 0\n"),
        ("fines.py", "from rates import fine  # once more\n"),
        ("rates.py", RIGHT),
    ]
    ran = await run_texts(tmp_path, [(path, text.encode()) for path, text in texts], command, time_limit=PATIENCE)
    assert [each.exit_code for each in ran.results] == [2 if command == FORKED else 1, 1, 0]
    assert (tmp_path / "project/rates.py").read_text() == FINES


@with_each_runner
async def test_a_text_with_which_a_test_does_not_end_does_not_stop_the_others(tmp_path: Path, command: str) -> None:
    ran = await forked(tmp_path, [ENDLESS, FINES, RIGHT], command=command, hangs=True)
    assert [(each.exit_code, each.timed_out) for each in ran.results] == [(1, False), (1, False), (0, False)]


BUSY = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


@with_each_runner
@pytest.mark.parametrize(("library", "tested"), [("RIGHT = True\n", 3), (BUSY, 1)])
async def test_what_tests_load_is_loaded_once_unless_it_starts_threads(
    tmp_path: Path, library: str, tested: int, command: str
) -> None:
    told = "import sys\nold = 'library' in sys.modules\nimport library\nopen('told', 'a').write(f'{old} ')\n"
    files = {"lib/site-packages/library.py": library, "test_fines.py": told + TESTS[command]}
    ran = await forked(tmp_path, [FINES] * 3, files, command=f"PYTHONPATH=lib/site-packages {command}")
    assert (len(ran.results), ran.threads) == (tested, library == BUSY)
    assert (tmp_path / "project/told").read_text().split() == ["False", "True", "True"][:tested]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        pytest.param(FORKED, {"pytest.ini": "[pytest]\naddopts = -p fines\npythonpath = .\n"}, id="a pytest plugin"),
        pytest.param(
            f"PYTHONPATH=. {FORKED_UNITTEST}",
            {"test_fines.py": UNITTEST, "sitecustomize.py": "import fines\n"},
            id="a sitecustomize of the project",
        ),
    ],
)
async def test_a_file_that_is_loaded_before_the_tests_is_not_tested_this_way(
    tmp_path: Path, command: str, files: dict[str, str]
) -> None:
    ran = await forked(tmp_path, [FINES, RIGHT], files, command=command)
    assert ran.results == ()


async def traced(folder: Path, files: dict[str, str], command: str) -> tuple[TracedTest, ...]:
    commands = project_with(folder, files)
    result = await commands.run(command, time_limit=PATIENCE)
    report = read_report(command, result.exit_code, result.stdout, result.stderr)
    planned = plan_trace(Check(command=command, passed=False, kind="test_failure", report=report), 1.0)
    assert planned, result
    return read_traces(await run_traced(commands.run, folder / "project", planned), list(files))


def name_of(test: TracedTest) -> str:
    return test.id.lower().rpartition("early" if "early" in test.id.lower() else "late")[1]
