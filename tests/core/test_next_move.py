from typing import Any

import pytest

from mulligan.core.guards import Guards, first_guard
from mulligan.core.mistakes import MistakeState
from mulligan.core.next_move import Continue, Nudge, Pause, ProjectFinding, Stop, Synthesize, next_move
from mulligan.core.repetition import Loop
from mulligan.core.turn_budget import CREDIT, MAX_NUDGES, MAX_STALE_STEPS, TurnBudget
from mulligan.types.frozen import replace
from mulligan.types.sentinels import CapHit, MistakeRecovery
from mulligan.types.tool_calls import Question, Succeeded

QUIET: dict[str, Any] = {
    "memory": Guards(),
    "loop": None,
    "steps": 1,
    "limit": 200,
}
LOOPING: dict[str, Any] = {"loop": Loop(("grep",), 3)}
FAILING = MistakeState(("exec_error",) * 3)
NUDGING: dict[str, Any] = {"memory": Guards(mistakes=FAILING)}
ESCALATING: dict[str, Any] = {"memory": Guards(mistakes=replace(FAILING, nudges=1))}
CAPPED: dict[str, Any] = {"steps": 200}
STALE: dict[str, Any] = {"memory": Guards(budget=TurnBudget(stale=MAX_STALE_STEPS))}
SPENT: dict[str, Any] = {"memory": Guards(budget=TurnBudget(credit=-1, failures=("exec_error",) * int(CREDIT)))}
NUDGED_OUT: dict[str, Any] = {"memory": Guards(mistakes=FAILING, budget=TurnBudget(nudges=MAX_NUDGES))}
FOUND = ProjectFinding("get_codebase_overview", Succeeded("a map"))
STOPPED = Stop("step_cap", CapHit(steps=1))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(LOOPING, "doom_loop", id="loop"),
        pytest.param(ESCALATING, "mistakes", id="mistakes"),
        pytest.param(STALE, "doom_loop", id="nothing new"),
        pytest.param(SPENT, "mistakes", id="too many failures in all"),
        pytest.param(NUDGED_OUT, "mistakes", id="a note too many"),
        pytest.param(CAPPED, "step_cap", id="cap"),
        pytest.param(LOOPING | ESCALATING | CAPPED, "doom_loop", id="loop before mistakes before cap"),
        pytest.param(ESCALATING | CAPPED, "mistakes", id="mistakes before cap"),
        pytest.param(NUDGING | CAPPED, "step_cap", id="a nudge without a step left is no use"),
    ],
)
def test_the_first_guard_in_order_stops_the_turn(changes: dict[str, Any], reason: str) -> None:
    move = first_guard(**QUIET | changes)
    assert isinstance(move, Stop)
    assert move.reason == reason


def test_a_question_comes_before_every_guard() -> None:
    asked = Question("which?")
    assert next_move(question=asked, finding=FOUND, guarded=STOPPED) == Pause(asked)


@pytest.mark.parametrize("guarded", [pytest.param(None, id="nothing else"), pytest.param(STOPPED, id="cap")])
def test_a_synthesis_comes_before_the_guards_and_leaves_the_rest_to_them(guarded: Stop | None) -> None:
    assert next_move(question=None, finding=FOUND, guarded=guarded) == Synthesize(
        FOUND, otherwise=guarded or Continue()
    )


def test_nothing_fired_means_going_on() -> None:
    assert first_guard(**QUIET) is None
    assert next_move(question=None, finding=None, guarded=None) == Continue()


def test_a_nudge_carries_the_note_and_its_sentinel() -> None:
    move = first_guard(**QUIET | NUDGING)
    assert isinstance(move, Nudge)
    assert "different approach" in move.note
    assert move.sentinel.model_dump(exclude_none=True) == {
        "kind": "mistake_recovery",
        "failure_kinds": ("exec_error",) * 3,
        "count": 3,
        "escalated": False,
    }


def test_an_escalation_can_be_continued() -> None:
    move = first_guard(**QUIET | ESCALATING)
    assert isinstance(move, Stop)
    assert isinstance(move.sentinel, MistakeRecovery)
    assert (move.sentinel.escalated, move.sentinel.can_continue) == (True, True)
