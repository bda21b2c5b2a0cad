"""What a planner's reply is taken for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.fix_runs.planning import plan_by_code, planner_messages, read_plan
from mulligan.types.fixing import (
    Check,
    FailingTest,
    FailureHistory,
    PlanStep,
    ProjectCommand,
    RunState,
    TestReport,
)
from mulligan.types.model_io import UserText

GOOD = '{"next": "coder", "plan": [{"step": "use < in pages.py", "failure": "test_last"}], "reason": "off by one"}'
ROOM = 20_000
STEP = PlanStep(step="use < in pages.py", failure="test_last")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="as asked"),
        pytest.param(f"Here is the plan:\n```json\n{GOOD}\n```\nGood luck!", id="fenced, with words around it"),
        pytest.param(GOOD.replace('"', "'"), id="single quotes"),
        pytest.param(GOOD.replace("}]", "},]"), id="a trailing comma"),
        pytest.param(GOOD.replace('"coder"', '"Coder"'), id="another case"),
        pytest.param(GOOD.replace('"next": "coder", ', ""), id="without next"),
    ],
)
def test_a_plan_is_read_though_it_is_badly_written(text: str) -> None:
    plan = read_plan(text)
    assert plan
    assert (plan.next, plan.plan, plan.reason) == ("coder", (STEP,), "off by one")


def test_steps_that_are_plain_sentences_are_for_no_failure() -> None:
    plan = read_plan('{"next": "coder", "plan": ["fix it", "look again"], "reason": ""}')
    assert plan
    assert plan.plan == (PlanStep(step="fix it", failure=""), PlanStep(step="look again", failure=""))


@pytest.mark.parametrize("word", ["verifier", "done", "verify"])
def test_a_claim_of_success_asks_for_the_verifier(word: str) -> None:
    plan = read_plan(json.dumps({"next": word, "plan": [], "reason": "all tests pass now"}))
    assert plan
    assert plan.next == "verifier"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("I would first look at pages.py.", id="words"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param('{"next": "coder", "plan": [], "reason": "x"}', id="no step"),
        pytest.param('{"next": "coder", "plan": null}', id="null"),
        pytest.param('{"next": "deploy", "plan": ["x"]}', id="an unknown node"),
        pytest.param('{"next": "coder", "plan": [{"step": "cut', id="cut off"),
    ],
)
def test_what_holds_no_plan_is_none(text: str) -> None:
    assert read_plan(text) is None


@given(st.text())
def test_no_reply_is_too_strange_to_be_read(text: str) -> None:
    read_plan(text)


def run_state() -> RunState:
    test = FailingTest(id="tests/t.py::test_last", name="test_last", message="assert 3 == 4", detail="E  assert 3 == 4")
    check = Check(
        command="pytest", passed=False, kind="test_failure", summary="test_last", report=TestReport(failing=(test,))
    )
    return RunState(
        id="r",
        project="/p",
        goal="make the tests pass",
        profile="fast",
        agency="agent",
        model="m",
        commands=(ProjectCommand(command="pytest", kind="test", why="pytest.ini"),),
        time_limit=60,
        started_at=0,
        current_checks=(check,),
    )


def test_the_planner_is_told_the_failures_and_how_many_attempts_are_left() -> None:
    state = run_state().model_copy(update={"history": FailureHistory(attempts=2)})
    said = planner_messages(state, ROOM)[-1]
    assert isinstance(said, UserText)
    for piece in ("tests/t.py::test_last", "assert 3 == 4", "used: 2; left: 1"):
        assert piece in said.text


def test_a_plan_by_code_has_a_step_for_each_failure() -> None:
    plan = plan_by_code(run_state(), "why")
    assert plan.by_mulligan
    assert plan.plan == (PlanStep(step="Make test_last pass", failure="assert 3 == 4"),)


def test_a_plan_by_code_without_a_failure_is_the_goal() -> None:
    plan = plan_by_code(run_state().model_copy(update={"current_checks": ()}), "why")
    assert [step.step for step in plan.plan] == ["make the tests pass"]
