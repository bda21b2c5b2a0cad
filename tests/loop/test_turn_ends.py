"""Every way a turn can end, through the real loop, store and tools."""

from collections.abc import Mapping
from typing import Any

import pytest

from mulligan.core.reply_limits import MAX_CALLS
from mulligan.models.scripted.model import ScriptedCall, ScriptedReply
from mulligan.types.frames import MessageComplete, ReplyRetried, TurnEnd
from mulligan.types.messages import Reasoning, Text, ToolCallPart, ToolResultPart, TurnMeta
from mulligan.types.sentinels import CapHit, DoomLoop, EmptyReply, MistakeRecovery, ModelFailed, OnlyAnnounced, ReplyCut
from mulligan.types.tool_calls import Outcome
from tests.loop.turn_bench import Bench, Counter, calling, script, viewing

MISSING = [viewing(f"missing_{n}.py") for n in range(9)]


async def test_text_without_calls_is_the_answer(bench: Bench) -> None:
    model = script(viewing("a.py"), "In a.py.")
    end = await bench.run(model)
    assert (end.stop_reason, end.steps, len(model.requests)) == ("answered", 2, 2)
    answer = await bench.answer()
    assert answer.status == "complete"
    assert answer.parts[-1] == Text(text="In a.py.")


async def test_the_same_call_for_ever_ends_after_three_and_one_last_word(bench: Bench) -> None:
    model = script(viewing("a.py").model_copy(update={"times": 3}), "I only ever saw a.py.")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("doom_loop", 4)
    assert bench.sentinels() == [DoomLoop(tools=("view_file",), cycle=1, count=3)]
    assert (await bench.answer()).parts[-1] == Text(text="I only ever saw a.py.")


async def test_the_second_identical_call_is_told_that_nothing_changed(bench: Bench) -> None:
    await bench.run(script(viewing("a.py"), viewing("a.py"), "Enough."))
    first, second = [part for part in (await bench.answer()).parts if isinstance(part, ToolResultPart)]
    assert "nothing has changed" not in first.content
    assert second.content.startswith(first.content)
    assert "nothing has changed" in second.content


@pytest.mark.parametrize(("cycle", "requests"), [(2, 7), (3, 7), (4, 9), (5, 11)])
async def test_going_in_circles_is_stopped(bench: Bench, cycle: int, requests: int) -> None:
    model = script(*[viewing(f"{name}.py") for name in "abcde"[:cycle]], then="loop")
    end = await bench.run(model)
    assert end.stop_reason == "doom_loop"
    assert len(model.requests) == requests


async def test_a_call_whose_result_differs_each_time_is_no_loop(bench: Bench) -> None:
    clock = Counter(answer="$calls ticks")
    model = script(calling(("tick", {})).model_copy(update={"times": 5}), "Done.")
    assert (await bench.run(model, tools=[clock])).stop_reason == "answered"
    assert clock.calls == 5


async def test_the_same_call_after_the_work_tree_changed_is_no_loop(bench: Bench) -> None:
    edit, check = Counter(name="edit", answer="edited", progress=True), Counter(name="check", answer="2 failed")
    rounds = [calling((name, {"n": n})) for n in range(6) for name in ("edit", "check")]
    end = await bench.run(script(*rounds, "Gave up."), tools=[edit, check])
    assert end.stop_reason == "answered"
    assert check.calls == 6


async def test_mixed_failures_get_one_nudge_and_then_the_end(bench: Bench) -> None:
    model = script(
        viewing("missing.py"),
        calling(("frobnicate", {"n": 1})),
        calling(("view_file", {"start_line": 3})),
        viewing("missing_too.py"),
        calling(("frobnicate", {"n": 2})),
        calling(("grep", {"nothing": "right"})),
        "I could not find it.",
    )
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests), end.can_continue) == ("mistakes", 7, True)
    kinds = ("exec_error", "tool_not_found", "schema_reject")
    assert bench.sentinels() == [
        MistakeRecovery(failure_kinds=kinds, count=3, escalated=False),
        MistakeRecovery(failure_kinds=kinds, count=3, escalated=True, can_continue=True),
    ]


