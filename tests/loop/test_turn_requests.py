"""What goes to the model: it only ever grows at its end, and never holds what is meant for people."""

import json

from mulligan.core.payload import opening
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.types.model_io import AssistantReply, ModelRequest, ToolReply, UserText
from tests.loop.turn_bench import Bench, calling, script, viewing


def assert_only_grows(requests: list[ModelRequest]) -> None:
    """Each request begins with the one before, but for a trailing note; tools are the same until the last call."""
    lasting: tuple[object, ...] = ()
    for request in requests:
        assert request.messages[: len(lasting)] == lasting
        last = request.messages[-1]
        noted = len(request.messages) > 2 and isinstance(last, UserText)
        lasting = request.messages[:-1] if noted else request.messages
    offered = [request.tools for request in requests if request.tools]
    assert all(tools == offered[0] for tools in offered)
    assert [spec.name for spec in offered[0]] == sorted(spec.name for spec in offered[0])


async def test_each_request_begins_with_the_one_before(bench: Bench) -> None:
    model = script(
        viewing("a.py"),
        viewing("missing_1.py"),
        calling(("nope", {}), ("view_file", {"path": "b.py"})),
        viewing("missing_2.py"),
        viewing("missing_3.py"),
        viewing("missing_4.py"),
        ScriptedReply(),
        calling(("view_file", "{'path': 'c.py',}")),
        "Found it.",
    )
    await bench.run(model)
    assert len(model.requests) == 9
    assert_only_grows(model.requests)


async def test_the_next_turn_continues_the_same_request(bench: Bench) -> None:
    """What the store gives back is, to the byte, what was sent: the prompt cache survives from turn to turn."""
    first = script(viewing("a.py"), calling(("VIEW_FILE", "{'path': 'b.py',}"), ("nope", "{")), "In a.py.")
    await bench.run(first, "where?")
    second = script("Yes.")
    await bench.run(second, "sure?")
    sent = first.requests[-1].messages
    assert second.requests[0].messages == (*sent, AssistantReply("In a.py."), UserText("sure?"))


async def test_a_broken_call_is_well_formed_in_the_history(bench: Bench) -> None:
    model = script(calling(("view_file", '{"path": "a.py')), "Sorry.")
    await bench.run(model)
    _, _, reply, result = model.requests[1].messages
    assert isinstance(reply, AssistantReply)
    assert reply.calls[0].arguments == {}
    assert isinstance(result, ToolReply)
    assert "cut off" in result.text


async def test_calls_without_an_id_get_one_of_nine_letters_and_digits(bench: Bench) -> None:
    calls = [
        {"index": place, "function": {"name": "view_file", "arguments": json.dumps({"path": f"{name}.py"})}}
        for place, name in enumerate("ab")
    ]
    event = {"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}
    model = script(ScriptedReply(raw=(f"data: {json.dumps(event)}\n\n", "data: [DONE]\n\n")), "Done.")
    await bench.run(model)
    reply = model.requests[1].messages[2]
    assert isinstance(reply, AssistantReply)
    ids = [call.id for call in reply.calls]
    assert len(set(ids)) == 2
    assert all(len(each) == 9 and each.isalnum() for each in ids)


async def test_no_sentinel_is_in_any_request_of_the_chat(bench: Bench) -> None:
    stopped = script(viewing("a.py"), then="repeat_last")
    await bench.run(stopped)
    assert bench.sentinels()
    model = script("Yes.")
    await bench.run(model, "and now?")
    assert "doom_loop" not in repr(model.requests)
    assert "stopped the turn" not in repr(model.requests)


async def test_reasoning_is_not_sent_back(bench: Bench) -> None:
    model = script(calling(("view_file", {"path": "a.py"}), reasoning="a secret thought"), "Done.")
    await bench.run(model)
    assert "secret thought" not in repr(model.requests[1])


async def test_continuing_goes_on_with_a_fresh_budget(bench: Bench) -> None:
    await bench.run(script(viewing("a.py"), viewing("b.py"), "So far."), steps=2)
    model = script(viewing("a.py"), viewing("c.py"), "Still not.")
    end = await bench.run(model, "Continue.", steps=2, continues=True)
    assert (end.stop_reason, end.steps, end.can_continue) == ("step_cap", 2, True)


async def test_the_third_continue_in_a_row_is_the_last_that_is_offered(bench: Bench) -> None:
    offers: list[bool] = []
    for continues in (False, True, True, True):
        end = await bench.run(script(viewing("a.py"), "So far."), steps=1, continues=continues)
        offers.append(end.can_continue)
    assert offers == [True, True, True, False]
    assert getattr(bench.sentinels()[-1], "can_continue", None) is False


async def test_the_store_rebuilds_what_the_loop_sent(bench: Bench) -> None:
    model = script(viewing("a.py"), calling(("nope", {})), ScriptedReply(), "Done.")
    await bench.run(model)
    rebuilt = opening("Be good.", await bench.messages())
    assert tuple(rebuilt[:-1]) == last_lasting(model)


def last_lasting(model: ScriptedModel) -> tuple[object, ...]:
    """The last request without its transient note."""
    messages = model.requests[-1].messages
    return messages[:-1] if isinstance(messages[-1], UserText) else messages
