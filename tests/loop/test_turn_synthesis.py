"""The synthesis pass within a turn: a second message, written from what Mulligan read itself."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mulligan.core.context_budget import ContextBudget
from mulligan.core.synthesis import SYNTHESIS_SYSTEM
from mulligan.loop.plan import TurnPlan
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.models.wire.retrying import RetryingModel
from mulligan.tools.registry import build_code_tools
from mulligan.types.codecontext import Overview
from mulligan.types.errors import CallRejected, StoreError
from mulligan.types.frames import (
    MessageComplete,
    ReplyRetried,
    ReplyTrimmed,
    SentinelRaised,
    TextStreamed,
    TurnEnd,
)
from mulligan.types.messages import Message, StepStart, Synthesis, Text, TurnMeta
from mulligan.types.model_io import ModelRequest, SystemText, UserText
from mulligan.types.sentinels import Aborted
from mulligan.types.tool_calls import Failed, Outcome, Succeeded, ToolSpec
from mulligan.workspace.files.project_files import ProjectFiles
from tests.loop.turn_bench import Bench, calling, no_sleep, script
from tests.tools.hand_made_index import HandMadeIndex, overview

MAP: tuple[str, Mapping[str, Any]] = ("get_codebase_overview", {})
PARTS: tuple[str, Mapping[str, Any]] = ("get_semantic_neighborhoods", {})
ANSWER = "It is a shop. It starts in `a.py`, and `b.py` holds the cart."


class Finder:
    """A synthesis tool of the tests: it comes back when it is let, with what it is told to."""

    def __init__(self, name: str, *refers_to: str, outcome: Outcome | None = None) -> None:
        self.spec = ToolSpec(name, "Find.", {"type": "object", "properties": {}}, 60.0)
        self._outcome = outcome or Succeeded(f"the result of {name}", refers_to=refers_to)
        self.let = asyncio.Event()
        self.let.set()
        self.after: asyncio.Event | None = None
        """Set once this one is done."""

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        del arguments
        await self.let.wait()
        if self.after:
            self.after.set()
        if isinstance(self._outcome, Failed):
            raise CallRejected(self._outcome.kind, self._outcome.content)
        return self._outcome


OVERVIEW = Finder("get_codebase_overview", "a.py", "b.py")


def plan(
    bench: Bench, model: ScriptedModel, *tools: Finder, seconds: float = 90.0, steps: int | None = None
) -> TurnPlan:
    given = bench.plan(RetryingModel(model, sleep=no_sleep), tools=tools or (OVERVIEW,), steps=steps)
    return replace(given, files=ProjectFiles(bench.project), synthesis_seconds=seconds)


async def pair(bench: Bench) -> tuple[Message, Message]:
    """The turn's own message and the one beside it."""
    own, beside = [message for message in await bench.messages() if message.role == "assistant"]
    return own, beside


def completed(bench: Bench) -> list[tuple[str, str]]:
    return [(frame.message_id, frame.status) for frame in bench.frames if isinstance(frame, MessageComplete)]


def logged(bench: Bench, event: str) -> dict[str, Any]:
    (fields,) = [fields for name, fields in bench.log if name == event]
    return fields


def user_text(request: ModelRequest) -> str:
    system, user, *_ = request.messages
    assert system == SystemText(SYNTHESIS_SYSTEM)
    assert isinstance(user, UserText)
    return user.text


async def test_the_answer_is_written_in_a_message_beside_the_one_that_called(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text=ANSWER))
    end = await bench.start(plan(bench, model), "what's in this codebase?")
    own, beside = await pair(bench)
    assert (end.stop_reason, end.steps, end.message_id, end.exit_code) == ("synthesized", 1, own.id, 0)
    assert (own.status, [part.kind for part in own.parts]) == ("complete", ["step_start", "tool_call", "tool_result"])
    assert (beside.status, beside.parts) == (
        "complete",
        (StepStart(step=1), Text(text=ANSWER), Synthesis(tool="get_codebase_overview", files=("a.py", "b.py"))),
    )
    assert isinstance(beside.metadata, TurnMeta)
    assert (beside.metadata.stop_reason, beside.metadata.parent_message_id) == ("synthesized", own.id)