async def test_three_failures_in_one_step_are_a_nudge_too(bench: Bench) -> None:
    many = calling(*[("view_file", {"path": f"missing_{n}.py"}) for n in range(4)])
    assert (await bench.run(script(many, "Sorry."))).stop_reason == "answered"
    assert [sentinel.kind for sentinel in bench.sentinels()] == ["mistake_recovery"]


async def test_the_recovery_note_is_in_the_next_request_alone(bench: Bench) -> None:
    model = script(*MISSING[:3], viewing("a.py"), "Found.")
    await bench.run(model)
    noted = ["fundamentally different" in repr(request.messages[-1]) for request in model.requests]
    assert noted == [False, False, False, True, False]


async def test_the_step_cap_offers_to_continue(bench: Bench) -> None:
    model = script(viewing("a.py"), viewing("b.py"), "So far: a and b.")
    end = await bench.run(model, steps=2)
    assert (end.stop_reason, end.steps, end.can_continue) == ("step_cap", 2, True)
    assert bench.sentinels() == [CapHit(steps=2)]
    assert model.requests[-1].tools == ()


async def test_no_steps_means_one_reply_without_tools(bench: Bench) -> None:
    model = script("From memory.")
    assert (await bench.run(model, steps=0)).stop_reason == "answered"
    assert [request.tools for request in model.requests] == [()]


async def test_a_call_where_no_tools_were_offered_is_an_empty_reply(bench: Bench) -> None:
    model = script(viewing("a.py"), then="repeat_last")
    end = await bench.run(model, steps=0)
    assert (end.stop_reason, len(model.requests)) == ("empty_reply", 3)


@pytest.mark.parametrize(
    "empty",
    [
        pytest.param(ScriptedReply(), id="nothing"),
        pytest.param(ScriptedReply(reasoning="Hm, hm."), id="reasoning only"),
    ],
)
async def test_an_empty_reply_is_asked_again_once(bench: Bench, empty: ScriptedReply) -> None:
    model = script(empty, "Here.")
    assert (await bench.run(model)).stop_reason == "answered"
    assert "was empty" in repr(model.requests[1].messages[-1])


async def test_two_empty_replies_in_a_row_end_the_turn(bench: Bench) -> None:
    model = script(ScriptedReply(), then="repeat_last")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("empty_reply", 3)
    assert bench.sentinels() == [EmptyReply(count=2)]


async def test_empty_replies_with_work_between_them_are_forgiven(bench: Bench) -> None:
    model = script(ScriptedReply(), viewing("a.py"), ScriptedReply(), viewing("b.py"), ScriptedReply(), "Done.")
    assert (await bench.run(model)).stop_reason == "answered"


async def test_an_announcement_is_asked_for_the_call_once(bench: Bench) -> None:
    model = script("Let me read the file.", viewing("a.py"), "Done.")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("answered", 3)
    assert "called no tool" in repr(model.requests[1].messages[-1])
    assert "called no tool" not in repr(model.requests[2].messages)
    assert bench.sentinels() == []


async def test_an_answer_after_an_announcement_stands_alone(bench: Bench) -> None:
    await bench.run(script("Let me read the file.", "It is in a.py."))
    texts = [part.text for part in (await bench.answer()).parts if isinstance(part, Text)]
    assert texts == ["It is in a.py."]


async def test_a_second_announcement_is_the_answer_and_is_said_to_be_none(bench: Bench) -> None:
    model = script("Let me read the file.", "I will now read a.py.", then="repeat_last")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("answered", 2)
    assert bench.sentinels() == [OnlyAnnounced()]
    assert "did not do it" in end.explanation
    texts = [part.text for part in (await bench.answer()).parts if isinstance(part, Text)]
    assert texts == ["I will now read a.py."]


