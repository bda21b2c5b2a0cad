import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.context_budget import CUT_NOTE, MIN_CUT_CHARS, ContextBudget, clip_result, common_limit, squeeze
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText, WireMessage


def reading(results: list[str]) -> list[WireMessage]:
    messages: list[WireMessage] = [SystemText("Be good."), UserText("where?")]
    for number, text in enumerate(results):
        call = SentCall(str(number), "view_file", {"path": f"{number}.py"})
        messages += [AssistantReply("", (call,)), ToolReply(str(number), "view_file", text)]
    return messages


@pytest.mark.parametrize(
    ("context", "reply", "most"),
    [
        pytest.param(10_000, None, 8_500, id="85 % of the context"),
        pytest.param(10_000, 1_000, 8_500, id="a short reply is in the rest"),
        pytest.param(10_000, 3_000, 7_000, id="a long one needs more"),
        pytest.param(10_000, 9_000, 5_000, id="and gets half at most"),
    ],
)
def test_the_longest_request_leaves_room_for_the_reply(context: int, reply: int | None, most: int) -> None:
    assert ContextBudget(context).most_tokens(reply) == most


def test_a_last_request_that_fits_is_left_alone() -> None:
    messages = reading(["x" * 1000] * 3)
    assert squeeze(messages, ContextBudget(4096), None) == messages


@given(st.lists(st.integers(0, 20_000), max_size=20), st.sampled_from([4096, 8192, 32_768]))
def test_the_results_of_a_last_request_are_cut_until_it_fits(sizes: list[int], context: int) -> None:
    budget = ContextBudget(context)
    squeezed = squeeze(reading(["x" * size for size in sizes]), budget, None)
    shortest = budget.tokens(reading(["x" * (MIN_CUT_CHARS + CUT_NOTE)] * len(sizes)), ())
    assert budget.tokens(squeezed, ()) <= max(shortest, budget.most_tokens(None))


@given(st.lists(st.integers(0, 20_000), min_size=1), st.integers(1000, 50_000))
def test_texts_cut_to_the_common_limit_fit_together(lengths: list[int], room: int) -> None:
    limit = common_limit(lengths, room)
    if limit is None:
        assert sum(lengths) <= room
    elif limit > MIN_CUT_CHARS:
        cut = [len(clip_result("x" * length, limit)) for length in lengths]
        assert sum(cut) <= room


@given(st.text(max_size=3000), st.integers(200, 2000))
def test_a_clipped_result_keeps_its_head_and_tail_and_says_what_is_missing(text: str, limit: int) -> None:
    clipped = clip_result(text, limit)
    assert len(clipped) <= limit + CUT_NOTE
    if len(text) <= limit:
        assert clipped == text
    else:
        assert clipped.startswith(text[: limit // 2])
        assert "characters left out" in clipped
