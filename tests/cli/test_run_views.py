"""What a user reads of a fix run."""

import json

import pytest

from mulligan.cli.views.run_views import PlainRunViewer
from mulligan.cli.views.turn_views import JsonViewer
from mulligan.types.fixing import FailureEntry, FailureHistory, Plan, PlanStep, ProjectCommand, Spent
from mulligan.types.run_frames import (
    AttemptEnded,
    CheckEnded,
    CheckStarted,
    NodeEntered,
    PlanMade,
    RunEnd,
    RunFrame,
    RunNote,
    RunStarted,
)

START = RunStarted(
    run_id="r1",
    goal="make the tests pass",
    profile="fast",
    agency="guided",
    model="m",
    commands=(ProjectCommand(command="python3 -m pytest", kind="test", why="pytest.ini"),),
    folder="/elsewhere",
)
BASELINE = CheckEnded(
    run_id="r1",
    purpose="baseline",
    command="python3 -m pytest",
    exit_code=1,
    timed_out=False,
    seconds=0.5,
    passed=False,
    kind="test_failure",
    summary="test_a: assert 1 == 2",
    failing=2,
)
END = RunEnd(
    run_id="r1",
    verdict="verified",
    reason="passed",
    explanation="What failed before passes now.",
    failure_history=FailureHistory(
        attempts=1,
        entries=(FailureEntry(command="x", exit_code=1, kind="test_failure", summary="test_a"),),
    ),
    done=True,
    files=("a.py",),
    pending=1,
    applied=0,
    report="/project/.mulligan/runs/r1/report.md",
    spent=Spent(checks=5, model_calls=3),
    seconds=12.0,
)


def shown(capsys: pytest.CaptureFixture[str], *frames: RunFrame) -> tuple[str, str]:
    viewer = PlainRunViewer()
    for frame in frames:
        viewer(frame)
    viewer.close()
    out = capsys.readouterr()
    return out.out, out.err


def test_only_the_verdict_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    out, notes = shown(capsys, START, BASELINE, END)
    assert out == "verified: What failed before passes now.\n"
    assert "mulligan changes apply" in notes
    assert "/project/.mulligan/runs/r1/report.md" in notes


def test_what_judges_the_run_is_said_before_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _, notes = shown(capsys, START)
    assert "test: python3 -m pytest (pytest.ini)" in notes


def test_no_command_is_said_too(capsys: pytest.CaptureFixture[str]) -> None:
    _, notes = shown(capsys, START.model_copy(update={"commands": ()}))
    assert "--verify CMD" in notes


def test_a_check_shows_how_many_fail_and_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    _, notes = shown(capsys, BASELINE)
    assert notes == "✗ before any change · python3 -m pytest · 2 failing: test_a: assert 1 == 2 · 500 ms\n"


def test_a_candidate_shows_what_is_tried_and_not_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    tried = BASELINE.model_copy(update={"purpose": "candidate", "note": "a.py: `x < 1` → `x <= 1`", "failing": 1})
    _, notes = shown(capsys, CheckStarted(run_id="r1", purpose="candidate", command="c", note="n"), tried)
    assert notes == "✗ candidate a.py: `x < 1` → `x <= 1` · 1 failing · 500 ms\n"


def test_an_attempt_tells_its_plan_and_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(next="coder", plan=(PlanStep(step="fix a.py", failure="test_a"),), reason="off by one")
    _, notes = shown(
        capsys,
        PlanMade(run_id="r1", plan=plan),
        NodeEntered(run_id="r1", node="coder", attempt=2, attempts=1),
        RunNote(run_id="r1", text="Taken back: test_a.py."),
        AttemptEnded(run_id="r1", attempt=2, kept=False, summary="No failure is gone: still 2."),
    )
    for piece in ("fix a.py (for: test_a)", "Attempt 2 of 3", "Taken back", "discarded: No failure is gone"):
        assert piece in notes


def test_what_a_project_writes_can_not_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    out, notes = shown(
        capsys,
        BASELINE.model_copy(update={"summary": "a\x1b[2Jb"}),
        END.model_copy(update={"explanation": "x\x1b]0;title\x07y"}),
    )
    assert "\x1b" not in out + notes


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        pytest.param({}, 6, id="verified, and changes wait"),
        pytest.param({"pending": 0, "applied": 1}, 0, id="verified and applied"),
        pytest.param({"verdict": "unverified", "reason": "no_commands"}, 4, id="unverified"),
        pytest.param({"verdict": "failed", "reason": "bounded_attempts_exceeded", "pending": 0}, 4, id="failed"),
        pytest.param({"verdict": "failed", "reason": "model_error"}, 5, id="the model failed"),
    ],
)
def test_an_end_has_its_exit_code(fields: dict[str, object], code: int) -> None:
    assert END.model_copy(update=fields).exit_code == code


def test_json_is_one_frame_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    viewer = JsonViewer(RunEnd)
    viewer(START)
    viewer(END)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["type"] for line in lines] == ["run_start", "run_end"]
    assert viewer.ended == END