async def test_text_that_was_thinking_becomes_reasoning_and_is_not_sent_back(bench: Bench) -> None:
    model = script("It may be b.py.\n</think>\n\nIt is in a.py.", "Yes.")
    await bench.run(model)
    parts = (await bench.answer()).parts
    assert [part.text for part in parts if isinstance(part, Reasoning)] == ["It may be b.py.\n"]
    assert [part.text for part in parts if isinstance(part, Text)] == ["It is in a.py."]
    await bench.run(model, "Really?")
    assert "It is in a.py." in repr(model.requests[1])
    assert "b.py" not in repr(model.requests[1].messages)


SENTENCE = "The function reads the file and returns its lines. "


async def test_a_reply_that_repeats_itself_is_cut_off_and_asked_again(bench: Bench) -> None:
    model = script(SENTENCE * 200, "It reads the file.")
    assert (await bench.run(model)).stop_reason == "answered"
    (cut,) = bench.sentinels()
    assert isinstance(cut, ReplyCut)
    assert cut.count < 20, "it was cut while it streamed"
    texts = [part.text for part in (await bench.answer()).parts if isinstance(part, Text)]
    assert texts == ["It reads the file."]


async def test_replies_that_keep_repeating_themselves_end_the_turn_with_the_sentence_said_once(bench: Bench) -> None:
    model = script(SENTENCE * 200, then="repeat_last")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("doom_loop", 3)
    for part in (await bench.answer()).parts:
        if isinstance(part, Text):
            assert part.text.count(SENTENCE.strip()) == 1


async def test_an_answer_cut_at_the_token_limit_is_not_taken_for_whole(bench: Bench) -> None:
    model = script(ScriptedReply(text="The turn loop is in", finish_reason="length"), then="repeat_last")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("model_error", 2)
    assert "token limit" in end.explanation


@pytest.mark.parametrize("finish_reason", ["length", None])
async def test_a_call_that_was_cut_off_is_never_run(bench: Bench, finish_reason: str | None) -> None:
    tick = Counter()
    cut = calling(("tick", {"n": 1}), finish_reason=finish_reason)
    model = script(cut, "Sorry.") if finish_reason else script(cut, cut, cut)
    await bench.run(model, tools=[tick])
    assert tick.calls == 0


async def test_a_question_to_the_user_pauses_the_turn(bench: Bench) -> None:
    asking = calling(("ask_user", {"question": "Which one?", "options": ["a", "b"]}), ("view_file", {"path": "a.py"}))
    end = await bench.run(script(asking))
    assert (end.stop_reason, end.question, end.options) == ("paused", "Which one?", ("a", "b"))
    assert [part.failure for part in (await bench.answer()).parts if isinstance(part, ToolResultPart)] == [None, None]


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([ScriptedReply(status=500)] * 2, id="two 500s"),
        pytest.param([ScriptedReply(status=429, headers={"Retry-After": "1"})] * 2, id="two 429s"),
        pytest.param([ScriptedReply(text="The answer is somewhere", cut_after=1)] * 2, id="cut twice"),
    ],
)
async def test_passing_faults_are_ridden_out_and_leave_nothing_behind(
    bench: Bench, faults: list[ScriptedReply]
) -> None:
    end = await bench.run(script(*faults, "Here."))
    assert (end.stop_reason, end.steps) == ("answered", 1)
    assert len([frame for frame in bench.frames if isinstance(frame, ReplyRetried)]) == 2
    assert [part.text for part in (await bench.answer()).parts if isinstance(part, Text)] == ["Here."]


async def test_a_server_that_keeps_failing_is_a_model_error(bench: Bench) -> None:
    model = script(ScriptedReply(status=503), then="repeat_last")
    end = await bench.run(model)
    assert (end.stop_reason, len(model.requests)) == ("model_error", 3)
    assert (await bench.answer()).status == "failed"
    (failed,) = bench.sentinels()
    assert isinstance(failed, ModelFailed)
    assert "tried 3 times" in failed.error


