"""Ollama's own chat API, played by the scripted server."""

from typing import Any

import pytest

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.replies import Reply
from mulligan.core.tuning import tune
from mulligan.models.known.families import family_of
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedReply, ServerStyle
from mulligan.models.scripted.script import When
from mulligan.models.scripted.server import SeenRequest, serve_script
from mulligan.models.wire.ollama_chat import OllamaChat
from mulligan.ports.models import Model
from mulligan.types.errors import ModelRejected, ReplyCutOff
from mulligan.types.model_io import AssistantReply, ModelRequest, SentCall, SystemText, ToolReply, Usage, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import ToolSpec
from mulligan.types.tuning import ModelSettings

ASKED = ModelRequest((SystemText("be good"), UserText("where?")))
LOOK = ToolSpec("look", "Look.", {"type": "object", "properties": {"path": {"type": "string"}}})
FINE = ScriptedReply(text="fine", usage=Usage(prompt_tokens=40, completion_tokens=3))


async def heard(model: Model, request: ModelRequest) -> Reply:
    gathered = GatheredReply()
    async for event in model.stream(request):
        gathered.add(event)
    return gathered.reply()


async def asked(
    *replies: ScriptedReply, request: ModelRequest = ASKED, style: ServerStyle | None = None, **given: Any
) -> tuple[Reply, SeenRequest]:
    """The reply of a model that is asked as a turn asks it, and the last request that the server saw."""
    name, num_ctx = given.pop("model", "qwen3:8b"), given.pop("num_ctx", 16_384)
    script = Script(replies=replies, server_style=style or ServerStyle(kind="ollama"))
    async with serve_script(script) as server:
        chat = OllamaChat(server.base_url, name, num_ctx=num_ctx, keep_alive="2h")
        profile = ModelProfile(server=server.base_url, model=name, kind="ollama")
        tuning = tune(family_of(name), [("test", ModelSettings.model_validate(given))])
        adaptive = AdaptiveModel(chat, profile, wanted=None, learn=lambda _: None, tuning=tuning)
        try:
            return await heard(adaptive, request), server.requests[-1]
        finally:
            await chat.aclose()


async def test_the_context_and_how_long_the_model_stays_loaded_are_sent() -> None:
    reply, seen = await asked(FINE, thinking="off", top_k=7, request=ModelRequest(ASKED.messages, max_tokens=99))
    assert seen.path == "/api/chat"
    assert list(seen.body) == ["model", "stream", "keep_alive", "think", "options", "messages"]
    assert (seen.body["keep_alive"], seen.body["think"]) == ("2h", False)
    assert seen.body["options"] == {
        "num_ctx": 16_384,
        "num_predict": 99,
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 7,
        "min_p": 0.0,
    }
    assert (reply.text, reply.finish_reason) == ("fine", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (40, 3)


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("qwen3:8b", None, None),
        ("qwen3:8b", "on", True),
        ("gpt-oss:20b", "low", "low"),
        ("deepseek-r1:8b", "off", None),
    ],
)
async def test_thinking_is_switched_in_ollamas_words(model: str, thinking: Any, sent: object) -> None:
    _, seen = await asked(FINE, model=model, thinking=thinking)
    assert seen.body.get("think") == sent


async def test_calls_come_whole_and_thinking_apart() -> None:
    calls = tuple(ScriptedCall(name="look", arguments={"path": path}) for path in ("a.py", "b.py"))
    reply, seen = await asked(
        ScriptedReply(reasoning="Two files.", tool_calls=calls), request=ModelRequest(ASKED.messages, (LOOK,))
    )
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("look", '{"path": "a.py"}'),
        ("look", '{"path": "b.py"}'),
    ]
    assert reply.reasoning == "Two files."
    assert seen.body["tools"][0]["function"]["name"] == "look"


async def test_calls_results_and_reasoning_go_back_in_ollamas_words() -> None:
    history = (
        *ASKED.messages,
        AssistantReply("", (SentCall("c1", "look", {"path": "a.py"}),), "It may be there."),
        ToolReply("c1", "look", "nothing"),
    )
    _, seen = await asked(FINE, request=ModelRequest(history, (LOOK,)))
    assert seen.body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "",
            "thinking": "It may be there.",
            "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": {"path": "a.py"}}}],
        },
        {"role": "tool", "tool_name": "look", "tool_call_id": "c1", "content": "nothing"},
    ]


async def test_a_schema_is_sent_as_the_format() -> None:
    schema = {"type": "object"}
    _, seen = await asked(FINE, request=ModelRequest(ASKED.messages, schema=schema))
    assert seen.body["format"] == schema


async def test_a_longer_context_is_really_used() -> None:
    style = ServerStyle(kind="ollama", context_length=512)
    long = ModelRequest((SystemText("be good"), UserText("begin " + "x " * 3000), AssistantReply("y"), UserText("?")))
    knows = ScriptedReply(text="I saw the beginning.", when=When(contains="begin"))
    cut, _ = await asked(knows, FINE, request=long, style=style, num_ctx=None)
    whole, _ = await asked(knows, FINE, request=long, style=style)
    assert (cut.text, whole.text) == ("fine", "I saw the beginning.")


async def test_a_refusal_is_told_in_the_servers_words() -> None:
    with pytest.raises(ModelRejected, match="too tired"):
        await asked(ScriptedReply(status=400, body={"error": "the model is too tired"}))


async def test_an_error_in_the_middle_of_a_reply_is_told() -> None:
    lines = ('{"message":{"role":"assistant","content":"fi"},"done":false}\n', '{"error":"out of memory"}\n')
    with pytest.raises(Exception, match="out of memory"):
        await asked(ScriptedReply(raw=lines))


async def test_a_reply_that_ends_without_done_is_not_whole() -> None:
    with pytest.raises(ReplyCutOff):
        await asked(ScriptedReply(text="half of it", cut_after=1))
