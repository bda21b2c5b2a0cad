from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from mulligan.core.context_budget import request_length
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedModel, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelOverloaded, ModelRejected, PromptTooLong
from mulligan.types.model_io import (
    CallDelta,
    Finished,
    ModelEvent,
    ModelRequest,
    Retrying,
    SystemText,
    TextDelta,
    UserText,
)
from mulligan.types.profiles import ModelProfile, ToolProtocol
from mulligan.types.tool_calls import ToolSpec

TOOLS = (ToolSpec("grep", "Search.", {"type": "object", "properties": {"pattern": {"type": "string"}}}),)
ASKED = ModelRequest((SystemText("Be brief."), UserText("hello")), tools=TOOLS)
NO_TOOLS = ScriptedReply(
    status=400, body={"error": {"message": 'registry.ollama.ai/library/gemma "does not support tools"'}}
)
NO_SCHEMA = ScriptedReply(
    status=400, body={"error": {"message": "response_format of type json_schema is not supported"}}
)
AS_TEXT = ScriptedReply(text='{"name": "grep", "arguments": {"pattern": "x"}}')
NATIVELY = ScriptedReply(tool_calls=(ScriptedCall(name="grep", arguments={"pattern": "x"}),))
IN_SCHEMA = ScriptedReply(text='{"tool": "grep", "arguments": {"pattern": "x"}}')
ANSWERED = ScriptedReply(text='{"tool": "answer", "text": "fine"}')
FINE = ScriptedReply(text="fine")


class Learner:
    """An adaptive model over a script, with what it learnt and what it was asked."""

    def __init__(self, *replies: ScriptedReply, wanted: ToolProtocol | None = None, **known: bool) -> None:
        self.scripted = ScriptedModel(Script(replies=replies))
        self.learnt: list[ModelProfile] = []
        profile = ModelProfile(server="s", model="m").model_copy(update=known)
        self.model = AdaptiveModel(self.scripted, profile, wanted=wanted, learn=self.learnt.append)

    async def ask(self, request: ModelRequest = ASKED) -> list[ModelEvent]:
        return [event async for event in self.model.stream(request)]

    def asked(self) -> list[str]:
        """The protocol of each request, as it shows on the wire."""
        return [
            "native" if request.tools else "constrained" if request.schema else "text"
            for request in self.scripted.requests
        ]


def called(events: list[ModelEvent]) -> bool:
    return any(isinstance(event, CallDelta) and event.name == "grep" for event in events)


@pytest.mark.parametrize(
    ("known", "wanted", "protocol"),
    [
        pytest.param({}, None, "native", id="nothing is known"),
        pytest.param({"native_tools": False, "json_schema": True}, None, "constrained", id="schemas work"),
        pytest.param({"native_tools": False}, None, "text", id="nothing else is known"),
        pytest.param({"native_tools": True}, "text", "text", id="the user wants it"),
    ],
)
async def test_what_is_known_and_wanted_decides(
    known: dict[str, bool], wanted: ToolProtocol | None, protocol: str
) -> None:
    learner = Learner(FINE, wanted=wanted, **known)
    assert learner.model.protocol == protocol
    await learner.ask()

    assert learner.asked() == [protocol]


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(NO_TOOLS, id="Ollama"),
        pytest.param(ScriptedReply(status=500, body="tools param requires --jinja flag"), id="llama.cpp"),
        pytest.param(
            ScriptedReply(status=400, body='"auto" tool choice requires --enable-auto-tool-choice'), id="vLLM"
        ),
        pytest.param(ScriptedReply(status=404, body="No endpoints found that support tool use"), id="a router"),
        pytest.param(ScriptedReply(status=400, body="function calling is not enabled"), id="function calling"),
    ],
)
async def test_a_server_that_refuses_tools_is_asked_again_at_once_in_another_way(refusal: ScriptedReply) -> None:
    learner = Learner(refusal, IN_SCHEMA)
    events = await learner.ask()

    assert called(events)
    assert not any(isinstance(event, Retrying) for event in events)
    assert learner.asked() == ["native", "constrained"]
    assert learner.model.protocol == "constrained"
    assert (learner.learnt[-1].native_tools, learner.learnt[-1].json_schema) == (False, True)


async def test_a_server_that_refuses_both_is_asked_in_text() -> None:
    learner = Learner(NO_TOOLS, NO_SCHEMA, AS_TEXT, FINE)
    assert called(await learner.ask())
    await learner.ask()

    assert learner.asked() == ["native", "constrained", "text", "text"]
    assert (learner.learnt[-1].native_tools, learner.learnt[-1].json_schema) == (False, False)


async def test_over_http_it_is_the_same() -> None:
    async with serve_script(Script(replies=(NO_TOOLS, ANSWERED))) as server:
        chat = OpenAIChat(server.base_url, "m")
        model = AdaptiveModel(chat, ModelProfile(server="s", model="m"), wanted=None, learn=lambda _: None)
        events = [event async for event in model.stream(ASKED)]
        await chat.aclose()

    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "fine"


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(ScriptedReply(status=400, body="unknown model"), id="something else"),
        pytest.param(ScriptedReply(status=401, body="bad key"), id="the key"),
    ],
)
async def test_other_refusals_go_up(refusal: ScriptedReply) -> None:
    learner = Learner(refusal, FINE)

    with pytest.raises(ModelRejected):
        await learner.ask()
    assert learner.learnt == []
    assert learner.model.protocol == "native"


