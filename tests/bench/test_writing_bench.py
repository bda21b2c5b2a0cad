"""The benches of written code, on problems made up here, against a scripted model."""

import json
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.results import BenchFailed
from bench.writing.plain import code_of
from bench.writing.problems import chosen, exercism, quixbugs
from mulligan.models.scripted.script import Script
from tests.scripted_server import running

STUB = "def double(x):\n    pass\n"
TESTS = """\
import unittest

from twice import double


class TwiceTest(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), 4)
"""
RIGHT = "```python\ndef double(x):\n    return 2 * x\n```"
WRONG = "```python\ndef double(x):\n    return x\n```"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "exercises"
    for name in ("twice", "thrice"):
        (folder / name / ".docs").mkdir(parents=True)
        (folder / name / ".meta").mkdir()
        (folder / name / ".docs" / "instructions.md").write_text("Double the number.\n")
        (folder / name / ".meta" / "example.py").write_text("def double(x): return x + x\n")
        (folder / name / "twice.py").write_text(STUB)
        (folder / name / "twice_test.py").write_text(TESTS)
    return folder


def test_both_ways_are_measured_and_what_was_tried_is_not_tried_again(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, logs = tmp_path / "tried", tmp_path / "logs"
    asked = ["write", "--root", str(root), "--only", "twice", "--model", "m", "--tried", str(kept), "--json"]
    asked += ["--logs", str(logs)]
    replies = [{"text": text} for text in (RIGHT, WRONG, RIGHT)]
    with running(Script.model_validate({"replies": replies})) as server:
        assert main([*asked, "--base-url", server.base_url]) == 0
    once = capsys.readouterr().out
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(each["way"], each["solved"], each["calls"]) for each in lines] == [("guided", True, 1), ("plain", True, 2)]
    assert json.loads((logs / "twice.jsonl").read_text().splitlines()[-1])["type"] == "run_end"
    with running(Script.model_validate({"replies": []})) as server:
        assert main([*asked, "--base-url", server.base_url]) == 0
    assert [each["solved"] for each in lines] == [True, True]
    assert _rows(once) == _rows(capsys.readouterr().out)


def _rows(printed: str) -> list[object]:
    result = json.loads(printed)[0]
    return [table["rows"] for table in result["tables"]]


def test_a_sample_solution_is_never_a_part_of_the_problem(root: Path) -> None:
    problem = exercism(root)[0]
    assert sorted(problem.files) == [".docs/instructions.md", "twice.py", "twice_test.py"]
    assert (problem.path, problem.instructions) == ("twice.py", "Double the number.\n")


def test_a_program_of_quixbugs_comes_with_its_own_tests_and_data_alone(tmp_path: Path) -> None:
    for path in (
        "conftest.py", "json_testcases/gcd.json", "json_testcases/lis.json", "python_programs/gcd.py",
        "python_programs/lis.py", "python_programs/node.py", "python_testcases/load_testdata.py",
        "python_testcases/test_gcd.py", "python_testcases/test_lis.py",
    ):  # fmt: skip
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    gcd, lis = quixbugs(tmp_path)
    assert (gcd.name, gcd.path, lis.name) == ("gcd", "python_programs/gcd.py", "lis")
    assert not any("lis" in path for path in gcd.files)


def test_a_draw_is_the_same_for_the_same_seed_and_an_unknown_name_is_refused(root: Path) -> None:
    problems = exercism(root)
    assert chosen(problems, only="", limit=1, seed=3) == chosen(problems, only="", limit=1, seed=3)
    with pytest.raises(BenchFailed, match="there is no problem forth; there are: thrice, twice"):
        chosen(problems, only="forth", limit=0, seed=1)


@pytest.mark.parametrize("reply", [RIGHT, f"Here:\n{RIGHT}\nSo `double(2)` is 4.", RIGHT[:-4]])
def test_plain_use_takes_the_code_out_of_a_reply(reply: str) -> None:
    assert "def double(x):\n    return 2 * x" in code_of(reply)
    assert "Here" not in code_of(reply)
