import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.waiting import (
    MAX_SILENCE_SECONDS,
    MIN_SILENCE_SECONDS,
    first_token_seconds,
    seconds_left,
    wait_limits,
)
from mulligan.types.model_io import ModelRequest, PromptProgress, UserText
from mulligan.types.profiles import ModelProfile


@pytest.mark.parametrize(
    ("tokens", "speed", "seconds"),
    [
        pytest.param(0, None, 360, id="nothing to read"),
        pytest.param(1_000, None, 360, id="a short prompt, never less than six minutes"),
        pytest.param(4_000, None, 600, id="unknown speed counts as 20 tokens a second"),
        pytest.param(4_000, 10.0, 1_200, id="a slow machine that was measured"),
        pytest.param(4_000, 1_000.0, 360, id="a fast one"),
        pytest.param(30_000, 5.0, 3_600, id="no more than an hour unless a user says so"),
    ],
)
def test_the_first_token_is_waited_for_by_length_and_speed(tokens: int, speed: float | None, seconds: float) -> None:
    assert first_token_seconds(tokens, speed) == seconds


@given(st.integers(0, 10**7), st.none() | st.floats(0.01, 10**5))
def test_the_limit_stays_within_its_bounds_and_grows_with_the_prompt(tokens: int, speed: float | None) -> None:
    seconds = first_token_seconds(tokens, speed)
    assert MIN_SILENCE_SECONDS <= seconds <= MAX_SILENCE_SECONDS
    assert first_token_seconds(tokens + 1, speed) >= seconds


REQUEST = ModelRequest((UserText("x" * 34_980),))
SLOW = ModelProfile(server="s", model="m", reads_per_second=10.0, chars_per_token=7.0)


@pytest.mark.parametrize(
    ("profile", "idle", "told", "first"),
    [
        pytest.param(None, 300.0, None, 1_500.0, id="nothing known"),
        pytest.param(SLOW, 300.0, None, 1_500.0, id="half the tokens at half the speed"),
        pytest.param(SLOW, 2_000.0, None, 2_000.0, id="never less than between two tokens"),
        pytest.param(SLOW, 2_000.0, 7.0, 7.0, id="what the user set, whatever it is"),
    ],
)
def test_the_limits_of_a_reply(profile: ModelProfile | None, idle: float, told: float | None, first: float) -> None:
    limits = wait_limits(REQUEST, profile, idle_timeout=idle, first_token_timeout=told)
    assert (limits.first.seconds, limits.first.setting) == (first, "first_token_timeout")
    assert (limits.next.seconds, limits.next.setting) == (idle, "idle_timeout")


def test_the_limit_says_how_long_the_prompt_is() -> None:
    limits = wait_limits(REQUEST, None, idle_timeout=300, first_token_timeout=None)
    assert limits.first.awaited == "the first token of the reply to a prompt of about 10,000 tokens"


@pytest.mark.parametrize(
    ("progress", "left"),
    [
        pytest.param(PromptProgress(3_500, 1_200, 0, 20.0), 2_300 / 60, id="at the speed so far"),
        pytest.param(PromptProgress(3_500, 2_500, 2_000, 10.0), 20.0, id="what was cached took no time"),
        pytest.param(PromptProgress(3_500, 3_500, 0, 20.0), 0.0, id="all of it is read"),
        pytest.param(PromptProgress(3_500, 1_200, 0, 0.0), None, id="the server told no time"),
        pytest.param(PromptProgress(3_500, 2_000, 2_000, 0.1), None, id="nothing is read yet but for the cache"),
    ],
)
def test_the_time_left_is_told_only_where_it_can_be_known(progress: PromptProgress, left: float | None) -> None:
    assert seconds_left(progress) == (pytest.approx(left) if left is not None else None)
