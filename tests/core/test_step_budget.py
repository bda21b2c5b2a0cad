import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.step_budget import MAX_CONTINUES, step_limit, why_not_continue
from mulligan.types.messages import Message, TurnMeta, UserMeta
from mulligan.types.sentinels import CapHit
from mulligan.types.turns import StopReason


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        pytest.param((None,), 200, id="no limit means the ceiling"),
        pytest.param((20,), 20, id="the agent's own"),
        pytest.param((500,), 200, id="never over the ceiling"),
        pytest.param((0,), 0, id="none means one reply without tools"),
        pytest.param((20, 5), 5, id="the smaller of two"),
        pytest.param((None, None), 200, id="neither set"),
    ],
)
def test_the_smallest_limit_holds(limits: tuple[int | None, ...], expected: int) -> None:
    assert step_limit(*limits) == expected


@given(st.lists(st.none() | st.integers(0, 10_000)))
def test_no_limits_allow_more_than_200_steps(limits: list[int | None]) -> None:
    assert 0 <= step_limit(*limits) <= 200


def chat(*turns: tuple[bool, StopReason | None]) -> list[Message]:
    """Turns as (pressed Continue, how it ended), with a sentinel after each."""
    messages: list[Message] = []
    for continues, reason in turns:
        for role, metadata in (
            ("user", UserMeta(continues=continues)),
            ("assistant", TurnMeta(agent="a", model="m", stop_reason=reason)),
            ("system", CapHit(steps=1)),
        ):
            seq = len(messages) + 1
            values = {"id": str(seq), "chat_id": "c", "seq": seq, "role": role, "status": "complete", "created_at": 0.0}
            messages.append(Message.model_validate({**values, "metadata": metadata}))
    return messages


@pytest.mark.parametrize("reason", ["step_cap", "doom_loop", "mistakes"])
def test_a_turn_that_a_guard_stopped_may_go_on(reason: StopReason) -> None:
    assert why_not_continue(chat((False, reason))) is None


@pytest.mark.parametrize("reason", ["answered", "paused", "aborted", "model_error", "empty_reply", None])
def test_other_ends_have_nothing_to_continue(reason: StopReason | None) -> None:
    assert why_not_continue(chat((False, reason))) is not None


def test_an_empty_chat_has_nothing_to_continue() -> None:
    assert why_not_continue([]) is not None


def test_only_the_newest_turn_can_be_continued() -> None:
    assert why_not_continue(chat((False, "step_cap"), (False, "answered"))) is not None


def test_three_continues_in_a_row_are_the_most() -> None:
    turns: list[tuple[bool, StopReason | None]] = [(False, "step_cap")]
    for _ in range(MAX_CONTINUES):
        assert why_not_continue(chat(*turns)) is None
        turns.append((True, "step_cap"))
    refused = why_not_continue(chat(*turns))
    assert refused is not None
    assert "3 times in a row" in refused.reason


def test_a_message_of_the_user_allows_continues_again() -> None:
    again: tuple[bool, StopReason] = (True, "step_cap")
    assert why_not_continue(chat((False, "step_cap"), again, again, again, (False, "step_cap"))) is None


def test_a_synthesis_that_failed_is_not_the_end_of_the_turn() -> None:
    user, own, sentinel = chat((False, "step_cap"))
    meta = TurnMeta(agent="a", model="m", parent_message_id=own.id)
    failed = own.model_copy(update={"id": "9", "seq": 9, "status": "failed", "metadata": meta})
    assert why_not_continue([user, own, failed, sentinel]) is None
