"""Where a fix run goes from each node."""

from typing import Any

import pytest

from mulligan.core.fix_runs.candidate_tests import batch_runner_for, candidate_limit, candidate_pace, quick_runs_left
from mulligan.core.fix_runs.next_node import (
    PROFILES,
    Conclude,
    GoTo,
    after_baseline,
    after_planner,
    after_verifier,
    before_coder,
    before_planner,
    before_verifier,
)
from mulligan.types.fixing import (
    CHECK_RUNS,
    CHECK_SECONDS,
    MAX_ATTEMPTS,
    AttemptRecord,
    Check,
    CommandFailure,
    CommandRun,
    FailingTest,
    FailureHistory,
    Plan,
    PlanStep,
    ProjectCommand,
    Purpose,
    RunState,
    Spent,
    TestReport,
)

COMMAND = ProjectCommand(command="python -m pytest", kind="test", why="pyproject.toml")
FAST = PROFILES["fast"]


def red(*ids: str, kind: CommandFailure = "test_failure") -> Check:
    failing = tuple(FailingTest(id=each, name=each) for each in ids)
    return Check(command=COMMAND.command, passed=False, kind=kind, summary=ids[0], report=TestReport(failing=failing))


GREEN = Check(command=COMMAND.command, passed=True)


def state(**fields: Any) -> RunState:
    known: dict[str, Any] = {
        "id": "run",
        "project": "/project",
        "goal": "make the tests pass",
        "profile": "fast",
        "agency": "agent",
        "model": "m",
        "commands": (COMMAND,),
        "time_limit": 60.0,
        "started_at": 0.0,
        "baseline": (red("test_a", "test_b"),),
        "current_checks": (red("test_a", "test_b"),),
        "files": ("src/a.py",),
    }
    return RunState(**(known | fields))


def attempts(number: int) -> FailureHistory:
    return FailureHistory(attempts=number)


def ran(seconds: float, purpose: Purpose) -> CommandRun:
    return CommandRun(
        number=1,
        attempt=0,
        purpose=purpose,
        command="pytest",
        exit_code=1,
        timed_out=False,
        seconds=seconds,
        passed=False,
        kind="test_failure",
        summary="",
    )


def reason_of(turn: GoTo | Conclude) -> str:
    return f"{turn.verdict}: {turn.reason}" if isinstance(turn, Conclude) else turn.node


@pytest.mark.parametrize(
    ("given", "profile", "expected"),
    [
        pytest.param(state(), "fast", "planner", id="red"),
        pytest.param(state(baseline=(GREEN,)), "fast", "planner", id="green, and the model drives"),
        pytest.param(
            state(baseline=(GREEN,), agency="guided"), "fast", "unverified: nothing_fails", id="green and guided"
        ),
        pytest.param(state(commands=(), baseline=()), "fast", "planner", id="no command"),
        pytest.param(
            state(baseline=(red("pytest", kind="tooling_error"),)), "fast", "unverified: tooling", id="no pytest here"
        ),
        pytest.param(
            state(baseline=(red("pytest", kind="tooling_error"),)), "strict", "planner", id="it may be installed"
        ),
    ],
)
def test_after_the_baseline(given: RunState, profile: str, expected: str) -> None:
    assert reason_of(after_baseline(given, PROFILES[profile])) == expected  # pyright: ignore[reportArgumentType] - ids


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "planner"), (1, "planner"), (2, "planner"), (3, "failed: bounded_attempts_exceeded")],
)
def test_the_bound_is_asked_before_the_planner_is(number: int, expected: str) -> None:
    assert reason_of(before_planner(state(history=attempts(number)))) == expected
    assert MAX_ATTEMPTS == 3


@pytest.mark.parametrize(
    ("wanted", "number", "expected"),
    [
        pytest.param("coder", 0, "coder", id="work"),
        pytest.param("verifier", 0, "verifier", id="a claim of success is verified"),
        pytest.param("snitch", 0, "coder", id="giving up before anything was tried"),
        pytest.param("snitch", 1, "failed: gave_up", id="giving up after a try"),
    ],
)
def test_after_the_planner(wanted: str, number: int, expected: str) -> None:
    plan = Plan.model_validate({"next": wanted, "plan": [PlanStep(step="x", failure="y")], "reason": "z"})
    assert reason_of(after_planner(state(history=attempts(number)), plan)) == expected


