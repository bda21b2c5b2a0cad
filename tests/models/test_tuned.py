import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from mulligan.core.tuning import tune
from mulligan.models.known.families import family_of
from mulligan.models.known.profiles import ProfileCache
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedReply
from mulligan.models.scripted.script import ServerStyle
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.models.wire.anthropic_request import request_body as anthropic_body
from mulligan.models.wire.chat_request import request_body
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelRejected
from mulligan.types.model_io import AssistantReply, ModelRequest, TextDelta, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject
from mulligan.types.tuning import ModelSettings

ASKED = ModelRequest((UserText("hello"),))
FINE = ScriptedReply(text="fine")
STYLES = {"refuses": ("top_k", "min_p")}


class Client:
    """A model at a scripted server, as a command has it; what it learns is kept in a file."""

    def __init__(self, server: ScriptedServer, home: Path, model: str = "qwen3:8b", **given: object) -> None:
        self._server = server
        self._chat = OpenAIChat(server.base_url, model)
        self._cache = ProfileCache(home)
        known = self._cache.get("s", model) or ModelProfile(server="s", model=model, kind="vllm")
        tuning = tune(family_of(model), [("test", ModelSettings.model_validate(given))])
        self.model = AdaptiveModel(self._chat, known, wanted=None, learn=self._cache.put, tuning=tuning)

    async def ask(self, request: ModelRequest = ASKED) -> list[JsonObject]:
        """The bodies that the server received for one question."""
        before = len(self._server.requests)
        said = [event async for event in self.model.stream(request)]
        assert TextDelta("fine") in said
        return [seen.body for seen in self._server.requests[before:]]

    async def close(self) -> None:
        await self._chat.aclose()


def style(**given: Any) -> Script:
    return Script(replies=(FINE,), then="repeat_last", server_style=ServerStyle(**given))


async def test_thinking_that_is_off_stands_in_the_next_request(tmp_path: Path) -> None:
    async with serve_script(style()) as server:
        client = Client(server, tmp_path, thinking="off")
        (body,) = await client.ask()
        await client.close()
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert (body["temperature"], body["top_p"]) == (0.7, 0.8)


async def test_the_publishers_sampling_is_sent_in_a_fixed_order(tmp_path: Path) -> None:
    async with serve_script(style()) as server:
        client = Client(server, tmp_path, thinking="on")
        (body,) = await client.ask()
        await client.close()
    sampling = ["temperature", "top_p", "top_k", "min_p"]
    thinking = ["thinking_token_budget", "chat_template_kwargs"]
    assert list(body) == ["model", "stream", "stream_options", *sampling, *thinking, "messages"]


async def test_a_question_at_temperature_zero_stays_at_zero(tmp_path: Path) -> None:
    async with serve_script(style()) as server:
        client = Client(server, tmp_path, "embedded:qwen2.5-coder-1.5b")
        (body,) = await client.ask(ModelRequest(ASKED.messages, temperature=0.0))
        await client.close()
    assert [name for name in body if name not in ("model", "stream", "stream_options")] == ["temperature", "messages"]
    assert body["temperature"] == 0.0


async def test_refused_fields_are_learnt_once_for_a_server_and_a_model(tmp_path: Path) -> None:
    async with serve_script(style(**STYLES)) as server:
        first = Client(server, tmp_path)
        asked = await first.ask()
        again = await first.ask()
        later = Client(server, tmp_path)
        next_time = await later.ask()
        await first.close()
        await later.close()
    assert [("top_k" in body, "min_p" in body) for body in asked] == [(True, True), (False, True), (False, False)]
    assert len(again) == len(next_time) == 1
    assert not {"top_k", "min_p"} & next_time[0].keys()
    assert next_time[0]["temperature"] == 0.6


async def test_a_refusal_about_something_else_is_told(tmp_path: Path) -> None:
    refusal = ScriptedReply(status=400, body="the model is too tired")
    async with serve_script(Script(replies=(refusal,))) as server:
        client = Client(server, tmp_path)
        with pytest.raises(ModelRejected, match="too tired"):
            await client.ask()
        await client.close()
    assert len(server.requests) == 1


async def test_a_server_that_names_the_field_beside_its_words_is_understood(
    byte_server: Callable[..., AbstractAsyncContextManager[Any]],
) -> None:
    detail = json.dumps({"detail": [{"loc": ["body", "min_p"], "msg": "Extra inputs are not permitted"}]}).encode()
    head = f"HTTP/1.1 422 No\r\nContent-Type: application/json\r\nContent-Length: {len(detail)}\r\n\r\n".encode()
    async with byte_server(head + detail) as server:
        chat = OpenAIChat(server.base_url, "m")
        with pytest.raises(ModelRejected, match=r"body\.min_p: Extra inputs are not permitted"):
            _ = [event async for event in chat.stream(ASKED)]
        await chat.aclose()


def test_reasoning_goes_back_in_the_field_that_the_server_reads() -> None:
    said = ModelRequest((UserText("a"), AssistantReply("b", reasoning="because")), reasoning_field="reasoning")
    assert json.loads(request_body(said, "m", include_usage=False))["messages"][1] == {
        "role": "assistant",
        "content": "b",
        "reasoning": "because",
    }


def test_anthropic_gets_its_own_fields_of_sampling() -> None:
    body = json.loads(anthropic_body(ModelRequest(ASKED.messages, options={"top_p": 0.9, "top_k": 3}), "m"))
    assert (body["top_p"], body["top_k"]) == (0.9, 3)
