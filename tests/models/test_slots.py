"""In which slot of a llama.cpp server a chat is kept: what is sent."""

import asyncio

import pytest

from mulligan.core.prompt_cache import slot_for
from mulligan.models.known.metadata import from_llama_cpp, read_metadata
from mulligan.models.scripted.model import Script, ScriptedReply, ServerStyle
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.models.whole_reply import whole_reply
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, UserText
from mulligan.types.profiles import ModelProfile

CHAT = ModelRequest((SystemText("be good"), UserText("where is it?")))
LATER = ModelRequest((*CHAT.messages, AssistantReply("there"), UserText("sure?")))


def served(*replies: ScriptedReply, refuses: tuple[str, ...] = ()) -> Script:
    style = ServerStyle(kind="llama.cpp", slots=4, refuses=refuses)
    return Script(replies=replies or (ScriptedReply(text="fine"),), then="repeat_last", server_style=style)


def told(server: ScriptedServer) -> list[object]:
    return [seen.body.get("id_slot") for seen in server.requests]


async def test_all_requests_of_a_chat_name_the_same_slot() -> None:
    async with serve_script(served()) as server:
        profile = await read_metadata(server.base_url, "scripted")
        model = OpenAIChat(server.base_url, "scripted", known=lambda: profile)
        for request in (CHAT, LATER):
            await whole_reply(model, request)
        await model.aclose()
    assert profile.slots == 4
    assert told(server) == [slot_for(CHAT, 4)] * 2
    assert [seen.body["cache_prompt"] for seen in server.requests] == [True, True]


async def test_a_chat_that_began_before_the_slots_were_known_stays_where_it_is() -> None:
    known = [ModelProfile(server="s", model="m", kind="llama.cpp")]
    async with serve_script(served()) as server:
        model = OpenAIChat(server.base_url, "m", known=lambda: known[-1])
        await whole_reply(model, CHAT)
        known.append(known[0].model_copy(update={"slots": 4}))
        await whole_reply(model, LATER)
        await model.aclose()
    assert told(server) == [None, None]


async def test_two_requests_at_once_do_not_wait_for_one_slot() -> None:
    profile = ModelProfile(server="s", model="m", kind="llama.cpp", slots=4)
    async with serve_script(served(ScriptedReply(text="fine", hang=0), ScriptedReply(text="fine"))) as server:
        model = OpenAIChat(server.base_url, "m", known=lambda: profile)
        first = asyncio.create_task(whole_reply(model, CHAT))
        await server.asked(1)
        await whole_reply(model, LATER)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await whole_reply(model, LATER)
        await model.aclose()
    slot = slot_for(CHAT, 4)
    assert told(server) == [slot, None, slot]


async def test_a_server_that_refuses_the_number_is_asked_without_it() -> None:
    profile = ModelProfile(server="s", model="m", kind="llama.cpp", slots=4)
    async with serve_script(served(refuses=("id_slot",))) as server:
        model = OpenAIChat(server.base_url, "m", known=lambda: profile)
        await whole_reply(model, CHAT)
        await model.aclose()
    assert told(server) == [slot_for(CHAT, 4), None]
    assert [seen.body.get("cache_prompt") for seen in server.requests] == [True, True]


@pytest.mark.parametrize(("build", "slots"), [("b8500-abc", 4), ("b7300-abc", None), ("", None)])
def test_an_old_server_is_named_no_slot(build: str, slots: int | None) -> None:
    profile = ModelProfile(server="s", model="m", kind="llama.cpp")
    assert from_llama_cpp(profile, {"total_slots": 4, "build_info": build}).slots == slots
