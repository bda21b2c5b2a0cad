"""The turn that an external agent drives: Mulligan writes down what it says and does, and how it ended."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from mulligan.core.context_budget import clip_result
from mulligan.loop.open_turn import OpenTurn, carry_out
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.record import SAVE_EVERY, TurnRecord
from mulligan.ports.messages import MessageRepository
from mulligan.ports.outlets import Emit, Log
from mulligan.runtime.uninterrupted import uninterrupted
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
)
from mulligan.types.errors import BackendError, ModelRejected
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import ToolCallPart, ToolResultPart
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.sentinels import Aborted, AgentFailed, EmptyReply, OutsideWrites
from mulligan.types.tool_calls import JsonObject

Events = Callable[[], AsyncGenerator[AgentEvent, None]]
"""Begins the agent's turn. It raises `BackendError`; to close it is to abort the turn."""

MOST_SAID = 1_000_000
"""Characters of text that are kept of a turn, and as many of reasoning. An agent may write for ever."""
RESULT_CHARS = 50_000
ARGUMENT_CHARS = 5_000
"""Of each value. Edits are in there whole, and the diff shows them better."""
TITLE_CHARS = 200
MOST_CALLS = 2_000
MOST_PATHS = 200
"""Of those written outside of the work tree, that are kept by name."""

CUT = "\n\n[… what the agent wrote from here on is left out: it is too long …]"
NAMELESS = "tool"
NO_WORD = "The agent did not say what came of it."
STOPPED = "It was under way when the turn ended."


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What is seen once the agent has stopped, whatever it said of itself."""

    changed: bool = False
    """It left work behind."""
    notes: tuple[str, ...] = ()
    """What the person has to know of it."""
    checkout: str = ""
    """The person's own, where the agent has no business."""
    outside: tuple[str, ...] = ()
    """What changed there meanwhile."""


async def nothing_afterwards() -> Aftermath:
    """Nobody looks at what the agent did."""
    return Aftermath()


class ExternalAgentModel:
    """Stands for the model behind an external agent in the turn's plan: it has a name, and can't be asked by us."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        del request
        raise ModelRejected(f"{self.name} belongs to an external agent")
        yield  # makes it a generator


async def run_delegated_turn(
    plan: TurnPlan,
    prompt: str,
    events: Events,
    *,
    store: MessageRepository,
    emit: Emit,
    log: Log,
    afterwards: Callable[[], Coroutine[Any, Any, Aftermath]] = nothing_afterwards,
) -> TurnEnd:
    """Have an external agent answer one message. It ends and is recorded as every turn is.

    `afterwards` is done once the agent has stopped, after an abort too, and before the turn is closed.
    """

    async def follow(turn: OpenTurn) -> End:
        await turn.prepared()  # an agent may change something at once
        return await _follow(turn, events, afterwards)

    return await carry_out(plan, prompt, follow, store=store, emit=emit, log=log, continues=False)


async def _follow(turn: OpenTurn, events: Events, afterwards: Callable[[], Coroutine[Any, Any, Aftermath]]) -> End:
    turn.begin_step()
    notes = _Notes(turn)
    try:
        done = await _write_down(events, notes, turn.record)
    except BaseException:
        notes.close_open_calls(STOPPED, failed=True)
        await uninterrupted(_settle(turn, afterwards))
        raise
    notes.close_open_calls(NO_WORD)
    aftermath, cancelled = await uninterrupted(_settle(turn, afterwards))
    if cancelled:
        raise asyncio.CancelledError
    return _end(turn.plan.agent, done, did_something=notes.did_something or aftermath.changed)


async def _settle(turn: OpenTurn, afterwards: Callable[[], Coroutine[Any, Any, Aftermath]]) -> Aftermath:
    """Look at what the agent left, and tell."""
    aftermath = await afterwards()
    for note in aftermath.notes:
        turn.record.say(f"\n\n{note}\n", by_mulligan=True)
    if paths := aftermath.outside:
        named, more = tuple(map(_as_text, paths[:MOST_PATHS])), len(paths[MOST_PATHS:])
        agent, checkout = turn.plan.agent, _as_text(aftermath.checkout)
        await turn.raise_sentinel(OutsideWrites(agent=agent, checkout=checkout, paths=named, more=more))
    return aftermath


def _as_text(path: str) -> str:
    """A file's name may be any bytes, and half a surrogate pair is no text that can be stored or sent."""
    return path.encode("utf-8", "backslashreplace").decode()


async def _write_down(events: Events, notes: "_Notes", record: TurnRecord) -> AgentDone:
    """Follow the agent to its end. Whatever happens to it is an end too."""
    try:
        async with _saving(record), aclosing(events()) as stream:
            async for event in stream:
                if isinstance(event, AgentDone):
                    return event
                notes.take(event)
    except BackendError as error:
        return AgentDone("failed", str(error))
    return AgentDone("failed", "it stopped without a word on how it ended")


