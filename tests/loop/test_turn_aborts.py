"""Being cancelled at any moment leaves a finished message, one reason and nothing running."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.types.frames import Frame, MessageComplete, StepStarted, TextStreamed, TurnEnd
from mulligan.types.messages import Text, ToolCallPart
from mulligan.types.sentinels import Aborted
from mulligan.types.tool_calls import Outcome
from tests.loop.turn_bench import Bench, Counter, calling, script, viewing


class Endless(Counter):
    """A tool that never comes back by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.ended = False

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True
        return await super().run(arguments)


def start(bench: Bench, model: ScriptedModel, *tools: Counter) -> asyncio.Task[TurnEnd]:
    return asyncio.create_task(bench.start(bench.plan(model, tools=tools)))


async def seen(bench: Bench, moment: type[Frame]) -> None:
    """Wait until a frame of that type has come."""
    while not any(isinstance(frame, moment) for frame in bench.frames):  # noqa: ASYNC110 - frames are a plain list
        await asyncio.sleep(0)


async def abort(bench: Bench, task: asyncio.Task[TurnEnd]) -> TurnEnd:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (end,) = [frame for frame in bench.frames if isinstance(frame, TurnEnd)]
    return end


async def abort_at(bench: Bench, model: ScriptedModel, moment: type[Frame]) -> TurnEnd:
    """Run the turn and cancel it when the first frame of that type has come."""
    task = start(bench, model)
    await seen(bench, moment)
    return await abort(bench, task)


async def assert_cancelled(bench: Bench, end: TurnEnd) -> None:
    assert end.stop_reason == "aborted"
    answer = await bench.answer()
    assert answer.status == "cancelled"
    assert bench.sentinels() == [Aborted()]
    assert [frame.status for frame in bench.frames if isinstance(frame, MessageComplete)] == ["cancelled"]


async def test_an_abort_while_the_reply_streams_keeps_what_was_said(bench: Bench) -> None:
    end = await abort_at(bench, script(ScriptedReply(text="It is in " * 10, hang=3)), TextStreamed)
    await assert_cancelled(bench, end)
    last = (await bench.answer()).parts[-1]
    assert isinstance(last, Text)
    assert last.text.startswith("It is in")


async def test_an_abort_before_the_first_word_ends_cleanly(bench: Bench) -> None:
    end = await abort_at(bench, script(ScriptedReply(text="x", hang=0)), StepStarted)
    await assert_cancelled(bench, end)


async def test_an_abort_while_tools_run_ends_them(bench: Bench) -> None:
    endless = Endless()
    task = start(bench, script(calling(("tick", {}))), endless)
    await endless.started.wait()
    await assert_cancelled(bench, await abort(bench, task))
    assert endless.ended
    assert isinstance((await bench.answer()).parts[-1], ToolCallPart)


async def test_an_abort_during_the_last_word_is_an_abort(bench: Bench) -> None:
    model = script(viewing("a.py"), viewing("a.py"), viewing("a.py"), ScriptedReply(text="I saw " * 9, hang=2))
    end = await abort_at(bench, model, TextStreamed)
    assert end.stop_reason == "aborted"
    assert [sentinel.kind for sentinel in bench.sentinels()] == ["doom_loop", "aborted"]


async def test_an_impatient_user_changes_nothing(bench: Bench) -> None:
    """Cancelled again and again while it closes, the turn still closes."""
    task = start(bench, script(ScriptedReply(text="Well, well", hang=1)))
    await seen(bench, TextStreamed)
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    (end,) = [frame for frame in bench.frames if isinstance(frame, TurnEnd)]
    await assert_cancelled(bench, end)


async def test_the_chat_goes_on_after_an_abort(bench: Bench) -> None:
    endless = Endless()
    task = start(bench, script(calling(("tick", {}))), endless)
    await endless.started.wait()
    await abort(bench, task)
    assert (await bench.run(script("Here."), "again")).stop_reason == "answered"
