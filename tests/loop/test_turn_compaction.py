"""A turn whose context gets full: room is made, nothing is lost, and requests only grow until the next time."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mulligan.core.compaction.asking import SYSTEM
from mulligan.core.context_budget import HIDDEN, ContextBudget
from mulligan.core.payload import SUMMARY_BEGINS, opening
from mulligan.core.provenance import split_ledger
from mulligan.loop.compact import compact_chat
from mulligan.loop.plan import TurnPlan
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply, When
from mulligan.types.errors import ChatBusy
from mulligan.types.images import StoredImage
from mulligan.types.messages import AttachmentInfo, Message, Text, TurnMeta, UserMeta
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, ToolReply, UserText
from mulligan.types.sentinels import Aborted, CapHit, Compacted
from tests.loop.turn_bench import Bench, calling, viewing

QUESTION = "which module returns the answer?"
SUMMARY = "## Goal\nFind the module that returns the answer.\n## Progress\n### Done\n- Read some modules.\n"
FOR_SUMMARIES = When(contains="Sum up the session above")


def write_files(bench: Bench, count: int, size: int) -> None:
    for number in range(count):
        lines = [f"def function_{number}_{line}(): return {line}" for line in range(size // 36)]
        Path(bench.project, f"m{number}.py").write_text("\n".join(lines))


def model_of(
    *replies: ScriptedReply | str, summary: ScriptedReply | str = SUMMARY, then: str = "fail"
) -> ScriptedModel:
    """A model with one reply for every request for a summary, and these for the others."""
    asked = summary if isinstance(summary, ScriptedReply) else ScriptedReply(text=summary)
    whole = [ScriptedReply(text=reply) if isinstance(reply, str) else reply for reply in replies]
    script = {"replies": [asked.model_copy(update={"when": FOR_SUMMARIES}), *whole], "then": then}
    return ScriptedModel(Script.model_validate(script))


def plan_of(bench: Bench, model: ScriptedModel, context: int | None, **more: Any) -> TurnPlan:
    budget = ContextBudget(context) if context else None
    return replace(bench.plan(model), budget=lambda: budget, **more)


def talking(count: int) -> list[ScriptedReply]:
    """Steps that can't be hidden: the model says much and reads little."""
    said = [" ".join(f"idea{number}x{word}" for word in range(180)) for number in range(count)]
    return [calling(("view_file", {"path": f"m{number}.py"}), text=said[number]) for number in range(count)]


def for_summaries(model: ScriptedModel) -> list[ModelRequest]:
    return [request for request in model.requests if request.messages[0] == SystemText(SYSTEM)]


def others(model: ScriptedModel) -> list[ModelRequest]:
    return [request for request in model.requests if request.messages[0] != SystemText(SYSTEM)]


async def compactions(bench: Bench) -> list[Message]:
    return [message for message in await bench.messages() if isinstance(message.metadata, Compacted)]


def fits(plan: TurnPlan, request: ModelRequest) -> bool:
    budget = plan.budget()
    assert budget
    return not budget.is_full(request.messages, request.tools, plan.max_tokens)


async def test_old_results_are_hidden_for_this_turn_and_for_later_ones(bench: Bench) -> None:
    write_files(bench, 12, 2600)
    model = model_of(*(viewing(f"m{number}.py") for number in range(12)), "Here.")
    plan = plan_of(bench, model, 8192)
    await bench.start(plan, QUESTION)
    (hidden,) = await compactions(bench)
    assert isinstance(hidden.metadata, Compacted)
    assert (hidden.role, hidden.status, hidden.parts, hidden.metadata.how) == ("system", "complete", (), "hidden")
    assert hidden.metadata.tokens_after < hidden.metadata.tokens_before
    assert all(fits(plan, request) for request in model.requests)
    sent = model.requests[-1].messages
    assert [message.text for message in sent if isinstance(message, ToolReply)][:3] == [HIDDEN] * 3
    assert tuple(opening("Be good.", await bench.messages())[:-1]) == sent


async def test_a_summary_takes_the_place_of_what_came_before(bench: Bench) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.")
    plan = plan_of(bench, model, 4096)
    end = await bench.start(plan, QUESTION)
    assert (end.stop_reason, end.steps) == ("answered", 10)
    done = await compactions(bench)
    assert done
    assert all(isinstance(each.metadata, Compacted) and each.metadata.how == "summary" for each in done)
    assert all(fits(plan, request) for request in model.requests)
    _, first, *_ = others(model)[-1].messages
    assert isinstance(first, UserText)
    assert first.text.startswith(SUMMARY_BEGINS)
    assert first.text.endswith(QUESTION)
    assert "## Goal\nFind the module that returns the answer." in first.text
    assert "- m0.py" in first.text


