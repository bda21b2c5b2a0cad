"""A turn that an external agent drives, on a real store: what it says and does is written down as any turn is."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

import pytest

from mulligan.core.payload import opening
from mulligan.loop.delegated import (
    ARGUMENT_CHARS,
    MAX_CALLS,
    MAX_PATHS,
    MAX_TEXT_CHARS,
    RESULT_CHARS,
    Aftermath,
    ExternalAgentModel,
    run_delegated_turn,
)
from mulligan.loop.plan import TurnPlan
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
)
from mulligan.types.errors import BackendError, StoreError
from mulligan.types.frames import MessageComplete, TextStreamed, ToolCalled, ToolReturned, TurnEnd
from mulligan.types.messages import Part, Reasoning, StepStart, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import AssistantReply, ToolReply
from mulligan.types.sentinels import Aborted, AgentFailed, EmptyReply, OutsideWrites
from tests.loop.turn_bench import Bench

FINISHED = AgentDone("finished")


def says(*events: AgentEvent) -> Callable[[], AsyncGenerator[AgentEvent, None]]:
    async def stream() -> AsyncGenerator[AgentEvent, None]:
        for event in events:
            yield event

    return stream


async def delegate(bench: Bench, *events: AgentEvent, aftermath: Aftermath | None = None) -> TurnEnd:
    return await delegate_to(bench, says(*events), aftermath=aftermath)


async def delegate_to(
    bench: Bench, events: Callable[[], AsyncGenerator[AgentEvent, None]], *, aftermath: Aftermath | None = None
) -> TurnEnd:
    async def afterwards() -> Aftermath:
        return aftermath or Aftermath()

    plan = TurnPlan(bench.chat_id, "goose", system="", model=ExternalAgentModel("goose"), tools=(), step_limit=0)
    return await run_delegated_turn(
        plan,
        "do it",
        events,
        store=bench.store.messages,
        emit=bench.frames.append,
        log=bench.remember,
        afterwards=afterwards,
    )


async def kept(bench: Bench) -> Sequence[Part]:
    return (await bench.answer()).parts


async def test_what_the_agent_says_thinks_and_does_is_kept_in_order(bench: Bench) -> None:
    end = await delegate(
        bench,
        AgentReasoning("Hm."),
        AgentText("I "),
        AgentText("look."),
        AgentToolCall("1", "Read a.py", {"path": "a.py"}),
        AgentToolUpdate("1", "running"),
        AgentToolUpdate("1", "completed", "def a()"),
        AgentText("Done."),
        FINISHED,
    )
    assert (end.stop_reason, end.steps) == ("answered", 2)
    parts = [
        part.model_copy(update={"duration_ms": 0}) if part.kind == "tool_result" else part for part in await kept(bench)
    ]
    assert parts == [
        StepStart(step=1),
        Reasoning(text="Hm."),
        Text(text="I look."),
        ToolCallPart(call_id="1", name="Read a.py", arguments={"path": "a.py"}),
        ToolResultPart(call_id="1", name="Read a.py", content="def a()"),
        StepStart(step=2),
        Text(text="Done."),
    ]
    assert [frame.text for frame in bench.frames if isinstance(frame, TextStreamed)] == ["I ", "look.", "Done."]


async def test_a_model_can_read_what_the_agent_did(bench: Bench) -> None:
    """A chat may go on with an agent of our own."""
    await delegate(
        bench,
        AgentToolCall("1", "one", {}),
        AgentToolCall("2", "two", {}),
        AgentToolUpdate("2", "completed", "second"),
        AgentToolUpdate("1", "completed", "first"),
        AgentText("Done."),
        FINISHED,
    )
    _, _, *answer = opening("system", await bench.messages())
    calls, first, second, done = answer
    assert isinstance(calls, AssistantReply)
    assert [call.id for call in calls.calls] == ["1", "2"]
    assert (first, second) == (ToolReply("1", "one", "first"), ToolReply("2", "two", "second"))
    assert done == AssistantReply("Done.", ())


async def test_a_failed_call_is_a_failure(bench: Bench) -> None:
    await delegate(bench, AgentToolCall("1", "ls", {}), AgentToolUpdate("1", "failed", "no such file"), FINISHED)
    (returned,) = [frame for frame in bench.frames if isinstance(frame, ToolReturned)]
    assert (returned.failure, returned.content) == ("exec_error", "no such file")


async def test_an_update_without_a_call_makes_one(bench: Bench) -> None:
    await delegate(bench, AgentToolUpdate("9", "completed", "seen"), FINISHED)
    (called,) = [frame for frame in bench.frames if isinstance(frame, ToolCalled)]
    assert called.name == "tool"
    assert [part.kind for part in await kept(bench)] == ["step_start", "tool_call", "tool_result"]


async def test_calls_that_are_never_closed_are_closed_with_the_turn(bench: Bench) -> None:
    await delegate(
        bench,
        AgentToolCall("1", "ls", {}),
        AgentToolUpdate("1", "running", "half"),
        AgentToolCall("2", "cat", {}),
        FINISHED,
    )
    results = [part for part in await kept(bench) if isinstance(part, ToolResultPart)]
    assert [(part.call_id, part.content, part.failure) for part in results] == [
        ("1", "half", None),
        ("2", "The agent did not report a result.", None),
    ]


async def test_a_late_word_on_a_closed_call_is_dropped(bench: Bench) -> None:
    await delegate(
        bench,
        AgentToolCall("1", "ls", {}),
        AgentToolUpdate("1", "completed", "a"),
        AgentToolUpdate("1", "completed", "b"),
        AgentToolCall("1", "ls", {}),
        AgentToolUpdate("1", "completed", "c"),
        FINISHED,
    )
    results = [part for part in await kept(bench) if isinstance(part, ToolResultPart)]
    assert [part.content for part in results] == ["a", "c"]
    assert len({part.call_id for part in results}) == 2


async def test_a_plan_is_noted_once_for_each_change_of_it(bench: Bench) -> None:
    await delegate(bench, AgentPlan(("read", "edit")), AgentPlan(("read", "edit")), AgentText("Done."), FINISHED)
    (thought,) = [part for part in await kept(bench) if isinstance(part, Reasoning)]
    assert thought.text.count("- edit") == 1


@pytest.mark.parametrize(
    "events",
    [
        pytest.param((), id="nothing"),
        pytest.param((AgentReasoning("Let me think."),), id="only thoughts"),
        pytest.param((AgentText(" \n"),), id="white space"),
        pytest.param((AgentPlan(("edit",)),), id="only a plan"),
    ],
)
async def test_a_turn_in_which_nothing_was_done_is_empty(bench: Bench, events: tuple[AgentEvent, ...]) -> None:
    end = await delegate(bench, *events, FINISHED)
    assert end.stop_reason == "empty_reply"
    assert bench.sentinels() == [EmptyReply(count=1, agent="goose")]
    assert end.explanation.startswith("goose said nothing")


async def test_an_empty_turn_is_not_summed_up_by_a_model_that_nobody_has(bench: Bench) -> None:
    await delegate(bench, FINISHED)
    assert await kept(bench) == (StepStart(step=1),)


async def test_an_agent_that_only_left_changes_has_answered(bench: Bench) -> None:
    end = await delegate(bench, FINISHED, aftermath=Aftermath(changed=True))
    assert (end.stop_reason, end.explanation) == ("answered", "goose answered.")


@pytest.mark.parametrize(
    ("last", "detail", "words"),
    [
        pytest.param(
            (AgentDone("failed", "goose ended (exit code 1)."),),
            "goose ended (exit code 1).",
            "goose ended (exit code 1).",
            id="told by name",
        ),
        pytest.param((AgentDone("failed", "No key."),), "No key.", "goose failed: No key.", id="told without a name"),
        pytest.param((AgentDone("failed"),), "it did not say why", "goose failed: it did not say why", id="no reason"),
        pytest.param(
            (),
            "it stopped without saying how it ended",
            "goose failed: it stopped without saying how it ended",
            id="no end",
        ),
    ],
)
async def test_a_failed_agent_is_named_with_the_detail(
    bench: Bench, last: tuple[AgentDone, ...], detail: str, words: str
) -> None:
    end = await delegate(bench, AgentText("I"), *last)
    assert (end.stop_reason, end.explanation) == ("model_error", words)
    assert bench.sentinels() == [AgentFailed(agent="goose", error=detail)]
    assert (await bench.answer()).status == "failed"


async def test_an_agent_that_can_not_be_started_fails_the_turn(bench: Bench) -> None:
    async def stream() -> AsyncGenerator[AgentEvent, None]:
        raise BackendError("goose did not say hello")
        yield

    assert (await delegate_to(bench, stream)).stop_reason == "model_error"
    assert bench.sentinels() == [AgentFailed(agent="goose", error="goose did not say hello")]


async def test_what_was_written_outside_is_a_sentinel_of_its_own_kind(bench: Bench) -> None:
    outside = Aftermath(checkout="/p", outside=("a.py", "refs/heads/main"))
    end = await delegate(bench, AgentText("Done."), FINISHED, aftermath=outside)
    assert end.stop_reason == "answered"
    assert bench.sentinels() == [OutsideWrites(agent="goose", checkout="/p", paths=("a.py", "refs/heads/main"))]


async def test_a_name_that_is_no_text_can_be_told_and_kept(bench: Bench) -> None:
    outside = Aftermath(checkout="/p", outside=("\udcff.py",))
    await delegate(bench, AgentText("Done."), FINISHED, aftermath=outside)
    (raised,) = [message.metadata for message in await bench.messages() if message.role == "system"]
    assert raised == OutsideWrites(agent="goose", checkout="/p", paths=("\\udcff.py",))
    assert all(frame.model_dump_json() for frame in bench.frames)


async def test_of_many_files_written_outside_some_are_named_and_the_rest_counted(bench: Bench) -> None:
    paths = tuple(f"{number}.py" for number in range(MAX_PATHS + 3))
    await delegate(bench, AgentText("Done."), FINISHED, aftermath=Aftermath(checkout="/p", outside=paths))
    (raised,) = bench.sentinels()
    assert isinstance(raised, OutsideWrites)
    assert (raised.paths, raised.more) == (paths[:MAX_PATHS], 3)
    assert f"9.py and {MAX_PATHS - 10 + 3} more." in raised.text


async def test_an_agent_that_says_it_was_cancelled_is_an_abort(bench: Bench) -> None:
    assert (await delegate(bench, AgentText("I"), AgentDone("cancelled"))).stop_reason == "aborted"


async def test_an_abort_closes_the_stream_and_the_calls_and_looks_at_what_was_left(bench: Bench) -> None:
    begun, closed = asyncio.Event(), asyncio.Event()

    async def stream() -> AsyncGenerator[AgentEvent, None]:
        yield AgentToolCall("1", "sleep", {})
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    task = asyncio.create_task(delegate_to(bench, stream, aftermath=Aftermath(notes=("Look.",))))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed.is_set()
    assert bench.sentinels() == [Aborted()]
    assert [frame.status for frame in bench.frames if isinstance(frame, MessageComplete)] == ["cancelled"]
    _, _, result, note = await kept(bench)
    assert isinstance(result, ToolResultPart)
    assert (result.content, result.failure) == ("It was running when the turn ended.", "exec_error")
    assert isinstance(note, Text)
    assert note.by_mulligan


async def test_a_call_that_takes_long_is_in_the_store_meanwhile(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    written, save = asyncio.Event(), bench.store.messages.save_parts

    async def watched(message_id: str, first: int, parts: Sequence[Part]) -> None:
        await save(message_id, first, parts)
        written.set()

    async def stream() -> AsyncGenerator[AgentEvent, None]:
        yield AgentToolCall("1", "make test", {})
        await written.wait()
        assert [part.kind for part in await kept(bench)] == ["step_start", "tool_call"]
        yield FINISHED

    monkeypatch.setattr(bench.store.messages, "save_parts", watched)
    assert (await delegate_to(bench, stream)).stop_reason == "answered"


async def test_a_store_that_fails_is_not_taken_for_the_agents_fault(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise StoreError("the disk is full")

    async def stream() -> AsyncGenerator[AgentEvent, None]:
        yield AgentText("I")
        monkeypatch.setattr(bench.store.messages, "save_parts", full)
        yield FINISHED

    with pytest.raises(StoreError, match="the disk is full"):
        await delegate_to(bench, stream)
    assert (await bench.answer()).status == "failed"


async def test_what_mulligan_adds_is_a_part_of_its_own(bench: Bench) -> None:
    await delegate(bench, AgentText("Done."), FINISHED, aftermath=Aftermath(notes=("One.", "Two.")))
    *_, said, note = await kept(bench)
    assert said == Text(text="Done.")
    assert note == Text(text="\n\nOne.\n\n\nTwo.\n", by_mulligan=True)


async def test_a_flood_is_bounded(bench: Bench) -> None:
    block = "x" * 100_000
    flood = [AgentText(block)] * 30 + [AgentReasoning(block)] * 30
    await delegate(
        bench,
        *flood,
        AgentToolCall("1", "w" * 1000, {"text": block, "deep": [[[[[[[[[[[["end"]]]]]]]]]]]]}),
        AgentToolUpdate("1", "completed", "r" * 10_000_000),
        FINISHED,
    )
    texts = {part.kind: len(part.text) for part in await kept(bench) if isinstance(part, Text | Reasoning)}
    assert all(MAX_TEXT_CHARS < length < MAX_TEXT_CHARS + 200 for length in texts.values())
    (call,) = [part for part in await kept(bench) if isinstance(part, ToolCallPart)]
    assert len(call.name) == 200
    assert len(call.arguments["text"]) < ARGUMENT_CHARS + 200
    (result,) = [part for part in await kept(bench) if isinstance(part, ToolResultPart)]
    assert len(result.content) < RESULT_CHARS + 200


async def test_calls_without_end_are_bounded(bench: Bench) -> None:
    await delegate(bench, *(AgentToolUpdate(str(number), "completed") for number in range(MAX_CALLS + 50)), FINISHED)
    assert sum(isinstance(part, ToolCallPart) for part in await kept(bench)) == MAX_CALLS
