"""The turn of an external agent: Mulligan records what it says and does, and how it ended."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from mulligan.core.context_budget import clip_result
from mulligan.loop.open_turn import OpenTurn, run_in_turn
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.record import SAVE_EVERY, TurnRecord
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.messages import MessageRepository
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
"""Start the agent's turn. Raises `BackendError`; closing the generator aborts the turn."""

MAX_TEXT_CHARS = 1_000_000
"""Most characters of text to keep per turn, and as many of reasoning. An agent may write forever."""
RESULT_CHARS = 50_000
ARGUMENT_CHARS = 5_000
"""Per value. Edits contain whole files, and the diff shows them better."""
TITLE_CHARS = 200
MAX_CALLS = 2_000
MAX_PATHS = 200
"""Most paths outside the work tree to keep by name."""

CUT = "\n\n[… the rest of the agent's text is left out: it is too long …]"
NAMELESS = "tool"
NO_WORD = "The agent did not report a result."
STOPPED = "It was running when the turn ended."


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What Mulligan finds after the agent has stopped, independent of what the agent reports."""

    changed: bool = False
    """The agent left changes behind."""
    notes: tuple[str, ...] = ()
    """Messages for the user about these changes."""
    checkout: str = ""
    """The user's checkout, which the agent must not touch."""
    outside: tuple[str, ...] = ()
    """Paths that changed there during the turn."""


async def nothing_afterwards() -> Aftermath:
    """Don't check what the agent did."""
    return Aftermath()


class ExternalAgentModel:
    """Stands for an external agent's model in the turn's plan: it has a name, but can't be asked."""

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
    """Let an external agent answer one message. The turn ends and is recorded like any other.

    `afterwards` runs once the agent has stopped, also after an abort, and before the turn is closed.
    """

    async def follow(turn: OpenTurn) -> End:
        await turn.prepared()  # an agent may change something right away
        return await _follow(turn, events, afterwards)

    return await run_in_turn(plan, prompt, follow, store=store, emit=emit, log=log, continues=False)


async def _follow(turn: OpenTurn, events: Events, afterwards: Callable[[], Coroutine[Any, Any, Aftermath]]) -> End:
    turn.begin_step()
    notes = _EventRecorder(turn)
    try:
        done = await _record_events(events, notes, turn.record)
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
    """Check what the agent left behind, and report it."""
    aftermath = await afterwards()
    for note in aftermath.notes:
        turn.record.say(f"\n\n{note}\n", by_mulligan=True)
    if paths := aftermath.outside:
        named, more = tuple(map(_as_text, paths[:MAX_PATHS])), len(paths[MAX_PATHS:])
        agent, checkout = turn.plan.agent, _as_text(aftermath.checkout)
        await turn.raise_sentinel(OutsideWrites(agent=agent, checkout=checkout, paths=named, more=more))
    return aftermath


def _as_text(path: str) -> str:
    """Escape lone surrogates: a file name may be any bytes, and they can't be stored or sent."""
    return path.encode("utf-8", "backslashreplace").decode()


async def _record_events(events: Events, notes: "_EventRecorder", record: TurnRecord) -> AgentDone:
    """Record the agent's events until it ends. An error, or an end without a reason, counts as a failed end."""
    try:
        async with _saving(record), aclosing(events()) as stream:
            async for event in stream:
                if isinstance(event, AgentDone):
                    return event
                notes.take(event)
    except BackendError as error:
        return AgentDone("failed", str(error))
    return AgentDone("failed", "it stopped without saying how it ended")


@asynccontextmanager
async def _saving(record: TurnRecord) -> AsyncGenerator[None]:
    """Save periodically, even while the agent is silent: its commands take minutes, and we may be killed meanwhile."""

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
            return End("empty_reply", EmptyReply(count=1, agent=agent), is_summarized=False)


@dataclass(slots=True)
class _OpenCall:
    call_id: str
    """Unique. Agents reuse their own ids."""
    name: str
    started: float
    content: str = ""
    """The latest output that the agent reported."""


class _EventRecorder:
    """Turns what an agent says and does into parts of the turn's message.

    A step ends when all its calls are done and the agent continues, so that it looks like a step of our own agents.
    """

    def __init__(self, turn: OpenTurn, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.did_something = False
        """Whether the agent wrote text or called a tool; thinking is not enough."""
        self._turn = turn
        self._record = turn.record
        self._monotonic = monotonic
        self._open: dict[str, _OpenCall] = {}
        """By the agent's own ids."""
        self._seen: set[str] = set()
        self._returned = False
        """A call of this step has finished."""
        self._chars_kept = {"text": 0, "reasoning": 0}
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
        """Give a result to calls that the agent left unfinished."""
        for call_id, call in list(self._open.items()):
            self._close(call_id, call.content or words, failed=failed)

    def _say(self, kind: str, text: str) -> None:
        left = MAX_TEXT_CHARS - self._chars_kept[kind]
        if not text or left < 0:
            return
        self._chars_kept[kind] += len(text)
        self._go_on()
        put = self._record.say if kind == "text" else self._record.think
        put(text if len(text) <= left else text[:left] + CUT)
        if kind == "text" and text.strip():
            self.did_something = True

    def _note_plan(self, entries: tuple[str, ...]) -> None:
        """Record a changed plan. Agents send the whole plan again for each finished entry."""
        if entries and entries != self._plan:
            self._plan = entries
            self._say("reasoning", "\n\nPlan:\n" + "".join(f"- {entry}\n" for entry in entries))

    def _call(self, call_id: str, title: str, arguments: JsonObject) -> None:
        if call_id in self._open or len(self._seen) >= MAX_CALLS:
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
                return  # a late update of a finished call
            self._call(update.call_id, NAMELESS, {})
        call = self._open.get(update.call_id)
        if call is None:
            return  # it is over the limit of calls
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
