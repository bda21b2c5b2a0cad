"""Thinking that takes too long: what the server is sent then, and what comes of it."""

import json
from typing import Any

import pytest

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.replies import Reply
from mulligan.core.tuning import tune
from mulligan.models.known.families import family_of
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import Script, ScriptedReply, ServerStyle
from mulligan.models.scripted.server import serve_script
from mulligan.models.thinking_limited import ThinkingLimited
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelRejected
from mulligan.types.model_io import ModelRequest, Retrying, SystemText, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject
from mulligan.types.tuning import ModelSettings

ASKED = ModelRequest((SystemText("be good"), UserText("where is it?")))
THOUGHTS = " ".join(f"Perhaps it is in file {number}." for number in range(200))
LONG = ScriptedReply(reasoning=THOUGHTS, text="never read")
IN_TEXT = ScriptedReply(text=f"<think>{THOUGHTS}</think>never read")
SHORT = ScriptedReply(reasoning="I know.", text="In one.py.")


async def asked(
    *replies: ScriptedReply, kind: Any = "ollama", model: str = "qwen3:8b", **given: Any
) -> tuple[Reply, list[Retrying], list[JsonObject]]:
    """The reply, what was told of tries before it, and the bodies that the server received."""
    style = ServerStyle(kind=kind, refuses=given.pop("refuses", ()))
    async with serve_script(Script(replies=replies, server_style=style)) as server:
        profile = ModelProfile(server=server.base_url, model=model, kind=kind)
        tuning = tune(family_of(model), [("test", ModelSettings(thinking_budget=200, **given))])
        chat = OpenAIChat(server.base_url, model)
        adaptive = AdaptiveModel(chat, profile, wanted=None, learn=lambda _: None, tuning=tuning)
        limited = ThinkingLimited(adaptive, tuning, profile=lambda: adaptive.profile)
        gathered, tries = GatheredReply(), list[Retrying]()
        try:
            async for event in limited.stream(ASKED):
                gathered.add(event)
                tries += [event] if isinstance(event, Retrying) else []
        finally:
            await chat.aclose()
        return gathered.reply(), tries, [seen.body for seen in server.requests]


@pytest.mark.parametrize("thinking", [LONG, IN_TEXT], ids=["told apart by the server", "marked in the text"])
async def test_over_the_budget_the_next_request_switches_thinking_off_and_asks_for_the_answer(
    thinking: ScriptedReply,
) -> None:
    reply, tries, (first, second) = await asked(thinking, SHORT)
    assert (reply.text, reply.reasoning) == ("In one.py.", "I know.")
    assert [told.reason for told in tries] == ["it thought for more than 200 tokens, and is asked to answer now"]
    assert "reasoning_effort" not in first
    assert (second["reasoning_effort"], second["chat_template_kwargs"]) == ("none", {"enable_thinking": False})
    before = json.dumps(first["messages"]).removesuffix('"}]')
    note = json.dumps(second["messages"]).removeprefix(before)
    assert note.startswith("\\n\\nYou have thought long enough.")
    assert "Perhaps it is in file 30." in note
    assert "file 60" not in note


async def test_thinking_within_the_budget_is_left_alone() -> None:
    reply, tries, bodies = await asked(SHORT)
    assert (reply.text, tries, len(bodies)) == ("In one.py.", [], 1)


async def test_an_answer_may_be_longer_than_the_budget() -> None:
    reply, _, bodies = await asked(ScriptedReply(text=THOUGHTS))
    assert (reply.text, len(bodies)) == (THOUGHTS, 1)


async def test_a_family_without_a_switch_is_asked_by_the_note_alone() -> None:
    _, _, (first, second) = await asked(LONG, SHORT, model="deepseek-r1:8b")
    assert first.keys() == second.keys()
    assert "Answer now" in second["messages"][-1]["content"]


async def test_a_server_that_counts_is_told_the_budget_and_cut_only_if_it_forgets_it() -> None:
    within = ScriptedReply(reasoning=THOUGHTS[:1100], text="In one.py.")
    reply, _, (body,) = await asked(within, kind="llama.cpp")
    assert (reply.text, body["thinking_budget_tokens"]) == ("In one.py.", 200)
    _, _, (first, second) = await asked(LONG, SHORT, kind="llama.cpp")
    assert (first["thinking_budget_tokens"], second["thinking_budget_tokens"]) == (200, 0)


async def test_a_server_that_refuses_the_budget_is_watched_instead() -> None:
    _, _, bodies = await asked(LONG, SHORT, kind="vllm", refuses=("thinking_token_budget",))
    assert ["thinking_token_budget" in body for body in bodies] == [True, False, False]
    assert bodies[2]["chat_template_kwargs"] == {"enable_thinking": False}


async def test_a_model_that_thinks_on_ends_with_what_to_set() -> None:
    with pytest.raises(ModelRejected, match="--thinking off, or let it think longer with the setting thinking_budget"):
        await asked(LONG, LONG)
