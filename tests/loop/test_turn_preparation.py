"""What is done before anything is changed goes on beside the first request, and nothing is changed until it is done."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mulligan.loop.delegated import ExternalAgentModel, run_delegated_turn
from mulligan.loop.plan import TurnPlan
from mulligan.models.scripted.model import ScriptedModel
from mulligan.types.agents import AgentDone, AgentEvent
from mulligan.types.frames import StepStarted, ToolReturned, TurnEnd
from mulligan.types.tool_calls import Outcome
from tests.loop.turn_bench import Bench, Counter, calling, script


class Preparation:
    """Goes on until it is let go."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self._trouble = trouble
        self.may_end = asyncio.Event()
        self.state = "not begun"

    async def __call__(self, _message_id: str) -> None:
        self.state = "under way"
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.state = "cancelled"
            raise
        if self._trouble:
            raise self._trouble
        self.state = "done"


class Changing(Counter):
    """Remembers how far the preparation was whenever it ran."""

    def __init__(self, preparation: Preparation) -> None:
        super().__init__()
        self._preparation = preparation
        self.seen: list[str] = []

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        self.seen.append(self._preparation.state)
        return await super().run(arguments)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for tells nobody
        await asyncio.sleep(0)


def started(bench: Bench, model: ScriptedModel, preparation: Preparation, *tools: Counter) -> asyncio.Task[TurnEnd]:
    plan = replace(bench.plan(model, tools=tools), prepare=preparation)
    return asyncio.create_task(bench.start(plan))


async def test_the_first_request_leaves_while_it_goes_on(bench: Bench) -> None:
    model, preparation = script("Here."), Preparation()
    turn = started(bench, model, preparation)
    await until(lambda: bool(model.requests))
    assert preparation.state != "done"
    preparation.may_end.set()
    assert (await turn).stop_reason == "answered"
    assert preparation.state == "done"


async def test_a_tool_that_may_change_something_waits_for_it(bench: Bench) -> None:
    preparation = Preparation()
    changing, model = Changing(preparation), script(calling(("tick", {})), "Done.")
    turn = started(bench, model, preparation, changing)
    await until(lambda: any(isinstance(frame, StepStarted) for frame in bench.frames))
    for _ in range(20):  # what the turn had to write is written before it: by now the tool could have run
        await bench.messages()
    preparation.may_end.set()
    await turn
    assert changing.seen == ["done"]


async def test_a_tool_that_only_reads_does_not(bench: Bench) -> None:
    preparation = Preparation()
    turn = started(bench, script(calling(("view_file", {"path": "a.py"})), "Done."), preparation)
    await until(lambda: any(isinstance(frame, ToolReturned) for frame in bench.frames))
    assert preparation.state == "under way"
    preparation.may_end.set()
    await turn


async def test_a_turn_does_not_end_before_it(bench: Bench) -> None:
    model, preparation = script("Here."), Preparation()
    turn = started(bench, model, preparation)
    preparation.may_end.set()
    await turn
    assert preparation.state == "done"


async def test_nothing_is_changed_where_it_fails(bench: Bench) -> None:
    preparation, changing = Preparation(OSError("no space left")), Counter()
    model = script(calling(("tick", {})), "Done.")
    turn = started(bench, model, preparation, changing)
    await until(lambda: bool(model.requests))
    preparation.may_end.set()
    with pytest.raises(OSError, match="no space left"):
        await turn
    assert changing.calls == 0
    assert (await bench.answer()).status == "failed"


async def test_an_abort_ends_it_before_the_turn_is_closed(bench: Bench) -> None:
    model, preparation = script(calling(("tick", {})), "Done."), Preparation()
    turn = started(bench, model, preparation, Counter())
    await until(lambda: bool(model.requests))
    await until(lambda: preparation.state == "under way")
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert preparation.state == "cancelled"
    assert (await bench.answer()).status == "cancelled"


async def test_an_external_agent_is_not_asked_before_it(bench: Bench) -> None:
    preparation, seen = Preparation(), list[str]()

    async def events() -> AsyncGenerator[AgentEvent, None]:
        seen.append(preparation.state)
        yield AgentDone("finished")

    model = ExternalAgentModel("goose")
    plan = TurnPlan(bench.chat_id, "goose", "", model, tools=(), step_limit=0, prepare=preparation)
    store, emit, log = bench.store.messages, bench.frames.append, bench.remember
    turn = asyncio.create_task(run_delegated_turn(plan, "do it", events, store=store, emit=emit, log=log))
    await until(lambda: preparation.state == "under way")
    preparation.may_end.set()
    await turn
    assert seen == ["done"]
