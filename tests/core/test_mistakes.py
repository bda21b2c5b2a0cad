from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.mistakes import (
    MISTAKE_THRESHOLD,
    MistakeState,
    after_call,
    after_nudge,
    detect_mistake_pattern,
)
from mulligan.types.tool_calls import CallOutcome, FailureKind

KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


def state_after(*outcomes: CallOutcome, nudges: int = 0) -> MistakeState:
    state = MistakeState(nudges=nudges)
    for outcome in outcomes:
        state = after_call(state, outcome)
    return state


def failing(times: int) -> list[CallOutcome]:
    return ["exec_error"] * times


def test_the_threshold_is_three_and_the_kinds_are_the_agreed_five() -> None:
    assert MISTAKE_THRESHOLD == 3
    assert set(KINDS) == {"schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"}


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param(MistakeState(), None, id="nothing happened"),
        pytest.param(state_after("exec_error", "exec_error"), None, id="two failures"),
        pytest.param(state_after("exec_error", "schema_reject", "tool_not_found"), "nudge", id="three different"),
        pytest.param(state_after("exec_error", "exec_error", "exec_error"), "nudge", id="three alike"),
        pytest.param(state_after(*failing(7)), "nudge", id="many in one step"),
        pytest.param(state_after("exec_error", "exec_error", "success", "exec_error"), None, id="a success between"),
        pytest.param(state_after(*failing(3), nudges=1), "escalate", id="three more after a nudge"),
        pytest.param(state_after(*failing(2), nudges=1), None, id="two more after a nudge"),
        pytest.param(state_after("success", *failing(3), nudges=1), "nudge", id="success forgives a nudge"),
    ],
)
def test_a_run_of_failures_is_judged(state: MistakeState, expected: str | None) -> None:
    assert detect_mistake_pattern(state) == expected


def test_a_nudge_starts_a_new_run() -> None:
    assert after_nudge(state_after(*failing(3))) == MistakeState(run=(), nudges=1)


@given(st.lists(st.sampled_from(("success", *KINDS))))
def test_the_state_holds_exactly_the_failures_since_the_last_success(outcomes: list[CallOutcome]) -> None:
    since = outcomes[len(outcomes) - outcomes[::-1].index("success") :] if "success" in outcomes else outcomes
    assert state_after(*outcomes).run == tuple(since)