@pytest.mark.parametrize(
    ("said", "length", "rate"),
    [
        pytest.param("maximum context length is 60 tokens, 93 in the messages", 60, 2.0, id="both are named"),
        pytest.param("maximum context length is 62 tokens", 62, 3.0, id="it took more tokens than there are"),
        pytest.param("maximum context length is 20 tokens", 20, 3.5, id="the usual rate is low enough"),
        pytest.param("the input exceeds the context length", 53, 3.5, id="nothing is named"),
        pytest.param("maximum context length is 8192, 9000 in the messages", 8192, 1.0, id="a count beyond belief"),
    ],
)
async def test_a_refusal_for_length_goes_up_and_teaches_the_room(said: str, length: int, rate: float) -> None:
    learner = Learner(ScriptedReply(status=400, body=f"{said}, in the tools"), FINE)
    assert request_length(ASKED) == 186

    with pytest.raises(PromptTooLong):
        await learner.ask()
    assert (learner.learnt[-1].context_length, learner.learnt[-1].chars_per_token) == (length, rate)
    assert learner.model.protocol == "native"


async def test_an_overloaded_server_is_not_taken_for_one_without_tools() -> None:
    learner = Learner(ScriptedReply(status=503), FINE)

    with pytest.raises(ModelOverloaded):
        await learner.ask()
    assert learner.model.protocol == "native"


async def test_a_request_without_tools_is_never_asked_in_another_way() -> None:
    learner = Learner(NO_TOOLS, FINE)

    with pytest.raises(ModelRejected):
        await learner.ask(ModelRequest(ASKED.messages))
    assert learner.learnt == []


async def test_what_a_user_wants_is_not_overruled_and_the_error_says_how_to_change_it() -> None:
    learner = Learner(NO_TOOLS, FINE, wanted="native")

    with pytest.raises(ModelRejected, match=r"does not support tools.*'native'.*which you set.*`protocol`"):
        await learner.ask()
    assert learner.asked() == ["native"]
    assert learner.model.protocol == "native"
    assert learner.learnt[-1].native_tools is False


async def test_calls_that_came_as_text_are_carried_out_and_change_the_next_request() -> None:
    learner = Learner(AS_TEXT, FINE)
    assert called(await learner.ask())
    assert [profile.native_tools for profile in learner.learnt] == [False]
    await learner.ask()

    assert learner.asked() == ["native", "text"]


async def test_with_schemas_known_to_work_the_next_request_is_constrained() -> None:
    learner = Learner(AS_TEXT, ANSWERED, json_schema=True)
    await learner.ask()
    await learner.ask()

    assert learner.asked() == ["native", "constrained"]


async def test_a_user_who_wants_native_keeps_it_though_calls_come_as_text() -> None:
    learner = Learner(AS_TEXT, AS_TEXT, wanted="native")
    assert called(await learner.ask())
    assert called(await learner.ask())

    assert learner.asked() == ["native", "native"]
    assert [profile.native_tools for profile in learner.learnt] == [False]


async def test_a_native_call_is_remembered_and_a_later_slip_forgiven() -> None:
    learner = Learner(NATIVELY, AS_TEXT, FINE)
    for _ in range(3):
        await learner.ask()

    assert learner.asked() == ["native", "native", "native"]
    assert [profile.native_tools for profile in learner.learnt] == [True]


async def test_a_server_that_ignores_the_schema_is_asked_in_text_next() -> None:
    learner = Learner(FINE, FINE, native_tools=False, json_schema=True)
    await learner.ask()
    await learner.ask()

    assert learner.asked() == ["constrained", "text"]
    assert learner.learnt[-1].json_schema is False


async def test_what_came_before_a_refusal_is_declared_void() -> None:
    class LateRefusal:
        name = "m"

        def __init__(self) -> None:
            self.asked = 0

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
            self.asked += 1
            if request.tools:
                yield TextDelta("I will")
                raise ModelRejected("failed while it answered: tools are not supported")
            yield TextDelta("fine")
            yield Finished("stop")

    model = AdaptiveModel(LateRefusal(), ModelProfile(server="s", model="m"), wanted=None, learn=lambda _: None)
    events = [event async for event in model.stream(ASKED)]

    [retry] = [event for event in events if isinstance(event, Retrying)]
    assert retry.delay == 0
    assert events[events.index(retry) + 1 :] == [TextDelta("fine"), Finished("stop")]


@pytest.mark.parametrize("protocol", ["native", "constrained", "text"])
async def test_closing_the_stream_closes_the_model_under_it(protocol: ToolProtocol) -> None:
    class Watched:
        name = "m"
        closed = False

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:  # noqa: ARG002
            try:
                yield TextDelta("one ")
                yield TextDelta("two ")
            finally:
                self.closed = True

    watched = Watched()
    model = AdaptiveModel(watched, ModelProfile(server="s", model="m"), wanted=protocol, learn=lambda _: None)
    async with aclosing(model.stream(ASKED)) as events:
        await anext(events)

    assert watched.closed


def test_it_has_the_name_of_the_model() -> None:
    assert Learner().model.name == Learner().scripted.name
