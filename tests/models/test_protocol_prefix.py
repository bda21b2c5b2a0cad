"""Whatever the protocol, a later request begins with the bytes of the earlier one: servers cache the beginning."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.models.wire.chat_request import request_body
from mulligan.types.model_io import AssistantReply, ModelRequest, SentCall, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.profiles import ModelProfile, ToolProtocol
from mulligan.types.tool_calls import ToolSpec

TOOLS = tuple(
    ToolSpec(name, f"{name} it.", {"type": "object", "properties": {"path": {"type": "string"}}})
    for name in ("grep", "list_dir", "view_file")
)


@st.composite
def steps(draw: st.DrawFn) -> list[list[WireMessage]]:
    """What each step appends to the history."""
    appended: list[list[WireMessage]] = []
    for number in range(draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from([tool.name for tool in TOOLS]), min_size=1, max_size=3))
        calls = tuple(
            SentCall(f"{number}.{place}", name, {"path": draw(st.text())}) for place, name in enumerate(names)
        )
        results = [ToolReply(call.id, call.name, draw(st.text(max_size=20))) for call in calls]
        appended.append([AssistantReply(draw(st.text(max_size=20)), calls), *results])
    return appended


@pytest.mark.parametrize("protocol", ["native", "constrained", "text"])
@given(steps(), st.sets(st.sampled_from([tool.name for tool in TOOLS])))
async def test_a_request_begins_with_the_bytes_of_the_one_before(
    protocol: ToolProtocol, appended: list[list[WireMessage]], masked: set[str]
) -> None:
    model = ScriptedModel(Script(replies=(ScriptedReply(text="x"),), then="repeat_last"))
    adaptive = AdaptiveModel(model, ModelProfile(server="s", model="m"), wanted=protocol, learn=lambda _: None)
    history: list[WireMessage] = [SystemText("Be brief."), UserText("hello")]
    for step in [*appended, []]:
        request = ModelRequest(tuple(history), tools=TOOLS, masked=frozenset(masked if step else ()))
        [event async for event in adaptive.stream(request)]
        history += step

    prompts = [_prompt(request) for request in model.requests]
    assert all(later.startswith(earlier) for earlier, later in pairwise(prompts))
    assert len(set(map(len, prompts))) == len(prompts)


def _prompt(request: ModelRequest) -> str:
    """What the server's template makes a prompt of: tools, then messages, without the closing brackets."""
    body = json.loads(request_body(request, "m", include_usage=False))
    return json.dumps(body.get("tools")) + json.dumps(body["messages"]).removesuffix("]")