async def test_it_is_a_second_request_without_tools_and_with_a_system_prompt_of_its_own(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text=ANSWER))
    await bench.start(plan(bench, model), "what's in this codebase?")
    first, second = model.requests
    assert first.tools
    assert second.tools == ()
    text = user_text(second)
    assert "the result of get_codebase_overview" in text
    assert '<file path="a.py" lines="1-2 of 2">\ndef a():\n' in text
    assert text.endswith("Question: what's in this codebase?")


async def test_it_streams_under_its_own_id_and_is_logged_once(bench: Bench) -> None:
    await bench.start(plan(bench, script(calling(MAP), ScriptedReply(text=ANSWER))))
    own, beside = await pair(bench)
    said = [frame for frame in bench.frames if isinstance(frame, TextStreamed)]
    assert {frame.message_id for frame in said} == {beside.id}
    assert "".join(frame.text for frame in said) == ANSWER
    assert completed(bench) == [(beside.id, "complete"), (own.id, "complete")]
    assert logged(bench, "synthesis") == {
        "chat": bench.chat_id,
        "message": beside.id,
        "tool": "get_codebase_overview",
        "characters": len(ANSWER),
        "files": ["a.py", "b.py"],
    }


async def test_the_usage_of_the_pass_counts_in_the_turn(bench: Bench) -> None:
    model = script(
        calling(MAP, usage={"prompt_tokens": 10, "completion_tokens": 1}),
        ScriptedReply.model_validate({"text": ANSWER, "usage": {"prompt_tokens": 500, "completion_tokens": 40}}),
    )
    end = await bench.start(plan(bench, model))
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (510, 41)


async def test_documents_and_five_files_are_read_from_their_beginnings(bench: Bench) -> None:
    (bench.project / "docs").mkdir()
    for name in ("MULLIGAN.md", "AGENTS.md", "docs/agents.md", "docs/Q3-roadmap.md", "CONTEXT.md"):
        (bench.project / name).write_text("".join(f"{name} line {number}\n" for number in range(1, 601)))
    (bench.project / "a.py").write_text("".join(f"a = {number}\n" for number in range(1, 301)))
    (bench.project / "empty.py").write_text("\n")
    found = Finder("get_codebase_overview", "gone.py", "empty.py", *(f"{name}.py" for name in "abcdefg"))
    model = script(calling(MAP), ScriptedReply(text="Well."))
    await bench.start(plan(bench, model, found))
    text = user_text(model.requests[1])
    assert '<document path="MULLIGAN.md" lines="1-500 of 600">' in text
    assert '<document path="AGENTS.md" lines="1-500 of 600">' in text
    assert "docs/agents.md" not in text
    assert "MULLIGAN.md line 500\n" in text
    assert "MULLIGAN.md line 501" not in text
    assert '<file path="a.py" lines="1-200 of 300">' in text
    assert "a = 201" not in text
    (_, beside) = await pair(bench)
    (part,) = [part for part in beside.parts if isinstance(part, Synthesis)]
    documents = ("MULLIGAN.md", "AGENTS.md", "docs/Q3-roadmap.md", "CONTEXT.md")
    assert part.files == (*documents, "a.py", "b.py", "c.py", "d.py", "e.py")


async def test_in_a_small_context_the_request_fits(bench: Bench) -> None:
    (bench.project / "MULLIGAN.md").write_text("A rule to follow, and the reason for it.\n" * 600)
    model = script(calling(MAP), ScriptedReply(text="Well."))
    small = replace(plan(bench, model), budget=lambda: ContextBudget(4096))
    assert (await bench.start(small)).stop_reason == "synthesized"
    asked = model.requests[1]
    assert ContextBudget(4096).tokens(asked.messages, ()) <= 4096 - 1000
    (_, beside) = await pair(bench)
    assert Synthesis(tool="get_codebase_overview", files=("MULLIGAN.md",)) in beside.parts


async def test_a_slow_model_gets_less_to_read(bench: Bench) -> None:
    (bench.project / "MULLIGAN.md").write_text("A rule to follow.\n" * 400)
    model = script(calling(MAP), ScriptedReply(text="Well."))
    slow = replace(plan(bench, model), reads_per_second=lambda: 20.0)
    await bench.start(slow)
    assert len(user_text(model.requests[1])) < 1200 * 3.5