@asynccontextmanager
async def _saving(record: TurnRecord) -> AsyncGenerator[None]:
    """Save now and then, also while the agent is silent: its commands take minutes, and we may be killed meanwhile."""

    async def save() -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY)
            await record.save()

    saving = asyncio.create_task(save())
    try:
        yield
    finally:
        saving.cancel()
        await asyncio.wait([saving])
        if not saving.cancelled():
            saving.result()


def _end(agent: str, done: AgentDone, *, did_something: bool) -> End:
    match done.how:
        case "cancelled":
            return End("aborted", Aborted())
        case "failed":
            return End("model_error", AgentFailed(agent=agent, error=done.detail or "it did not say why"))
        case "finished" if did_something:
            return End("answered", explanation=f"{agent} answered.")
        case "finished":
            return End("empty_reply", EmptyReply(count=1, agent=agent), last_words=False)


@dataclass(slots=True)
class _OpenCall:
    call_id: str
    """Ours: agents use an id twice."""
    name: str
    started: float
    content: str = ""
    """The last that was heard of it."""


class _Notes:
    """What an agent says and does, as parts of the turn's message.

    A step ends when all its calls are back and the agent goes on: so it looks as it does with agents of our own.
    """

    def __init__(self, turn: OpenTurn, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.did_something = False
        """Said or called anything; to think is not enough."""
        self._turn = turn
        self._record = turn.record
        self._monotonic = monotonic
        self._open: dict[str, _OpenCall] = {}
        """By the agent's own ids."""
        self._seen: set[str] = set()
        self._returned = False
        """A call of this step is back."""
        self._said = {"text": 0, "reasoning": 0}
        self._plan: tuple[str, ...] = ()

    def take(self, event: AgentEvent) -> None:
        match event:
            case AgentText(text):
                self._say("text", text)
            case AgentReasoning(text):
                self._say("reasoning", text)
            case AgentToolCall(call_id, title, arguments):
                self._call(call_id, title, arguments)
            case AgentToolUpdate():
                self._update(event)
            case AgentPlan(entries):
                self._note_plan(entries)
            case AgentDone():
                pass

    def close_open_calls(self, words: str, *, failed: bool = False) -> None:
        """Agents leave calls without an end."""
        for call_id, call in list(self._open.items()):
            self._close(call_id, call.content or words, failed=failed)

    def _say(self, kind: str, text: str) -> None:
        left = MOST_SAID - self._said[kind]
        if not text or left < 0:
            return
        self._said[kind] += len(text)
        self._go_on()
        put = self._record.say if kind == "text" else self._record.think
        put(text if len(text) <= left else text[:left] + CUT)
        if kind == "text" and text.strip():
            self.did_something = True

    def _note_plan(self, entries: tuple[str, ...]) -> None:
        """Agents send the whole plan again with each entry that is done."""
        if entries and entries != self._plan:
            self._plan = entries
            self._say("reasoning", "\n\nPlan:\n" + "".join(f"- {entry}\n" for entry in entries))

    def _call(self, call_id: str, title: str, arguments: JsonObject) -> None:
        if call_id in self._open or len(self._seen) >= MOST_CALLS:
            return
        self._go_on()
        self.did_something = True
        own = call_id if call_id not in self._seen else f"{call_id}#{len(self._seen)}"
        name = " ".join(title.split())[:TITLE_CHARS] or NAMELESS
        self._seen |= {call_id, own}
        self._open[call_id] = _OpenCall(own, name, self._monotonic())
        bounded = cast("JsonObject", _bounded(arguments))
        self._record.call(ToolCallPart(call_id=own, name=name, arguments=bounded))

    def _update(self, update: AgentToolUpdate) -> None:
        if update.call_id not in self._open:
            if update.call_id in self._seen:
                return  # a late word on a call that is over
            self._call(update.call_id, NAMELESS, {})
        call = self._open.get(update.call_id)
        if call is None:
            return  # one of too many
        call.content = update.content or call.content
        if update.status != "running":
            self._close(update.call_id, call.content, failed=update.status == "failed")

    def _close(self, call_id: str, content: str, *, failed: bool = False) -> None:
        call = self._open.pop(call_id)
        part = ToolResultPart(
            call_id=call.call_id,
            name=call.name,
            content=clip_result(content, RESULT_CHARS),
            failure="exec_error" if failed else None,
            duration_ms=round((self._monotonic() - call.started) * 1000),
        )
        self._record.returned(part)
        self._record.result(part)
        self._returned = True

    def _go_on(self) -> None:
        if self._returned and not self._open:
            self._turn.begin_step()
            self._returned = False


def _bounded(value: Any, depth: int = 0) -> Any:
    """Arguments with long values cut: an agent's edit may be a whole file."""
    match value:
        case str():
            return clip_result(value, ARGUMENT_CHARS)
        case dict() | list() if depth >= 10:
            return "…"
        case dict():
            pairs = list(cast("dict[str, Any]", value).items())[:100]
            return {key[:ARGUMENT_CHARS]: _bounded(each, depth + 1) for key, each in pairs}
        case list():
            return [_bounded(each, depth + 1) for each in cast("list[Any]", value)[:100]]
        case _:
            return value
