import pytest

from mulligan.core.prompt_cache import cache_drop, cached_share, slot_for
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, Usage, UserText, WireMessage
from mulligan.types.tool_calls import ToolSpec

TOOL = ToolSpec(name="look", description="", parameters={})
HISTORY: tuple[WireMessage, ...] = (SystemText("be good"), UserText("why?"), AssistantReply("so"), UserText("and?"))
LONGER = (*HISTORY, AssistantReply("thus"), UserText("fine"))


def usage(prompt: int, cached: int) -> Usage:
    return Usage(prompt_tokens=prompt, cached_tokens=cached)


@pytest.mark.parametrize(
    ("used", "share"),
    [
        pytest.param(usage(0, 0), 0.0, id="nothing was counted"),
        pytest.param(usage(1000, 250), 0.25, id="a quarter"),
        pytest.param(usage(10, 20), 1.0, id="a server that counts wrongly"),
    ],
)
def test_the_cached_share(used: Usage, share: float) -> None:
    assert cached_share(used) == share


@pytest.mark.parametrize(
    ("messages", "tools", "changed"),
    [
        pytest.param(LONGER, (TOOL,), "nothing in the request", id="the server dropped it"),
        pytest.param(LONGER, (), "other tools are offered", id="another list of tools"),
        pytest.param((SystemText("be bad"), *LONGER[1:]), (TOOL,), "the system prompt", id="another system prompt"),
        pytest.param((HISTORY[0], UserText("summary"), *LONGER[3:]), (TOOL,), "from message 2 on", id="compaction"),
        pytest.param((*HISTORY[:3], UserText("other")), (TOOL,), "the note at the end", id="a note that is gone"),
    ],
)
def test_a_drop_is_told_with_what_changed(
    messages: tuple[WireMessage, ...], tools: tuple[ToolSpec, ...], changed: str
) -> None:
    before = (ModelRequest(HISTORY, (TOOL,)), usage(1000, 900))
    why = cache_drop(before, (ModelRequest(messages, tools), usage(1200, 100)))
    assert why is not None
    assert changed in why


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(usage(1000, 0), usage(1200, 0), id="a server that tells no cache"),
        pytest.param(usage(1000, 900), usage(1200, 1000), id="as it should be"),
        pytest.param(usage(1000, 900), usage(4000, 1000), id="a long result came at the end"),
        pytest.param(usage(1000, 900), usage(1050, 850), id="a little less"),
    ],
)
def test_no_drop_is_told(before: Usage, now: Usage) -> None:
    request = ModelRequest(HISTORY, (TOOL,))
    assert cache_drop((request, before), (ModelRequest(LONGER, (TOOL,)), now)) is None


def begun(question: str) -> ModelRequest:
    return ModelRequest((SystemText("be good"), UserText(question)))


@pytest.mark.parametrize("slots", [None, 1])
def test_a_server_with_one_slot_needs_no_number(slots: int | None) -> None:
    assert slot_for(begun("why?"), slots) is None


def test_a_chat_keeps_its_slot_as_it_grows_and_chats_are_spread_over_all() -> None:
    chats = [begun(f"question {number}") for number in range(64)]
    slots = [slot_for(chat, 4) for chat in chats]
    longer = [ModelRequest((*chat.messages, AssistantReply("so"), UserText("and?")), (TOOL,)) for chat in chats]
    assert [slot_for(chat, 4) for chat in longer] == slots
    assert {slots.count(slot) >= 8 for slot in range(4)} == {True}


def test_a_slot_that_is_busy_is_not_waited_for() -> None:
    slot = slot_for(begun("why?"), 2)
    assert slot is not None
    assert slot_for(begun("why?"), 2, {slot}) is None