async def test_requests_only_grow_between_two_compactions_and_into_the_next_turn(bench: Bench) -> None:
    write_files(bench, 12, 300)
    first = model_of(*talking(12), "Here.")
    await bench.start(plan_of(bench, first, 4096), QUESTION)
    requests = others(first)
    grown = [after.messages[: len(before.messages)] == before.messages for before, after in pairwise(requests)]
    assert grown.count(False) == len(await compactions(bench)) > 1
    second = model_of("Yes.")
    await bench.start(plan_of(bench, second, 200_000), "sure?")
    assert second.requests[0].messages == (*requests[-1].messages, AssistantReply("Here."), UserText("sure?"))


async def test_the_ledger_holds_every_file_over_several_compactions(bench: Bench) -> None:
    write_files(bench, 20, 300)
    model = model_of(*talking(20), "Here.")
    await bench.start(plan_of(bench, model, 4096), QUESTION)
    done = await compactions(bench)
    assert len(done) > 3
    text = done[-1].parts[0]
    assert isinstance(text, Text)
    shown = [
        call.arguments["path"]
        for message in others(model)[-1].messages
        if isinstance(message, AssistantReply)
        for call in message.calls
    ]
    assert split_ledger(text.text)[1].read | set(shown) == {f"m{number}.py" for number in range(20)}


async def test_people_see_it_and_the_model_does_not(bench: Bench) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.", summary=ScriptedReply(text=SUMMARY, reasoning="a secret thought"))
    await bench.start(plan_of(bench, model, 4096), QUESTION)
    raised = [frame for frame in bench.frames if frame.type == "sentinel"]
    assert raised[0].text.startswith("Context was full: the model summed up what came before, about ")
    assert "tokens freed" not in repr(model.requests)
    assert "secret thought" not in repr(model.requests)
    assert SUMMARY not in "".join(frame.text for frame in bench.frames if frame.type == "text_delta")


async def test_a_useless_summary_is_asked_for_once_more_and_then_mulligan_writes_one(bench: Bench) -> None:
    write_files(bench, 5, 300)
    model = model_of(*talking(5), "Here.", summary="")
    end = await bench.start(plan_of(bench, model, 4096), QUESTION)
    assert end.stop_reason == "answered"
    (digest,) = await compactions(bench)
    assert isinstance(digest.metadata, Compacted)
    assert digest.metadata.how == "digest"
    assert len(for_summaries(model)) == 2
    assert "Your last summary was empty." in repr(for_summaries(model)[1])
    first = others(model)[-1].messages[1]
    assert isinstance(first, UserText)
    assert f"## Goal\n- {QUESTION}" in first.text
    assert "- view_file m0.py: worked" in first.text


@pytest.mark.parametrize(
    "summary",
    [
        pytest.param(ScriptedReply(status=400, body="no"), id="refused"),
        pytest.param(ScriptedReply(text="x", cut_after=0), id="cut off"),
        pytest.param(ScriptedReply(text="The end is near. " * 4000), id="the same for ever"),
        pytest.param(ScriptedReply(reasoning="hm " * 20_000), id="thoughts for ever"),
    ],
)
async def test_no_model_can_make_compaction_fail_a_turn(bench: Bench, summary: ScriptedReply) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.", summary=summary)
    plan = plan_of(bench, model, 4096)
    end = await bench.start(plan, QUESTION)
    assert (end.stop_reason, end.steps) == ("answered", 10)
    assert {
        message.metadata.how for message in await compactions(bench) if isinstance(message.metadata, Compacted)
    } == {"digest"}
    assert all(fits(plan, request) for request in model.requests)


async def test_there_is_at_most_one_compaction_a_step(bench: Bench) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.")
    await bench.start(plan_of(bench, model, 1024), QUESTION)
    steps = [message.step for message in await compactions(bench)]
    assert len(steps) == len(set(steps))


async def test_results_too_long_to_stand_beside_each_other_are_cut(bench: Bench) -> None:
    write_files(bench, 8, 4000)
    model = model_of(calling(*(("view_file", {"path": f"m{number}.py"}) for number in range(8))), "Here.")
    plan = plan_of(bench, model, 4096)
    await bench.start(plan, QUESTION)
    assert all(fits(plan, request) for request in model.requests)
    results = [message.text for message in model.requests[-1].messages if isinstance(message, ToolReply)]
    assert len(results) == 8
    assert all("characters left out" in text for text in results)
    assert tuple(opening("Be good.", await bench.messages())[:-1]) == model.requests[-1].messages


async def test_a_message_longer_than_the_context_is_cut_and_answered(bench: Bench) -> None:
    model = model_of("Yes.")
    plan = plan_of(bench, model, 4096)
    end = await bench.start(plan, "please " * 10_000)
    assert end.stop_reason == "answered"
    assert fits(plan, model.requests[0])


async def test_room_is_left_for_the_reply(bench: Bench) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.")
    plan = plan_of(bench, model, 4096, max_tokens=1200)
    await bench.start(plan, QUESTION)
    budget = plan.budget()
    assert budget
    assert all(budget.tokens(request.messages, request.tools) + 1200 <= 4096 for request in model.requests)