async def test_what_was_cited_and_not_read_is_named_at_the_end(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text="It starts in `a.py`, see `c.py` and `src/made_up.py`."))
    await bench.start(plan(bench, model))
    (_, beside) = await pair(bench)
    assert beside.parts[-1] == Text(
        text="\n\nNot read: `c.py`. Not in this project: `src/made_up.py`.", by_mulligan=True
    )


async def test_the_answer_is_part_of_the_next_request(bench: Bench) -> None:
    await bench.start(plan(bench, script(calling(MAP), ScriptedReply(text=ANSWER))))
    model = script("Yes.")
    await bench.run(model, "sure?")
    assert [getattr(message, "text", "") for message in model.requests[0].messages] == [
        "Be good.",
        "where?",
        "",
        "the result of get_codebase_overview",
        ANSWER,
        "sure?",
    ]


async def test_the_real_overview_tool_is_synthesized_from_its_files(bench: Bench) -> None:
    (bench.project / "README.md").write_text("# A shop\n")
    map_: Overview = replace(overview(0), documents=("README.md",), entry_points=())
    tools = build_code_tools(lambda: HandMadeIndex(map=map_))
    model = script(calling(MAP), ScriptedReply(text="A shop, says `README.md`."))
    given = bench.plan(model, tools=tuple(tools.values()))
    end = await bench.start(replace(given, files=ProjectFiles(bench.project)))
    assert end.stop_reason == "synthesized"
    assert '<file path="README.md" lines="1-1 of 1">\n# A shop' in user_text(model.requests[1])


async def test_the_other_five_are_never_synthesized(bench: Bench) -> None:
    tools = build_code_tools(HandMadeIndex)
    model = script(calling(("search_symbols", {"query": "x"}), ("get_dependencies", {"path": "x"})), "In a.py.")
    given = bench.plan(model, tools=tuple(tools.values()))
    end = await bench.start(replace(given, files=ProjectFiles(bench.project)))
    assert end.stop_reason == "answered"
    assert len([message for message in await bench.messages() if message.role == "assistant"]) == 1


async def test_a_question_comes_before_a_synthesis(bench: Bench) -> None:
    model = script(calling(MAP, ("ask_user", {"question": "Which?"})))
    assert (await bench.start(plan(bench, model))).stop_reason == "paused"


async def test_a_synthesis_comes_before_the_step_cap(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text=ANSWER))
    assert (await bench.start(plan(bench, model, steps=1))).stop_reason == "synthesized"


async def test_of_two_the_first_in_call_order_is_used_though_the_second_finished_first(bench: Bench) -> None:
    first, second = Finder(MAP[0], "a.py"), Finder(PARTS[0], "b.py")
    first.let.clear()
    second.after = first.let
    model = script(calling(MAP, PARTS), ScriptedReply(text="Well."))
    await bench.start(plan(bench, model, first, second))
    assert "the result of get_codebase_overview" in user_text(model.requests[1])
    assert logged(bench, "synthesis")["files"] == ["a.py"]


async def test_of_two_the_second_is_used_if_the_first_failed(bench: Bench) -> None:
    first, second = Finder(MAP[0], outcome=Failed("exec_error", "broken")), Finder(PARTS[0], "b.py")
    model = script(calling(MAP, PARTS), ScriptedReply(text="Well."))
    assert (await bench.start(plan(bench, model, first, second))).stop_reason == "synthesized"
    assert logged(bench, "synthesis")["tool"] == PARTS[0]


async def test_if_both_failed_the_turn_goes_on_without_a_synthesis(bench: Bench) -> None:
    broken = Failed("exec_error", "broken")
    model = script(calling(MAP, PARTS), "I could not look.")
    end = await bench.start(plan(bench, model, Finder(MAP[0], outcome=broken), Finder(PARTS[0], outcome=broken)))
    assert (end.stop_reason, end.steps) == ("answered", 2)


