"""Commands that load tracers, and what is read of what these wrote."""

import json
import subprocess

import pytest

from mulligan.core.fault_localisation.plan import MAX_SECONDS, plan_trace
from mulligan.core.fault_localisation.traces import TracedTest, read_traces, traced_command
from mulligan.syntax.language import Tracer
from mulligan.types.fixing import Check, FailingTest, TestReport

TRACER = Tracer("x", "x", (("SEEN", "{folder}", ":"),))
SHOW = "bash -c 'echo $SEEN'"


@pytest.mark.parametrize(
    ("command", "environment", "shown"),
    [
        pytest.param(SHOW, {}, "/t", id="nothing is set"),
        pytest.param(SHOW, {"SEEN": "old"}, "/t:old", id="a value that the environment has"),
        pytest.param(f"SEEN=own {SHOW}", {"SEEN": "old"}, "/t:own", id="a value that the command sets itself"),
        pytest.param(f'cd / && SEEN="a b" {SHOW}', {}, "/t:a b", id="a value in quotes, after another command"),
        pytest.param(f"NOT_SEEN=own {SHOW}", {}, "/t", id="another variable that ends alike"),
    ],
)
def test_a_variable_is_put_before_the_value_it_has(command: str, environment: dict[str, str], shown: str) -> None:
    done = subprocess.run(
        ["bash", "-c", traced_command(command, [TRACER], "/t")],
        env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == shown


@pytest.mark.parametrize(
    ("command", "loading"),
    [
        ("python3 -m unittest -v a.B.test_c", "python3 -m own -v a.B.test_c"),
        ("cd unittest && coverage run -m unittest a.B", "cd unittest && coverage run -m own a.B"),
        ("pytest a.py -m unittest", "pytest a.py -m unittest"),
    ],
)
def test_a_program_is_run_instead_of_a_module_that_does_not_load_it(command: str, loading: str) -> None:
    assert traced_command(command, [Tracer("x", "own.py", (), runners=("pytest", "-m unittest"))], "/t") == loading


def test_a_record_is_read_with_the_projects_own_paths() -> None:
    told = {"test": "t", "passed": False, "lines": {"mod/pkg/a.go": [1, 2]}, "ages": {"mod/pkg/a.go": {"1": 0}}}
    assert read_traces([json.dumps(told)], ["pkg/a.go"]) == (
        TracedTest("t", passed=False, lines={"pkg/a.go": frozenset({1, 2})}, ages={"pkg/a.go": {1: 0}}),
    )


def test_tests_with_the_same_id_are_all_read() -> None:
    records = [json.dumps({"test": "t", "passed": passed, "lines": {}}) for passed in (False, True, True)]
    assert [each.passed for each in read_traces(records, [])] == [False, True, True]


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        "null",
        '{"test": 1, "passed": true, "lines": {}}',
        '{"test": "t", "passed": "yes", "lines": {}}',
        '{"test": "t", "passed": true, "lines": []}',
        '{"test": "t", "passed": true',
    ],
)
def test_what_is_no_record_is_left_out(line: str) -> None:
    assert read_traces([line], ["a.py"]) == ()


@pytest.mark.parametrize("lines", ["1", {"a": 1}, [None, "1", 1.5], None])
def test_lines_that_are_no_numbers_are_left_out(lines: object) -> None:
    told = {"test": "t", "passed": True, "lines": {"a.py": lines}, "ages": {"a.py": {"x": 1, "2": "y"}}}
    (read,) = read_traces([json.dumps(told)], ["a.py"])
    assert read.lines == {"a.py": frozenset()}
    assert read.ages == {"a.py": {}}


def failed(*paths: str, command: str = "python -m pytest -q") -> Check:
    failing = tuple(FailingTest(id=f"{path}::test_a", name="test_a", path=path) for path in paths)
    return Check(command=command, passed=False, kind="test_failure", report=TestReport(failing=failing))


def test_a_quick_command_is_watched_whole_and_a_slow_one_in_the_files_that_fail() -> None:
    quick, slow = plan_trace(failed("tests/test_a.py"), 1.0), plan_trace(failed("tests/test_a.py"), 600.0)
    assert quick
    assert quick.command == "python -m pytest -q"
    assert slow
    assert slow.command == "python -m pytest tests/test_a.py -q"
    assert slow.seconds == MAX_SECONDS


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(failed("test/a_test.exs", command="mix test"), id="a language without a tracer"),
        pytest.param(failed().model_copy(update={"kind": "lint_failure"}), id="no test"),
        pytest.param(
            Check(
                command="pytest",
                passed=False,
                kind="test_failure",
                report=TestReport(failing=(FailingTest(id="test_a.py", name="test_a.py", path="test_a.py"),)),
            ),
            id="a file that could not be loaded",
        ),
    ],
)
def test_nothing_is_watched_where_it_would_tell_nothing(check: Check) -> None:
    assert plan_trace(check, 1.0) is None
