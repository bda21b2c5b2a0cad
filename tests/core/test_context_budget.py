from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.context_budget import FULL, HIDDEN, ContextBudget, clip_result, hide_old_results
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText, WireMessage

SMALL = ContextBudget(4096)


def reading(results: list[str]) -> list[WireMessage]:
    messages: list[WireMessage] = [SystemText("Be good."), UserText("where?")]
    for number, text in enumerate(results):
        call = SentCall(str(number), "view_file", {"path": f"{number}.py"})
        messages += [AssistantReply("", (call,)), ToolReply(str(number), "view_file", text)]
    return messages


def test_what_fits_is_left_alone() -> None:
    assert hide_old_results(reading(["x" * 1000] * 3), (), SMALL) is None


def test_old_results_are_hidden_and_the_newest_kept() -> None:
    fitted = hide_old_results(reading(["x" * 2800] * 6), (), SMALL)
    assert fitted is not None
    texts = [message.text for message in fitted if isinstance(message, ToolReply)]
    assert texts == [HIDDEN] * 5 + ["x" * 2800]


def test_hiding_again_after_more_reading_goes_on_from_there() -> None:
    fitted = hide_old_results(reading(["x" * 2800] * 6), (), SMALL)
    assert fitted is not None
    assert hide_old_results(fitted, (), SMALL) is None
    more = [*fitted, *reading(["y" * 2800] * 4)[2:]]
    again = hide_old_results(more, (), SMALL)
    assert again is not None
    assert again[: len(fitted) - 1] == fitted[:-1]


def test_the_newest_result_is_kept_even_if_it_is_too_long_by_itself() -> None:
    fitted = hide_old_results(reading(["a" * 5000, "b" * 20_000]), (), SMALL)
    assert fitted is not None
    assert [message.text[0] for message in fitted if isinstance(message, ToolReply)] == ["[", "b"]


@given(st.lists(st.integers(0, 3000), max_size=40), st.sampled_from([4096, 8192, 32_768, 200_000]))
def test_results_within_their_limit_always_end_up_fitting(sizes: list[int], context: int) -> None:
    budget = ContextBudget(context)
    messages = reading(["x" * min(size, budget.result_chars) for size in sizes])
    fitted = hide_old_results(messages, (), budget) or messages
    # Forty calls with their hidden results take room as well; only summaries could free that.
    calls_alone = budget.tokens(reading([HIDDEN] * len(sizes)), ())
    assert budget.tokens(fitted, ()) <= max(FULL * context, calls_alone + context // 4 + budget.result_chars)
    assert len(fitted) == len(messages)


@given(st.text(max_size=3000), st.integers(200, 2000))
def test_a_clipped_result_keeps_its_head_and_tail_and_says_what_is_missing(text: str, limit: int) -> None:
    clipped = clip_result(text, limit)
    assert len(clipped) <= limit + 100
    if len(text) <= limit:
        assert clipped == text
    else:
        assert clipped.startswith(text[: limit // 2])
        assert "characters left out" in clipped