FAILURES = [
    pytest.param([ScriptedReply(status=400)], id="the model fails"),
    pytest.param([ScriptedReply(text="Half an", cut_after=1)] * 3, id="the stream breaks three times"),
    pytest.param([ScriptedReply(), ScriptedReply(reasoning="hm")], id="empty twice"),
    pytest.param([ScriptedReply(text="The same again. " * 60)] * 2, id="repeated twice"),
    pytest.param(
        [ScriptedReply(text='<tool_call>{"name": "grep", "arguments": {}}</tool_call>')] * 2, id="calls twice"
    ),
    pytest.param([ScriptedReply(text="It is a", finish_reason="length")] * 2, id="too long twice"),
]


@pytest.mark.parametrize("replies", FAILURES)
async def test_a_failure_leaves_a_failed_empty_message_and_a_normal_answer(
    replies: list[ScriptedReply], bench: Bench
) -> None:
    model = script(calling(MAP), *replies, "It is a shop.")
    end = await bench.start(plan(bench, model))
    own, beside = await pair(bench)
    assert (end.stop_reason, end.steps) == ("answered", 2)
    assert (beside.status, beside.parts, beside.is_failed_synthesis) == ("failed", (), True)
    assert (own.status, own.parts[-1]) == ("complete", Text(text="It is a shop."))
    assert completed(bench) == [(beside.id, "failed"), (own.id, "complete")]
    assert logged(bench, "synthesis_failed")["message"] == beside.id
    assert not [frame for frame in bench.frames if isinstance(frame, SentinelRaised)]


@pytest.mark.parametrize("replies", FAILURES)
async def test_after_a_failure_the_next_requests_know_nothing_of_it(replies: list[ScriptedReply], bench: Bench) -> None:
    model = script(calling(MAP), *replies, "It is a shop.", "Yes.")
    await bench.start(plan(bench, model))
    await bench.run(model, "sure?")
    call, following, later = model.requests[0], model.requests[-2], model.requests[-1]
    assert following.messages[: len(call.messages)] == call.messages
    assert len(following.messages) == len(call.messages) + 2
    assert (following.tools, following.messages) == (call.tools, later.messages[: len(following.messages)])
    assert len(later.messages) == len(following.messages) + 2


async def test_what_had_streamed_before_a_failure_is_void(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text="It is a", finish_reason="length", times=2), "It is a shop.")
    await bench.start(plan(bench, model))
    _, beside = await pair(bench)
    assert [frame.message_id for frame in bench.frames if isinstance(frame, ReplyRetried)] == [beside.id]
    assert ReplyTrimmed(message_id=beside.id, step=1, text="") in bench.frames


async def test_a_second_chance_is_taken(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(), ScriptedReply(text=ANSWER))
    assert (await bench.start(plan(bench, model))).stop_reason == "synthesized"
    assert "held no answer" in str(model.requests[2].messages[-1])


async def test_a_pass_that_takes_too_long_is_given_up(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text="It is a", hang=1), "It is a shop.")
    # Long enough for the question to be asked first on a busy machine too, else the turn gets the reply that hangs.
    end = await bench.start(plan(bench, model, seconds=2.0))
    own, beside = await pair(bench)
    assert end.stop_reason == "answered"
    assert (beside.status, beside.parts, own.status) == ("failed", (), "complete")
    assert logged(bench, "synthesis_failed")["error"] == "no answer within 2 s"


async def test_a_pass_that_keeps_failing_does_not_keep_the_other_guards_from_their_work(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(status=400), then="loop")
    end = await bench.start(plan(bench, model))
    assert end.stop_reason == "doom_loop"
    assert {status for _, status in completed(bench)} == {"failed", "complete"}


async def test_after_a_failed_pass_a_stopped_turn_can_be_continued(bench: Bench) -> None:
    await bench.start(plan(bench, script(calling(MAP), ScriptedReply(status=400), "Out of steps."), steps=1))
    end = await bench.run(script("Here."), "Continue", continues=True)
    assert end.stop_reason == "answered"


async def test_without_tools_there_is_nothing_to_synthesize(bench: Bench) -> None:
    model = script("No tools, no map.")
    assert (await bench.start(plan(bench, model, steps=0))).stop_reason == "answered"
    assert len(model.requests) == 1


