import contextlib
from dataclasses import astuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.server_errors import Endpoint
from mulligan.types.errors import ModelError
from mulligan.types.model_io import CallDelta, Finished, ReasoningDelta, TextDelta

CONTENT = ["content", "text", "thinking", "reasoning", "reasoning_content", "refusal"]
CALLS = ["tool_calls", "function_call", "function", "name", "arguments", "index", "id"]
ENDING = ["finish_reason", "usage", "prompt_tokens", "prompt_tokens_details", "error", "code", "type", "object"]
keys = st.sampled_from(["choices", "delta", "message", *CONTENT, *CALLS, *ENDING])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.sampled_from(["error", "500", "half \ud800"])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=15
)
choices = st.fixed_dictionaries({"delta": st.dictionaries(keys, values, max_size=6), "finish_reason": scalars})
payloads = values | st.fixed_dictionaries({"choices": st.lists(choices, max_size=2), "usage": values})


@given(sent=st.lists(payloads, max_size=5))
def test_whatever_a_server_sends_gives_events_that_can_be_stored_or_a_model_error(sent: list[Any]) -> None:
    reader = ReplyReader(Endpoint("http://127.0.0.1/v1/chat/completions", "m"))

    with contextlib.suppress(ModelError):
        events = [event for payload in sent for event in reader.read(payload)] + reader.close()
        assert isinstance(events[-1], Finished)
        for event in events:
            if isinstance(event, TextDelta | ReasoningDelta | CallDelta):
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