def test_no_steps_left_ends_the_run_unverified() -> None:
    spent = Spent(steps=FAST.coder_steps)
    assert reason_of(before_coder(state(spent=spent), FAST)) == "unverified: budget_used_up"
    assert reason_of(before_coder(state(spent=Spent(steps=FAST.coder_steps - 1)), FAST)) == "coder"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(state(), "verifier", id="enough left"),
        pytest.param(state(commands=()), "unverified: no_commands", id="nothing to verify with"),
        pytest.param(state(spent=Spent(checks=CHECK_RUNS - 1)), "verifier", id="one run left"),
        pytest.param(state(spent=Spent(checks=CHECK_RUNS)), "unverified: budget_used_up", id="no run left"),
        pytest.param(state(spent=Spent(check_seconds=CHECK_SECONDS)), "unverified: budget_used_up", id="no time left"),
    ],
)
def test_before_the_verifier(given: RunState, expected: str) -> None:
    assert reason_of(before_verifier(given)) == expected


@pytest.mark.parametrize(
    ("given", "after", "expected", "keep"),
    [
        pytest.param(state(), GREEN, "verified: passed", True, id="what failed passes"),
        pytest.param(state(), red("test_b"), "planner", True, id="a partial gain is kept"),
        pytest.param(state(), red("test_a", "test_b"), "planner", False, id="nothing gained"),
        pytest.param(state(), red("test_c"), "planner", False, id="one failure for another"),
        pytest.param(state(files=()), GREEN, "unverified: passed_unchanged", True, id="green without a change"),
        pytest.param(
            state(baseline=(GREEN,), current_checks=(GREEN,)),
            GREEN,
            "verified: passed",
            True,
            id="green before and after",
        ),
        pytest.param(
            state(baseline=(GREEN,), current_checks=(GREEN,), files=()),
            GREEN,
            "unverified: nothing_changed",
            True,
            id="nothing to do and nothing done",
        ),
        pytest.param(
            state(goal="fix test_a"), red("test_b"), "verified: passed", True, id="the goal's failure is gone"
        ),
    ],
)
def test_after_the_verifier(given: RunState, after: Check, expected: str, keep: bool) -> None:
    judged = after_verifier(given, (after,))
    assert (reason_of(judged.next_step), judged.keep) == (expected, keep)


def test_green_before_and_after_is_said_to_show_no_more_than_that_nothing_broke() -> None:
    judged = after_verifier(state(baseline=(GREEN,), current_checks=(GREEN,)), (GREEN,))
    assert isinstance(judged.next_step, Conclude)
    assert "not that the goal is reached" in judged.next_step.explanation


def test_a_summary_names_what_was_taken_back() -> None:
    judged = after_verifier(state(restored_files=("tests/test_a.py",)), (red("test_a", "test_b"),))
    assert "tests/test_a.py" in judged.summary


@pytest.mark.parametrize(
    ("took", "limit", "expected"),
    [
        pytest.param(0.3, 300.0, 10.0, id="a quick suite: the least there is"),
        pytest.param(20.0, 300.0, 80.0, id="a slow suite: several times as long as it took"),
        pytest.param(200.0, 300.0, 300.0, id="never more than a command may take"),
        pytest.param(0.3, 2.0, 2.0, id="the user wants less"),
    ],
)
def test_the_test_of_a_candidate_has_a_limit_by_what_the_baseline_took(
    took: float, limit: float, expected: float
) -> None:
    assert candidate_limit(state(runs=(ran(took, "baseline"),), time_limit=limit), "pytest", "pytest") == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        pytest.param([0.05] * 4, 10.0, id="too few to tell"),
        pytest.param([0.05] * 5, 2.0, id="quick ones: an endless loop is soon stopped"),
        pytest.param([0.05, 0.05, 0.05, 0.05, 0.6], 6.0, id="by the slowest of the last ones"),
        pytest.param([3.0] * 5, 10.0, id="no longer than before"),
        pytest.param([3.0] * 5 + [0.05] * 5, 2.0, id="by the last ones alone"),
    ],
)
def test_a_candidate_is_taken_to_be_endless_by_what_the_last_ones_took(seconds: list[float], expected: float) -> None:
    narrowed = [ran(each, "candidate").model_copy(update={"command": "pytest test_a.py"}) for each in seconds]
    held = state(runs=(ran(0.3, "baseline"), *narrowed), time_limit=300.0)
    assert candidate_limit(held, "pytest", "pytest test_a.py", together=True) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("pytest test_a.py", 9.0, id="where many are tested together"),
        pytest.param("go test -run TestA", 2.0, id="where none are"),
    ],
)
def test_a_candidate_that_is_tested_alone_also_waits_for_a_start(command: str, expected: float) -> None:
    narrowed = [ran(0.05, "candidate").model_copy(update={"command": command})] * 5
    held = state(runs=(ran(7.0, "baseline"), *narrowed), time_limit=300.0)
    assert candidate_limit(held, "pytest", command) == expected


