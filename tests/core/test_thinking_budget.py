import pytest

from mulligan.core.thinking_budget import THOUGHTS_KEPT, ask_to_answer, is_over, thinking_budget
from mulligan.types.model_io import ModelRequest, SystemText, UserText
from mulligan.types.profiles import ModelProfile

ASKED = ModelRequest((SystemText("be good"), UserText("why?")))


@pytest.mark.parametrize(
    ("wanted", "speed", "context", "tokens", "reason"),
    [
        pytest.param(700, 12.0, None, 700, "", id="what was set"),
        pytest.param(0, 12.0, None, 0, "", id="none at all"),
        pytest.param(90_000, 12.0, 4096, 90_000, "", id="what was set, whatever the context"),
        pytest.param(None, 12.0, None, 3600, "5 minutes at 12 tokens a second", id="by its speed"),
        pytest.param(None, 1.5, None, 1024, "5 minutes at 1.5 tokens a second", id="a slow model thinks too"),
        pytest.param(None, 200.0, None, 16_384, "5 minutes at 200 tokens a second", id="a fast model, not for ever"),
        pytest.param(None, None, None, 16_384, "its speed was not measured", id="never measured"),
        pytest.param(None, None, 4096, 2048, "half of its context of 4,096 tokens", id="a short context"),
        pytest.param(None, 12.0, 32_768, 3600, "5 minutes at 12 tokens a second", id="a long context"),
    ],
)
def test_the_budget_is_what_was_set_or_some_minutes_at_the_models_speed(
    wanted: int | None, speed: float | None, context: int | None, tokens: int, reason: str
) -> None:
    profile = ModelProfile(server="s", model="m", writes_per_second=speed, context_length=context)
    budget = thinking_budget(wanted, profile)
    assert (budget.tokens, budget.reason) == (tokens, reason)


@pytest.mark.parametrize(
    ("characters", "server_counts", "over"),
    [
        (400, False, False),
        (401, False, True),
        (401, True, False),
        (600, True, False),
        (601, True, True),
    ],
)
def test_a_server_that_counts_itself_is_given_some_more(characters: int, server_counts: bool, over: bool) -> None:
    assert is_over(characters, 100, server_counts=server_counts) is over


def test_a_request_to_answer_only_grows_at_its_end_and_keeps_the_newest_thoughts() -> None:
    thoughts = "old thought. " * 1000 + "So it is in one.py."
    asked = ask_to_answer(ASKED, thoughts)
    note = asked.messages[-1]
    assert asked.messages[:-1] == ASKED.messages
    assert asked.answer_now
    assert isinstance(note, UserText)
    assert "So it is in one.py." in note.text
    assert len(note.text) < THOUGHTS_KEPT + 300
