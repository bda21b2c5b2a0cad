"""The one request of a guided turn."""

import pytest

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.retrieval.request import (
    MAX_TOKENS,
    MIN_TOKENS,
    REPLY_TOKENS,
    UNKNOWN_SPEED_TOKENS,
    Exchange,
    excerpt_budget,
    guided_messages,
)
from mulligan.types.model_io import UserText
from mulligan.types.profiles import ModelProfile


def profile(**known: float) -> ModelProfile:
    return ModelProfile.model_validate({"server": "s", "model": "m", **known})


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param({}, UNKNOWN_SPEED_TOKENS, id="nothing is known"),
        pytest.param({"reads_per_second": 40}, 1000, id="what it reads in 25 s"),
        pytest.param({"reads_per_second": 900, "context_length": 32768}, MAX_TOKENS, id="never more than is of use"),
        pytest.param({"context_length": 2048}, 2048 - REPLY_TOKENS - 250 - 10, id="what the context leaves"),
        pytest.param({"context_length": 32768, "truncates_at": 2048}, 2048 - REPLY_TOKENS - 260, id="a silent cut"),
        pytest.param({"reads_per_second": 0.5}, MIN_TOKENS, id="enough for one function at least"),
    ],
)
def test_the_budget_follows_context_and_speed(known: dict[str, float], expected: int) -> None:
    assert excerpt_budget(profile(**known), "x" * 35, reply_tokens=REPLY_TOKENS) == expected


def test_a_long_question_leaves_less_for_excerpts() -> None:
    small = profile(context_length=2048)
    assert excerpt_budget(small, "x" * 3500, reply_tokens=300) == excerpt_budget(small, "", reply_tokens=300) - 1000


def test_excerpts_have_their_path_and_no_line_numbers_and_the_question_comes_last() -> None:
    _, user = guided_messages("How many? ", [Excerpt("a.py", 7, 7, "A = 1")], None, None)
    assert user == UserText("File a.py:\n```\nA = 1\n```\n\nQuestion: How many?")


def test_the_earlier_exchange_is_shortened_and_stands_after_the_excerpts() -> None:
    _, user = guided_messages("And B?", [Excerpt("a.py", 1, 1, "A = 1")], None, Exchange("A?", "word " * 500))
    assert isinstance(user, UserText)
    assert user.text.startswith("File a.py:\n```\nA = 1\n```\n\nEarlier question: A?\nEarlier answer: word")
    assert len(user.text) < 700
