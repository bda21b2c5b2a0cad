"""What a change did, judged test by test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.fix_runs.judging import compare, evidence, goal_failures, is_crash, reaches_goal, unable_linters
from mulligan.types.fixing import GIVEN, Check, FailingTest, ProjectCommand, TestCounts, TestReport

COMMAND = "python -m pytest -q"


def check(
    *ids: str, blocked: tuple[str, ...] = (), counts: tuple[int, int, int] | None = None, command: str = COMMAND
) -> Check:
    failing = tuple(FailingTest(id=each, name=each.rpartition("::")[2], path=each.partition("::")[0]) for each in ids)
    told = TestCounts(passed=counts[0], failed=counts[1], skipped=counts[2]) if counts else None
    failed = bool(ids or blocked)
    return Check(
        command=command,
        passed=not failed,
        kind="test_failure" if failed else None,
        report=TestReport(failing=failing, blocked=blocked, counts=told),
    )


@pytest.mark.parametrize(
    ("why", "others", "set_aside"),
    [
        pytest.param(".pylintrc", True, ("pylint",), id="one that the project names"),
        pytest.param(GIVEN, True, (), id="one that the user gave"),
        pytest.param(".pylintrc", False, (), id="the only command"),
    ],
)
def test_a_linter_that_cannot_be_run_here_does_not_judge(why: str, others: bool, set_aside: tuple[str, ...]) -> None:
    tests = ProjectCommand(command=COMMAND, kind="test", why="tests")
    linter = ProjectCommand(command="pylint", kind="lint", why=why)
    said = Check(command="pylint", passed=False, kind="tooling_error", summary="pylint: command not found")
    found = unable_linters((tests, linter), [*([check("t.py::a")] if others else []), said])
    assert tuple(each.command for each in found) == set_aside


def test_no_failure_left_is_passed() -> None:
    found = compare([check("t.py::a")], [check()])
    assert (found.passed, found.improved, found.gone) == (True, True, ("t.py::a",))


def test_fewer_failures_and_none_new_is_a_partial_gain() -> None:
    found = compare([check("t.py::a", "t.py::b")], [check("t.py::b")])
    assert (found.passed, found.improved, found.left) == (False, True, ("t.py::b",))


def test_one_failure_for_another_is_no_gain() -> None:
    found = compare([check("t.py::a")], [check("t.py::b")])
    assert (found.improved, found.new) == (False, ("t.py::b",))


def test_fewer_failures_with_a_new_one_are_no_gain() -> None:
    found = compare([check("t.py::a", "t.py::b", "t.py::c")], [check("t.py::d")])
    assert (found.improved, found.new) == (False, ("t.py::d",))


def test_what_could_not_run_before_may_fail_now_and_is_not_new() -> None:
    before = [check("t.py", blocked=("t.py",))]
    found = compare(before, [check("t.py::a", "t.py::b")])
    assert (found.improved, found.new) == (True, ())


def test_a_failure_elsewhere_is_new_even_where_a_file_was_blocked() -> None:
    found = compare([check("t.py", blocked=("t.py",))], [check("u.py::a")])
    assert (found.improved, found.new) == (False, ("u.py::a",))


def test_a_file_that_can_no_longer_run_is_worse_than_any_failure() -> None:
    found = compare([check("t.py::a", "t.py::b")], [check("t.py", blocked=("t.py",))])
    assert not found.improved


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param((1, 1, 0), (1, 0, 0), id="the failing test is gone"),
        pytest.param((1, 1, 0), (1, 0, 1), id="the failing test is skipped"),
        pytest.param((5, 1, 2), (6, 0, 3), id="another test is skipped"),
    ],
)
def test_green_with_tests_gone_or_skipped_is_not_passed(
    before: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    found = compare([check("t.py::a", counts=before)], [check(counts=after)])
    assert not found.passed
    assert not found.improved
    assert found.fewer_tests
    assert COMMAND in found.fewer_tests


@pytest.mark.parametrize(
    ("command", "passed"),
    [
        pytest.param("python -m pytest -q", False, id="pytest"),
        pytest.param("python3 -m unittest -q", False, id="unittest"),
        pytest.param("npx jest --ci", False, id="jest"),
        pytest.param("cargo test", False, id="cargo"),
        pytest.param("mvn -q test", True, id="a runner that may be silent when all is well"),
        pytest.param("sh pytest-and-more.sh", True, id="a script of which nothing is known"),
    ],
)
def test_green_without_a_word_of_tests_is_passed_only_where_the_runner_may_be_silent(
    command: str, passed: bool
) -> None:
    before, after = check("t.py::a", counts=(1, 1, 0), command=command), check(command=command)
    assert compare([before], [after]).passed is passed


def test_more_tests_than_before_are_welcome() -> None:
    assert compare([check("t.py::a", counts=(1, 1, 0))], [check(counts=(3, 0, 0))]).passed


def test_a_linter_that_finds_the_same_twice_counts_both() -> None:
    before = [check("a.py: F401 unused", "a.py: F401 unused", command="ruff check")]
    assert compare(before, [check("a.py: F401 unused", command="ruff check")]).improved


@pytest.mark.parametrize(
    ("goal", "named"),
    [
        pytest.param("make the tests pass", None, id="no name"),
        pytest.param("make everything green", None, id="a plain word that is in a test's name"),
        pytest.param("fix test_green", {"t.py::test_green"}, id="a test by its name"),
        pytest.param("fix what u.py tests", {"u.py::test_red"}, id="a file"),
        pytest.param("`test_red` fails since Monday", {"u.py::test_red"}, id="in backticks"),
        pytest.param("fix t.py::test_green", {"t.py::test_green"}, id="a whole id"),
        pytest.param("fix test_gre", None, id="half a name"),
    ],
)
def test_a_goal_names_failures_by_code_names_alone(goal: str, named: set[str] | None) -> None:
    baseline = [check("t.py::test_green", "u.py::test_red")]
    assert goal_failures(goal, baseline) == (frozenset(named) if named else None)


def test_a_named_failure_that_is_gone_reaches_the_goal_though_another_was_red_before() -> None:
    baseline = [check("t.py::test_a", "t.py::test_b")]
    assert reaches_goal("fix test_a", baseline, [check("t.py::test_b")])
    assert not reaches_goal("make the tests pass", baseline, [check("t.py::test_b")])


def test_a_named_failure_that_is_gone_does_not_excuse_a_new_one() -> None:
    assert not reaches_goal("fix test_a", [check("t.py::test_a", "t.py::test_b")], [check("t.py::test_c")])


def test_a_build_that_broke_hides_the_named_failure_and_reaches_nothing() -> None:
    baseline = [check("t.py::test_a", "t.py::test_b")]
    assert not reaches_goal("fix test_a", baseline, [check("make", blocked=("*",))])


def test_evidence_says_what_each_command_said_before_and_says_now() -> None:
    before = [check("t.py::a", counts=(2, 1, 0)), check(command="ruff check")]
    after = [check(counts=(3, 0, 0)), check(command="ruff check")]
    assert evidence(before, after) == (
        f"{COMMAND}: 1 failing before, 3 passing now",
        "ruff check: passing before, passing now",
    )


ids = st.lists(st.sampled_from([f"t.py::t{n}" for n in range(6)]), max_size=6)


@given(ids, ids)
def test_a_change_is_never_better_one_way_and_better_back(before: list[str], after: list[str]) -> None:
    there, back = compare([check(*before)], [check(*after)]), compare([check(*after)], [check(*before)])
    assert not (there.improved and back.improved)


@given(ids)
def test_the_same_result_is_no_gain(failing: list[str]) -> None:
    found = compare([check(*failing)], [check(*failing)])
    assert not found.improved
    assert not found.new


@pytest.mark.parametrize(
    ("message", "crashed"),
    [
        pytest.param("TypeError: 'str' object does not support item assignment", True, id="an error"),
        pytest.param("panic: runtime error: index out of range", True, id="a panic"),
        pytest.param("AssertionError: 2 != 3", False, id="a comparison"),
        pytest.param("assert [1] == [2]", False, id="a bare comparison"),
    ],
)
def test_an_error_is_told_from_a_wrong_value(message: str, crashed: bool) -> None:
    assert is_crash(FailingTest(id="a", name="a", message=message)) is crashed