@pytest.mark.parametrize(("tested", "warned"), [(100, False), (1200, True)])
def test_a_fix_that_took_many_tries_says_so(tested: int, warned: bool) -> None:
    judged = after_verifier(state(runs=(ran(0.05, "candidate"),) * tested), (GREEN,))
    assert isinstance(judged.next_step, Conclude)
    told = "It took 1,200 test runs of changes to find it: check that this one is what you mean."
    assert judged.next_step.explanation.endswith(told) is warned


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (1, "nothing new fails. Another change passes as well: check that this one is what you mean."),
        (2, "nothing new fails. 2 other changes pass as well: check that this one is what you mean."),
    ],
)
def test_a_fix_that_tests_can_not_tell_from_others_says_so(others: int, told: str) -> None:
    plan = Plan(next="coder", plan=(), reason="by code")
    made = AttemptRecord(number=1, plan=plan, also_passing=("a diff",) * others)
    judged = after_verifier(state(attempts_made=(made,), runs=(ran(0.05, "candidate"),) * 1200), (GREEN,))
    assert isinstance(judged.next_step, Conclude)
    assert judged.next_step.explanation.endswith(told)


def test_a_candidate_that_helps_has_as_long_for_all_tests_as_they_need() -> None:
    narrowed = [ran(0.05, "candidate").model_copy(update={"command": "pytest test_a.py"})] * 9
    held = state(runs=(ran(45.0, "baseline"), *narrowed), time_limit=300.0)
    assert candidate_limit(held, "pytest", "pytest") == 180.0
    assert candidate_limit(held, "pytest", "pytest test_b.py") == 180.0


@pytest.mark.parametrize(
    ("seconds", "purpose", "counts"),
    [
        pytest.param(0.05, "candidate", 1, id="a quick run is one"),
        pytest.param(0.1, "baseline", 1, id="just quick"),
        pytest.param(0.4, "candidate", 4, id="four times as long"),
        pytest.param(60.0, "verify", 100, id="a slow run is no more than a hundred"),
        pytest.param(60.0, "coder", 0, id="what the model asks for is not counted"),
    ],
)
def test_a_run_counts_by_what_it_took_when_runs_are_shared_out(seconds: float, purpose: Purpose, counts: int) -> None:
    assert quick_runs_left(state(runs=(ran(seconds, purpose),))) == CHECK_RUNS - counts


@pytest.mark.parametrize(
    ("wanted", "batched"),
    [
        pytest.param([(COMMAND, "pytest -q test_a.py::test_b")], True, id="pytest, the failing tests alone"),
        pytest.param([(COMMAND, "node --test '--test-name-pattern=^(?:b)$' test/")], True, id="Node's own runner"),
        pytest.param([(COMMAND, "npx vitest run node.test.js -t b")], False, id="another runner of JavaScript"),
        pytest.param([(COMMAND, None)], False, id="it can't be narrowed"),
        pytest.param([(COMMAND, "python -m unittest test_a.A.test_b")], True, id="unittest, the failing tests alone"),
        pytest.param([(COMMAND, "python manage.py test test_a")], False, id="another runner"),
        pytest.param([(COMMAND, "pytest test_a.py")] * 2, False, id="two commands"),
        pytest.param([], False, id="nothing fails"),
    ],
)
def test_many_candidates_are_tested_after_one_start_of_a_single_runner(
    wanted: list[tuple[ProjectCommand, str | None]], batched: bool
) -> None:
    assert (batch_runner_for(wanted) is not None) == batched


def test_slips_are_expected_to_be_quick_only_where_they_are_tested_together() -> None:
    current_checks = (red("test_a.py::test_b"),)
    runs = (ran(1.0, "baseline"), ran(0.6, "candidate"))
    assert candidate_pace(state(commands=(), current_checks=current_checks, runs=runs)) == (0.6, 0.0)
    assert candidate_pace(state(current_checks=current_checks, runs=runs)) == (0.6, 0.3)
    assert candidate_pace(state(current_checks=current_checks)) == (0.0, 0.0)


def test_a_candidate_is_expected_to_take_as_long_as_those_before_and_less_than_the_first_run() -> None:
    current_checks = (red("test_a.py::test_b"),)
    first = (ran(2.0, "baseline"),)
    assert candidate_pace(state(commands=(), current_checks=current_checks, runs=first)) == (0.8, 0.0)
    tested = (*first, ran(0.1, "candidate"), ran(0.3, "candidate"))
    assert candidate_pace(state(commands=(), current_checks=current_checks, runs=tested)) == (0.2, 0.0)


def test_no_quick_run_is_left_when_no_run_is() -> None:
    assert quick_runs_left(state(spent=Spent(checks=CHECK_RUNS))) == 0
