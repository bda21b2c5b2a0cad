import contextlib
from dataclasses import astuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.server_errors import Endpoint
from mulligan.types.errors import ModelError
from mulligan.types.model_io import CallDelta, Finished, ModelEvent, ReasoningDelta, TextDelta, TokenChoices

CONTENT = ["content", "text", "thinking", "reasoning", "reasoning_content", "refusal"]
CALLS = ["tool_calls", "function_call", "function", "name", "arguments", "index", "id"]
ENDING = ["finish_reason", "usage", "prompt_tokens", "prompt_tokens_details", "error", "code", "type", "object"]
LOGPROBS = ["logprobs", "token", "top_logprobs", "logprob"]
keys = st.sampled_from(["choices", "delta", "message", *CONTENT, *CALLS, *ENDING, *LOGPROBS])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(["error", "500", "half \ud800"])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=15
)
likeliest = st.dictionaries(keys, values, max_size=3) | st.fixed_dictionaries({"token": scalars, "logprob": scalars})
tokens = st.fixed_dictionaries({"token": scalars, "top_logprobs": st.lists(likeliest, max_size=2)})
logprobs = values | st.fixed_dictionaries({"content": values | st.lists(tokens, max_size=2)})
choices = st.fixed_dictionaries(
    {"delta": st.dictionaries(keys, values, max_size=6), "finish_reason": scalars}, optional={"logprobs": logprobs}
)
payloads = values | st.fixed_dictionaries({"choices": st.lists(choices, max_size=2), "usage": values})


@given(sent=st.lists(payloads, max_size=5))
def test_whatever_a_server_sends_gives_events_that_can_be_stored_or_a_model_error(sent: list[Any]) -> None:
    reader = ReplyReader(Endpoint("http://127.0.0.1/v1/chat/completions", "m"))

    with contextlib.suppress(ModelError):
        events = [event for payload in sent for event in reader.read(payload)] + reader.close()
        assert isinstance(events[-1], Finished)
        for event in events:
            if isinstance(event, TextDelta | ReasoningDelta | CallDelta | TokenChoices):
                assert "".join(map(str, astuple(event))).encode()


@pytest.mark.parametrize(
    ("before", "payload", "moved"),
    [
        pytest.param({}, {"choices": [{"delta": {"content": "x"}}]}, True, id="text"),
        pytest.param({}, {"choices": [{"delta": {"reasoning_content": "x"}}]}, True, id="a thought"),
        pytest.param({}, {"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]}, True, id="a call"),
        pytest.param({}, {"choices": [{"finish_reason": "stop"}]}, True, id="its end"),
        pytest.param({}, {"usage": {"prompt_tokens": 3}}, True, id="a count"),
        pytest.param({"usage": {"prompt_tokens": 3}}, {"usage": {"prompt_tokens": 3}}, False, id="the same count"),
        pytest.param(
            {}, {"prompt_progress": {"total": 4096, "processed": 512}}, True, id="a prompt that is being read"
        ),
        pytest.param(
            {"prompt_progress": {"total": 4096, "processed": 512}},
            {"prompt_progress": {"total": 4096, "processed": 1024}},
            True,
            id="read further",
        ),
        pytest.param(
            {"prompt_progress": {"total": 4096, "processed": 512}},
            {"prompt_progress": {"total": 4096, "processed": 512}},
            False,
            id="read no further",
        ),
        pytest.param(
            {"prompt_progress": {"total": 4096, "processed": 512}},
            {"prompt_progress": {"total": 4096, "processed": 7}},
            False,
            id="read again",
        ),
        pytest.param({}, {"choices": [{"delta": {"role": "assistant", "content": ""}}]}, False, id="an empty delta"),
        pytest.param({}, {"choices": []}, False, id="nothing"),
    ],
)
def test_a_reply_moves_only_by_what_is_new(before: Any, payload: Any, moved: bool) -> None:
    reader = ReplyReader(Endpoint("http://127.0.0.1/v1/chat/completions", "m"))
    reader.read(before)
    reader.read(payload)

    assert reader.moved is moved


def read_choices(logprobs: Any) -> list[ModelEvent]:
    """The events after the text of one chunk."""
    reader = ReplyReader(Endpoint("http://127.0.0.1/v1/chat/completions", "m"))
    text, *events = reader.read({"choices": [{"delta": {"content": "days"}, "logprobs": logprobs}]})
    assert text == TextDelta("days")
    return events


def likely(**tokens: float) -> list[dict[str, Any]]:
    return [
        {"id": at, "token": token, "bytes": [], "logprob": logprob}
        for at, (token, logprob) in enumerate(tokens.items())
    ]


def test_the_other_choices_of_every_token_are_read_likeliest_first() -> None:
    content = [
        {"token": "da", "logprob": -0.1, "top_logprobs": likely(da=-0.1, x=-2.5, y=-4)},
        {"token": "ys", "logprob": -0.1, "top_logprobs": likely(z=-0.5, ys=-0.9)},
    ]
    assert read_choices({"content": content}) == [
        TokenChoices("da", (("x", -2.5), ("y", -4.0))),
        TokenChoices("ys", (("z", -0.5),)),
    ]


def test_a_part_of_a_character_is_no_choice() -> None:
    listed = likely(**{"\ufffd": -0.5, "a\ufffd": -0.6, "é": -0.7, "": -0.8})
    assert read_choices({"content": [{"token": "days", "top_logprobs": listed}]}) == [
        TokenChoices("days", (("é", -0.7),))
    ]


@pytest.mark.parametrize(
    "logprobs",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
        pytest.param({}, id="empty"),
        pytest.param({"content": None}, id="no content"),
        pytest.param({"content": "days"}, id="text"),
        pytest.param({"content": [None, "days", 3, {"id": 1}]}, id="no tokens"),
        pytest.param({"content": [{"token": 7, "top_logprobs": likely(x=-1)}]}, id="a token that is no text"),
        pytest.param({"tokens": ["days"], "token_logprobs": [-0.1]}, id="as older servers write it"),
    ],
)
def test_logprobs_that_say_nothing_give_no_choices(logprobs: Any) -> None:
    assert read_choices(logprobs) == []


@pytest.mark.parametrize(
    "listed",
    [
        pytest.param(None, id="null"),
        pytest.param({"x": -1.0}, id="no list"),
        pytest.param(["x", None, {"id": 1}], id="no tokens"),
        pytest.param([{"token": "x"}], id="no probability"),
        pytest.param([{"token": "x", "logprob": "-1"}], id="a probability that is no number"),
        pytest.param([{"token": ["x"], "logprob": -1.0}], id="a token that is no text"),
    ],
)
def test_a_token_without_readable_choices_keeps_its_place(listed: Any) -> None:
    assert read_choices({"content": [{"token": "days", "top_logprobs": listed}]}) == [TokenChoices("days", ())]