async def test_if_the_last_word_fails_too_mulligan_writes_the_list(bench: Bench) -> None:
    model = script(viewing("a.py").model_copy(update={"times": 3}), ScriptedReply(status=500), then="repeat_last")
    end = await bench.run(model)
    assert end.stop_reason == "doom_loop"
    last = (await bench.answer()).parts[-1]
    assert isinstance(last, Text)
    assert last.by_mulligan
    assert "view_file a.py: worked" in last.text


async def test_one_tool_that_breaks_does_not_take_the_turn_down(bench: Bench) -> None:
    class Broken(Counter):
        async def run(self, arguments: Mapping[str, Any]) -> Outcome:
            raise ZeroDivisionError(arguments)

    await bench.run(script(calling(("tick", {})), "Never mind."), tools=[Broken()])
    (result,) = [part for part in (await bench.answer()).parts if isinstance(part, ToolResultPart)]
    assert (result.failure, "ZeroDivisionError" in result.content) == ("exec_error", True)
    assert bench.log[0][0] == "tool_crashed"


async def test_every_end_is_recorded_and_published_last(bench: Bench) -> None:
    end = await bench.run(script(calling(("VIEW_FILE", '{"path": "a.py",}')), "In a.py."))
    assert isinstance(bench.frames[-1], TurnEnd)
    assert isinstance(bench.frames[-2], MessageComplete)
    metadata = (await bench.answer()).metadata
    assert isinstance(metadata, TurnMeta)
    assert (metadata.stop_reason, metadata.explanation) == (end.stop_reason, end.explanation)
    assert end.repairs == metadata.repairs == {"tool_name": 1, "trailing_comma": 1}
    assert end.usage.prompt_tokens > 0
    assert end.usage == metadata.usage


async def test_a_call_twice_in_one_reply_runs_once_and_is_answered_twice(bench: Bench) -> None:
    tick = Counter()
    await bench.run(script(calling(("tick", {"n": 1}), ("tick", {"n": 1})), "Done."), tools=[tick])
    results = [part for part in (await bench.answer()).parts if isinstance(part, ToolResultPart)]
    assert (tick.calls, len(results)) == (1, 2)


async def test_of_many_calls_in_one_reply_each_has_a_result_and_the_first_are_run(bench: Bench) -> None:
    clock = Counter()
    many = calling(*[("tick", {"n": n}) for n in range(MAX_CALLS + 8)])
    model = script(many, "Done.")

    end = await bench.run(model, tools=[clock])

    assert (end.stop_reason, clock.calls, bench.sentinels()) == ("answered", MAX_CALLS, [])
    parts = (await bench.answer()).parts
    results = [part for part in parts if isinstance(part, ToolResultPart)]
    assert [part.call_id for part in parts if isinstance(part, ToolCallPart)] == [part.call_id for part in results]
    assert [part.failure for part in results] == [None] * MAX_CALLS + ["permission_denied"] * 8


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param(["x" * 1_000_000, "x" * 1_000_000], id="a megabyte"),
        pytest.param(["call00102", ""], id="ours, taken before we give it"),
        pytest.param(["", "call00101"], id="ours, taken after we gave it"),
        pytest.param(["same", "same"], id="one for both"),
    ],
)
async def test_each_call_has_an_id_of_its_own_that_can_be_sent_on(bench: Bench, ids: list[str]) -> None:
    calls = tuple(ScriptedCall(name="view_file", arguments={"path": f"{n}.py"}, id=each) for n, each in enumerate(ids))
    await bench.run(script(ScriptedReply(tool_calls=calls), "Done."))

    parts = (await bench.answer()).parts
    called = [part.call_id for part in parts if isinstance(part, ToolCallPart)]
    assert len(set(called)) == len(ids)
    assert max(map(len, called)) <= 128
    assert [part.call_id for part in parts if isinstance(part, ToolResultPart)] == called
