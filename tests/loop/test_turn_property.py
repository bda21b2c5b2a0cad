"""Whatever the model does, the turn ends, with one reason, and leaves everything in order."""

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan.loop.turn import run_turn
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.models.wire.retrying import RetryingModel
from mulligan.store.store import open_store
from mulligan.types.frames import Frame, MessageComplete, TurnEnd
from mulligan.types.messages import TurnMeta
from mulligan.types.turns import STOPS
from mulligan.workspace.files.project_files import ProjectFiles
from tests.examples import examples
from tests.loop.turn_bench import Bench, Counter, no_sleep

Json = dict[str, Any]

CALLS: list[Json] = [
    {"name": "view_file", "arguments": {"path": "a.py"}},
    {"name": "view_file", "arguments": {"path": "$n.py"}},
    {"name": "VIEW_FILE", "arguments": "{'path': 'b.py',}"},
    {"name": "view_file", "arguments": '{"path": "a'},
    {"name": "view_file", "arguments": "garbage"},
    {"name": "grep", "arguments": {"pattern": "def", "ignore_case": "True"}},
    {"name": "list_dir", "arguments": ""},
    {"name": "frobnicate", "arguments": {}},
    {"name": "ask_user", "arguments": {"question": "which?"}},
    {"name": "edit", "arguments": {"n": "$n"}},
    {"name": "get_codebase_overview", "arguments": {}},
    {"name": "get_codebase_overview", "arguments": {"n": "$n"}},
]
ENDINGS: list[Json] = [{}, {}, {}, {"cut_after": 1}, {"finish_reason": "length"}, {"finish_reason": None}]
FAULTS: list[Json] = [
    {"status": 500},
    {"status": 429, "headers": {"Retry-After": "1"}},
    {"status": 400},
    {"raw": ["data: {oops\n\n"]},
]


@st.composite
def replies(draw: st.DrawFn) -> Json:
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(FAULTS))
    return {
        "text": draw(st.sampled_from(["", "Well.", "   ", "The file is opened and read again. " * 30, "x" * 700])),
        "reasoning": draw(st.sampled_from(["", "Hm.", "I think about it once more now. " * 30])),
        "tool_calls": draw(st.lists(st.sampled_from(CALLS), max_size=4)),
        "chunk_size": draw(st.integers(1, 60)),
        **draw(st.sampled_from(ENDINGS)),
    }


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    said=st.lists(replies(), min_size=1, max_size=12),
    then=st.sampled_from(["loop", "repeat_last", "fail"]),
    steps=st.none() | st.integers(0, 6),
    abort_after=st.none() | st.integers(0, 40),
)
def test_any_script_ends_in_good_order(said: list[Json], then: str, steps: int | None, abort_after: int | None) -> None:
    script = Script.model_validate({"replies": [ScriptedReply.model_validate(reply) for reply in said], "then": then})
    asyncio.run(play(ScriptedModel(script), steps, abort_after))


async def play(model: ScriptedModel, steps: int | None, abort_after: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        for name in "ab":
            (project / f"{name}.py").write_text(f"def {name}(): ...\n")
        store = await open_store(Path(folder, "mulligan.db"))
        try:
            chat = await store.chats.create(project=str(project), agent="default", title="t")
            bench = Bench(store, chat.id, project)
            await run_and_maybe_abort(bench, model, steps, abort_after)
            await assert_good_order(bench, model, steps)
        finally:
            await store.close()


async def run_and_maybe_abort(bench: Bench, model: ScriptedModel, steps: int | None, abort_after: int | None) -> None:
    edit = Counter(name="edit", answer="edited $calls", progress=True)
    overview = Counter(name="get_codebase_overview", answer="a map")
    plan = bench.plan(RetryingModel(model, sleep=no_sleep), tools=[edit, overview], steps=steps)
    plan = replace(plan, files=ProjectFiles(bench.project))
    task: asyncio.Task[TurnEnd]

    def watch(frame: Frame) -> None:
        bench.frames.append(frame)
        if len(bench.frames) == abort_after:
            task.cancel()

    task = asyncio.create_task(run_turn(plan, "where?", store=bench.store.messages, emit=watch, log=bench.remember))
    if abort_after == 0:
        await asyncio.sleep(0)
        task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        assert abort_after is not None


async def assert_good_order(bench: Bench, model: ScriptedModel, steps: int | None) -> None:
    ends = [frame for frame in bench.frames if isinstance(frame, TurnEnd)]
    messages = await bench.messages()
    assert len(ends) == 1
    assert ends[0] is bench.frames[-1]
    assert ends[0].stop_reason in STOPS
    assert ends[0].steps <= min(200, max(1, steps if steps is not None else 200))
    assert not [message for message in messages if message.status == "streaming"]
    completed = [(frame.message_id, frame.status) for frame in bench.frames if isinstance(frame, MessageComplete)]
    own, *beside = [message for message in messages if message.role == "assistant"]
    assert sorted(completed) == sorted((message.id, message.status) for message in (own, *beside))
    assert isinstance(own.metadata, TurnMeta)
    assert own.metadata.stop_reason == ends[0].stop_reason
    assert all(message.is_failed_synthesis for message in beside[:-1])
    if ends[0].stop_reason == "synthesized":
        assert beside[-1].status == "complete"
    sent = repr(model.requests)
    for sentinel in bench.sentinels():
        assert sentinel.kind not in sent
    assert [message.seq for message in messages] == sorted({message.seq for message in messages})