async def test_the_last_words_of_a_stopped_turn_fit_too(bench: Bench) -> None:
    write_files(bench, 8, 4000)
    model = model_of(calling(*(("view_file", {"path": f"m{number}.py"}) for number in range(8))), "So far.")
    plan = plan_of(bench, model, 4096, step_limit=1)
    end = await bench.start(plan, QUESTION)
    assert end.stop_reason == "step_cap"
    assert bench.sentinels() == [CapHit(steps=1)]
    assert fits(plan, model.requests[-1])


async def test_where_nothing_is_known_of_the_context_nothing_is_done(bench: Bench) -> None:
    write_files(bench, 12, 20_000)
    model = model_of(*(viewing(f"m{number}.py") for number in range(12)), "Here.")
    await bench.start(plan_of(bench, model, None), QUESTION)
    assert await compactions(bench) == []


async def test_what_a_summary_costs_counts_for_the_turn_and_a_line_is_logged(bench: Bench) -> None:
    write_files(bench, 5, 300)
    model = model_of(
        *talking(5),
        "Here.",
        summary=ScriptedReply.model_validate(
            {"text": SUMMARY, "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 7}}
        ),
    )
    end = await bench.start(plan_of(bench, model, 4096), QUESTION)
    assert end.usage.prompt_tokens > 1_000_000
    (fields,) = [fields for event, fields in bench.log if event == "compacted"]
    assert (fields["chat"], fields["how"], fields["problems"]) == (bench.chat_id, "summary", ())
    assert fields["tokens_before"] > fields["tokens_after"]
    assert fields["seconds"] >= 0


async def test_an_abort_while_a_summary_is_written_ends_the_turn_and_leaves_no_summary(bench: Bench) -> None:
    write_files(bench, 9, 300)
    model = model_of(*talking(9), "Here.", summary=ScriptedReply(text=SUMMARY, hang=1))
    task = asyncio.create_task(bench.start(plan_of(bench, model, 4096), QUESTION))
    while not for_summaries(model) and not task.done():  # noqa: ASYNC110 - requests are a plain list
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await bench.answer()).status == "cancelled"
    assert bench.sentinels() == [Aborted()]
    assert await compactions(bench) == []


async def test_a_chat_is_compacted_when_a_user_wants_it(bench: Bench) -> None:
    write_files(bench, 5, 300)
    await bench.start(plan_of(bench, model_of(*talking(5), "Here."), None), QUESTION)
    before = opening("Be good.", await bench.messages())
    model = model_of()
    message = await compact_chat(
        plan_of(bench, model, 200_000), store=bench.store.messages, emit=bench.frames.append, log=bench.remember
    )
    assert message
    assert await compactions(bench) == [message]
    assert bench.frames[-1].type == "sentinel"
    assert bench.frames[-1].text.startswith("Done: the model summed up what came before")
    after = opening("Be good.", await bench.messages())
    assert len(repr(after)) < len(repr(before)) / 2
    assert after[-1] == AssistantReply("Here.")


async def test_a_chat_with_nothing_to_sum_up_is_left_as_it_is(bench: Bench) -> None:
    await bench.start(plan_of(bench, model_of("Here."), None), QUESTION)
    plan = plan_of(bench, model_of(), None)
    assert await compact_chat(plan, store=bench.store.messages, emit=bench.frames.append, log=bench.remember) is None


async def test_a_chat_that_is_being_answered_is_not_compacted(bench: Bench) -> None:
    await bench.store.messages.open_turn(bench.chat_id, QUESTION, UserMeta(), TurnMeta(agent="default", model="m"))
    with pytest.raises(ChatBusy):
        await compact_chat(
            plan_of(bench, model_of(), None), store=bench.store.messages, emit=bench.frames.append, log=bench.remember
        )


async def test_the_newest_images_outlive_a_summary_and_the_others_are_told_of(bench: Bench) -> None:
    def shown(name: str) -> UserMeta:
        image = StoredImage(digest=name, media_type="image/png", width=700, height=600, size=9)
        return UserMeta(attached=(AttachmentInfo(name=name, image=image),))

    chat_id = bench.chat_id
    for name in ("old.png", "new.png"):
        await bench.store.messages.add(chat_id, role="user", metadata=shown(name), parts=[Text(text=f"see {name}")])
        said = Text(text=" ".join(f"{name}{word}" for word in range(500)))
        await bench.store.messages.add(chat_id, role="assistant", metadata=TurnMeta(agent="a", model="m"), parts=[said])
    await bench.store.messages.add(chat_id, role="user", metadata=UserMeta(), parts=[Text(text="and now?")])
    plan = plan_of(bench, model_of("Here."), 4096)
    done = await compact_chat(plan, store=bench.store.messages, emit=bench.frames.append, log=bench.remember)
    assert done
    assert isinstance(done.metadata, Compacted)
    # An image of this size takes 560 tokens, and a fifth of the context is 819.
    assert (done.metadata.images, done.metadata.images_left_out) == (1, 1)
    assert "1 earlier images are no longer shown to it" in done.metadata.text
    _, summary, *_ = opening("Be good.", await bench.messages())
    assert isinstance(summary, UserText)
    assert [each.about.digest for each in summary.images] == ["new.png"]
