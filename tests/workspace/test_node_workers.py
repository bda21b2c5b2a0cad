"""Many texts of a file tested after one start of Node's own runner, with real processes in the sandbox."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mulligan.core.failures import read_report
from mulligan.types.commands import CommandResult
from tests.patience import PATIENCE
from tests.workspace.traced_project import project_with, run_texts

FINES = "exports.fine = (days) => (days < 0 ? 1 : days * 15);\n"
TWO, RIGHT = FINES.replace("? 1", "? 2"), FINES.replace("? 1", "? 0")
THROWS = FINES.replace("? 1", "? days.rate.of")
BROKEN = "exports.fine = (days) => ;\n"
ENDLESS = "exports.fine = () => { for (;;); };\n"
HEAD = """\
const { test, describe, it } = require('node:test');
const assert = require('node:assert/strict');
const { fine } = require('./fines');
"""
SIMPLE = HEAD + "test('early', () => assert.equal(fine(-1), 0));\ntest('late', () => assert.equal(fine(2), 30));\n"
NESTED = (
    HEAD
    + """\
describe('fines', () => {
  describe('without a rate', () => {
    it('early', async () => {
      await new Promise((done) => setTimeout(done, 1));
      assert.equal(require.main, module);
      assert.deepEqual({ cents: fine(-1) }, { cents: 0 });
    });
    it('late', () => {});
  });
});
"""
)
PRINTING = NESTED.replace("assert.equal(", "console.log('a line'); assert.equal(")
WITHIN = HEAD + "test('early', async (t) => { await t.test('early', async () => { assert.equal(fine(-1), 0); }); });\n"
ON_LOAD = HEAD + "assert.equal(fine(-1), 0);\ntest('early', () => {});\n"
MODULES = {
    "package.json": '{"type": "module"}',
    "fines.js": FINES.replace("exports.fine =", "export const fine ="),
    **dict.fromkeys(
        ("a.test.js", "b.test.js"),
        "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { fine } from './fines.js';\n"
        "test('early', () => assert.equal(fine(-1), 0));\n",
    ),
}
COMMAND = "node --test '--test-name-pattern=^(?:early)$'"


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"fines.js": FINES, "fines.test.js": SIMPLE}, id="CommonJS"),
        pytest.param(MODULES, id="modules, and two files"),
        pytest.param({"fines.js": FINES, "fines.test.js": NESTED}, id="nested suites and waiting tests"),
        pytest.param({"fines.js": FINES, "fines.test.js": WITHIN}, id="tests within tests"),
        pytest.param({"fines.js": FINES, "fines.test.js": ON_LOAD}, id="an error on load"),
    ],
)
async def test_a_text_fails_in_a_worker_as_in_a_process(tmp_path: Path, files: Mapping[str, str]) -> None:
    commands, source = project_with(tmp_path, files), tmp_path / "project/fines.js"
    exports = files["fines.js"].partition(" fine")[0]
    texts = [each.replace("exports.fine", f"{exports} fine") if "export " in exports else each
             for each in (FINES, THROWS, TWO, BROKEN, RIGHT, FINES)]  # fmt: skip
    ran = await run_all(tmp_path, texts)
    assert (source.read_text(), [each.exit_code for each in ran]) == (files["fines.js"], [1, 1, 1, 1, 0])
    for text, result in zip(texts, ran, strict=False):
        source.write_text(text)
        assert told(result) == told(await commands.run(COMMAND, time_limit=PATIENCE))


async def test_what_a_test_prints_is_no_part_of_its_results(tmp_path: Path) -> None:
    # Not compared with a process: there, such lines share a stream with the results, and Node has to tell them apart.
    project_with(tmp_path, {"fines.js": FINES, "fines.test.js": PRINTING})
    wrong, right = await run_all(tmp_path, [FINES, RIGHT])
    report = read_report(wrong.command, wrong.exit_code, wrong.stdout, wrong.stderr)
    assert ([test.name for test in report.failing], right.exit_code) == (["early"], 0)
    assert "a line" in wrong.stdout


async def test_a_text_with_which_a_test_does_not_end_does_not_stop_the_others(tmp_path: Path) -> None:
    project_with(tmp_path, {"fines.js": FINES, "fines.test.js": SIMPLE})
    ran = await run_all(tmp_path, [FINES, ENDLESS, RIGHT], time_limit=8.0)
    assert [(each.exit_code, each.timed_out) for each in ran] == [(1, False), (None, True), (0, False)]


async def test_files_without_a_wanted_test_run_only_with_the_very_first_text(tmp_path: Path) -> None:
    tells = "require('fs').appendFileSync('told', `${__filename.slice(-9, -8)} `);\n"
    other = "require('node:test').test('other', () => {});\n"
    project_with(tmp_path, {"fines.js": FINES, "a.test.js": tells + SIMPLE, "b.test.js": tells + other})
    first = await run_texts(tmp_path, [("fines.js", FINES.encode())] * 3, COMMAND, time_limit=PATIENCE)
    loaded = (tmp_path / "project/told").read_text().split()
    assert (loaded.count("a"), loaded.count("b")) == (4, 2)  # the first once in a process, and once in a worker
    again = await run_texts(tmp_path, [("fines.js", TWO.encode())] * 2, COMMAND, time_limit=PATIENCE, only=first.files)
    loaded = (tmp_path / "project/told").read_text().split()
    assert (loaded.count("a"), loaded.count("b")) == (7, 2)
    assert again.files == first.files == (str(tmp_path / "project/a.test.js"),)


@pytest.mark.parametrize(
    "needed",
    [
        pytest.param("process.chdir(__dirname);", id="another folder"),
        pytest.param("if (fine(-1)) process.exit(1);", id="leaving"),
        pytest.param("assert.ok(require('worker_threads').isMainThread);", id="the first thread"),
    ],
)
async def test_tests_that_need_a_process_are_not_tested_this_way(tmp_path: Path, needed: str) -> None:
    tests = HEAD + f"test('early', () => {{\n  {needed}\n  assert.equal(fine(-1), 0);\n}});\n"
    project_with(tmp_path, {"fines.js": FINES, "fines.test.js": tests})
    assert await run_all(tmp_path, [FINES, TWO, RIGHT]) == ()


async def test_a_process_is_needed_only_from_some_text_on(tmp_path: Path) -> None:
    tests = HEAD + "test('early', () => {\n  if (fine(-1) > 1) process.chdir('/');\n  assert.equal(fine(-1), 0);\n});\n"
    project_with(tmp_path, {"fines.js": FINES, "fines.test.js": tests})
    assert [each.exit_code for each in await run_all(tmp_path, [FINES, THROWS, TWO, RIGHT])] == [1, 1]


@pytest.mark.parametrize("option", ["--import ./loader.mjs", "--expose-gc", "--test-reporter=./reporter.mjs"])
async def test_a_runner_with_options_that_a_worker_may_not_have_is_not_used(tmp_path: Path, option: str) -> None:
    project_with(tmp_path, {"fines.js": FINES, "fines.test.js": SIMPLE, "loader.mjs": "", "reporter.mjs": ""})
    assert await run_all(tmp_path, [FINES, RIGHT], command=COMMAND.replace("node", f"node {option}")) == ()


async def run_all(
    folder: Path, texts: Sequence[str], *, command: str = COMMAND, time_limit: float = PATIENCE
) -> tuple[CommandResult, ...]:
    files = [("fines.js", each.encode()) for each in texts]
    return (await run_texts(folder, files, command, time_limit=time_limit)).results


def told(result: CommandResult) -> tuple[object, ...]:
    report = read_report(result.command, result.exit_code, result.stdout, result.stderr)
    failing = [(test.id, test.name, test.path, test.message) for test in report.failing]
    return result.exit_code, failing, report.blocked, report.counts
