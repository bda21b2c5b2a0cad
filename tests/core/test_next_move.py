from typing import Any

import pytest

from mulligan.core.mistakes import MistakeState
from mulligan.core.next_move import GoOn, Nudge, Pause, ProjectFinding, Stop, Synthesize, next_move
from mulligan.core.repetition import Loop
from mulligan.types.sentinels import MistakeRecovery
from mulligan.types.tool_calls import Question, Succeeded

QUIET: dict[str, Any] = {
    "question": None,
    "finding": None,
    "loop": None,
    "mistakes": MistakeState(),
    "pattern": None,
    "steps": 1,
    "limit": 200,
}
ASKED: dict[str, Any] = {"question": Question("which?")}
FOUND: dict[str, Any] = {"finding": ProjectFinding("get_codebase_overview", Succeeded("a map"))}
LOOPING: dict[str, Any] = {"loop": Loop(("grep",), 3)}
FAILING: dict[str, Any] = {"mistakes": MistakeState(("exec_error",) * 3)}
ESCALATING: dict[str, Any] = {**FAILING, "pattern": "escalate"}
NUDGING: dict[str, Any] = {**FAILING, "pattern": "nudge"}
CAPPED: dict[str, Any] = {"steps": 200}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(LOOPING, "doom_loop", id="loop"),
        pytest.param(ESCALATING, "mistakes", id="mistakes"),
        pytest.param(CAPPED, "step_cap", id="cap"),
        pytest.param(LOOPING | ESCALATING | CAPPED, "doom_loop", id="loop before mistakes before cap"),
        pytest.param(ESCALATING | CAPPED, "mistakes", id="mistakes before cap"),
        pytest.param(NUDGING | CAPPED, "step_cap", id="a nudge without a step left is no use"),
    ],
)
def test_the_first_guard_in_order_stops_the_turn(changes: dict[str, Any], reason: str) -> None:
    move = next_move(**QUIET | changes)
    assert isinstance(move, Stop)
    assert move.reason == reason


def test_a_question_comes_before_every_guard() -> None:
    assert next_move(**QUIET | ASKED | FOUND | LOOPING | ESCALATING | CAPPED) == Pause(Question("which?"))


@pytest.mark.parametrize(
    "others",
    [
        pytest.param({}, id="nothing else"),
        pytest.param(LOOPING, id="loop"),
        pytest.param(NUDGING, id="nudge"),
        pytest.param(ESCALATING | CAPPED, id="mistakes and cap"),
    ],
)
def test_a_synthesis_comes_before_the_other_guards_and_leaves_the_rest_to_them(others: dict[str, Any]) -> None:
    move = next_move(**QUIET | FOUND | others)
    assert isinstance(move, Synthesize)
    assert (move.finding, move.otherwise) == (FOUND["finding"], next_move(**QUIET | others))


def test_nothing_fired_means_going_on() -> None:
    assert next_move(**QUIET) == GoOn()


def test_a_nudge_carries_the_note_and_its_sentinel() -> None:
    move = next_move(**QUIET | NUDGING)
    assert isinstance(move, Nudge)
    assert "different approach" in move.note
    assert move.sentinel.model_dump(exclude_none=True) == {
        "kind": "mistake_recovery",
        "failure_kinds": ("exec_error",) * 3,
        "count": 3,
        "escalated": False,
    }


def test_an_escalation_can_be_continued() -> None:
    move = next_move(**QUIET | ESCALATING)
    assert isinstance(move, Stop)
    assert isinstance(move.sentinel, MistakeRecovery)
    assert (move.sentinel.escalated, move.sentinel.can_continue) == (True, True)