async def assert_aborted(bench: Bench, task: asyncio.Task[TurnEnd], beside: str = "failed") -> None:
    with pytest.raises(asyncio.CancelledError):
        await task
    (end,) = [frame for frame in bench.frames if isinstance(frame, TurnEnd)]
    assert end.stop_reason == "aborted"
    assert bench.sentinels() == [Aborted()]
    replies = await pair(bench)
    assert [message.status for message in replies] == ["cancelled", beside]
    assert sorted(completed(bench)) == sorted((message.id, message.status) for message in replies)


async def test_an_abort_while_the_pass_streams_goes_on_up(bench: Bench) -> None:
    model = script(calling(MAP), ScriptedReply(text="It is a shop that", hang=1))
    task = asyncio.create_task(bench.start(plan(bench, model)))
    while not any(isinstance(frame, TextStreamed) for frame in bench.frames):  # noqa: ASYNC110 - a plain list
        await asyncio.sleep(0)
    task.cancel()
    await assert_aborted(bench, task)
    assert not [name for name, _ in bench.log if name.startswith("synthesis")]


class Impatient:
    """A user who aborts the turn as something is begun, or as it is done, and again while it closes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.task: asyncio.Task[TurnEnd] | None = None
        self._patch = monkeypatch

    def abort_at(self, thing: object, method: str, when: str, *, call: int = 1) -> None:
        real, calls = getattr(thing, method), itertools.count(1)

        async def aborting(*arguments: Any, **named: Any) -> Any:
            now = next(calls) == call
            if now and when == "begun":
                self._abort()
            result = await real(*arguments, **named)
            if now and when == "done":
                self._abort()
            return result

        self._patch.setattr(thing, method, aborting)

    def _abort(self) -> None:
        assert self.task
        self.task.cancel()
        asyncio.get_running_loop().call_soon(self.task.cancel)


@pytest.mark.parametrize("when", ["begun", "done"])
@pytest.mark.parametrize(
    ("point", "beside"),
    [
        pytest.param(("store", "open_reply", 1), "failed", id="opening the message"),
        pytest.param(("files", "find_files", 1), "failed", id="listing the project"),
        pytest.param(("files", "read_text", 1), "failed", id="reading the first file"),
        pytest.param(("files", "read_text", 3), "failed", id="reading the last file"),
        pytest.param(("store", "close_reply", 1), "complete", id="closing the message"),
    ],
)
async def test_an_abort_at_any_point_of_the_pass_leaves_nothing_streaming(
    point: tuple[str, str, int], beside: str, when: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, method, call = point
    (bench.project / "MULLIGAN.md").write_text("Be kind.\n")
    given = plan(bench, script(calling(MAP), ScriptedReply(text=ANSWER)))
    user = Impatient(monkeypatch)
    user.abort_at(bench.store.messages if where == "store" else given.files, method, when, call=call)
    user.task = asyncio.create_task(bench.start(given))
    await assert_aborted(bench, user.task, beside)


async def test_an_abort_while_a_failed_pass_is_given_up_goes_on_up(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = plan(bench, script(calling(MAP), ScriptedReply(status=400)))
    user = Impatient(monkeypatch)
    user.abort_at(bench.store.messages, "close_reply", "begun")
    user.task = asyncio.create_task(bench.start(given))
    await assert_aborted(bench, user.task)
    assert logged(bench, "synthesis_failed")


async def test_our_own_fault_in_the_pass_does_not_end_the_turn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def boom(*_: object) -> None:
        raise RuntimeError("boom")

    given = plan(bench, script(calling(MAP), "In a.py."))
    monkeypatch.setattr(given.files, "find_files", boom)
    assert (await bench.start(given)).stop_reason == "answered"
    assert str(logged(bench, "synthesis_failed")["error"]) == "boom"


async def test_a_store_that_fails_in_the_pass_is_told_and_the_message_ended_for_whoever_watches(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise StoreError("the disk is full")

    given = plan(bench, script(calling(MAP), ScriptedReply(text=ANSWER)))
    opened = bench.store.messages.open_reply

    async def open_then_fail(*arguments: Any) -> Message:
        message = await opened(*arguments)
        monkeypatch.setattr(bench.store.messages, "save_parts", full)
        return message

    monkeypatch.setattr(bench.store.messages, "open_reply", open_then_fail)
    with pytest.raises(StoreError):
        await bench.start(given)
    assert len(completed(bench)) == 2
