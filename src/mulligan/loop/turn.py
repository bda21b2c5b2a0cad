"""A turn: one message of a person, answered. Ask, decide, act, record, until there is a reason to stop."""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mulligan.core.guards import Guards
from mulligan.core.next_move import GoOn, Move, Nudge, Pause, Stop
from mulligan.core.payload import opening, step_messages
from mulligan.core.replies import ASK_AGAIN, WHY_AGAIN, Answer, Calls, NoUse, Reply, read_reply
from mulligan.core.sentinel_text import sentinel_text
from mulligan.core.step_budget import MAX_CONTINUES, continues_in_a_row
from mulligan.loop.record import TurnRecord
from mulligan.loop.stream import stream_reply
from mulligan.loop.tool_phase import run_tools
from mulligan.loop.wrap_up import wrap_up
from mulligan.ports import Emit, Log, Model, Store, Tool
from mulligan.types.errors import ModelError, ModelRejected, StoreError
from mulligan.types.frames import MessageComplete, SentinelRaised, TurnEnd, TurnStart
from mulligan.types.messages import Message, Status, TurnMeta, UserMeta
from mulligan.types.model_io import ModelRequest, Usage, UserText
from mulligan.types.sentinels import Aborted, DoomLoop, EmptyReply, ModelFailed, ReplyCut, Sentinel
from mulligan.types.tool_calls import Question, ToolCall
from mulligan.types.turns import CONTINUABLE, GUARD_STOPS, StopReason

BEAT_EVERY = 30.0
"""Seconds between signs of life, so that a model that reads a prompt for minutes isn't taken for dead."""


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """Who answers, where, with what, and how far it may go."""

    chat_id: str
    agent: str
    system: str
    model: Model
    tools: tuple[Tool, ...]
    """Sorted by name."""
    step_limit: int
    """0 means one reply without tools."""
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Why the steps ended."""

    reason: StopReason
    sentinel: Sentinel | None = None
    question: Question | None = None


@dataclass(slots=True)
class _State:
    """What is counted and remembered. It lives for one turn."""

    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    repairs: Counter[str] = field(default_factory=Counter[str])
    guards: Guards = field(default_factory=Guards)
    continues: int = 0
    """How often in a row this chat was continued."""


async def run_turn(
    plan: TurnPlan, prompt: str, *, store: Store, emit: Emit, log: Log, continues: bool = False
) -> TurnEnd:
    """Answer one message. However it ends, its row is finished, the reason recorded and `turn_end` published.

    Being cancelled is a person's abort: the turn is closed as `aborted`, then the cancel goes on up.
    """
    turn, cancelled = await _uninterrupted(_open(plan, prompt, continues=continues, store=store, emit=emit, log=log))
    if cancelled:
        await turn.abort()
        raise asyncio.CancelledError
    return await turn.run()


async def _open(plan: TurnPlan, prompt: str, *, continues: bool, store: Store, emit: Emit, log: Log) -> "_Turn":
    meta = TurnMeta(agent=plan.agent, model=plan.model.name)
    message = await store.open_turn(plan.chat_id, prompt, UserMeta(continues=continues), meta)
    emit(TurnStart(chat_id=plan.chat_id, message_id=message.id, agent=plan.agent, model=plan.model.name))
    history = await store.messages(plan.chat_id)
    record = TurnRecord(message_id=message.id, store=store, emit=emit)
    return _Turn(plan, history, record, store=store, emit=emit, log=log)


class _Turn:
    """A turn whose message exists. Runs once."""

    def __init__(
        self, plan: TurnPlan, history: list[Message], record: TurnRecord, *, store: Store, emit: Emit, log: Log
    ) -> None:
        self._plan = plan
        self._record = record
        self._store = store
        self._emit = emit
        self._log = log
        self._tools = {tool.spec.name: tool for tool in plan.tools if plan.step_limit}
        self._specs = tuple(tool.spec for tool in self._tools.values())
        self._messages = opening(plan.system, history)
        """What the next request begins with; only ever appended to."""
        self._state = _State(continues=continues_in_a_row(history))
        self._started = time.monotonic()
        self._ended: TurnEnd | None = None

    async def run(self) -> TurnEnd:
        life = asyncio.create_task(self._give_signs_of_life())
        try:
            return await self._run_to_an_end()
        except asyncio.CancelledError:
            await self.abort()
            raise
        except Exception:
            await self._abandon()
            raise
        finally:
            life.cancel()

    async def abort(self) -> None:
        await _uninterrupted(self._finish(End("aborted", Aborted())))

    async def _run_to_an_end(self) -> TurnEnd:
        try:
            end = await self._steps()
        except ModelError as error:
            end = End("model_error", ModelFailed(error=str(error)))
        return await self._finish(end)

    async def _steps(self) -> End:
        note: str | None = None
        while True:
            self._state.steps += 1
            self._record.begin_step(self._state.steps)
            match await self._reply(note):
                case Answer():
                    return End("answered")
                case End() as end:
                    return end
                case Calls() as calls:
                    move = await self._act(calls)
            match move:
                case GoOn():
                    note = None
                case Nudge(note, sentinel):
                    self._state.guards = self._state.guards.after_nudge()
                    await self._raise_sentinel(sentinel)
                case Pause(question):
                    return End("paused", question=question)
                case Stop(reason, sentinel):
                    return End(reason, sentinel)

    async def _reply(self, note: str | None) -> Answer | Calls | End:
        """What the model says next. A reply that is no use gets one second chance."""
        reply = await self._ask(note)
        read = read_reply(reply, tools_offered=bool(self._specs))
        if not isinstance(read, NoUse):
            return read
        if reply.repeated:
            await self._raise_sentinel(ReplyCut(repeated=reply.repeated.unit[:200], count=reply.repeated.count))
        self._record.retry(attempt=1, attempts=2, delay=0.0, reason=WHY_AGAIN[read.trouble])
        reply = await self._ask(ASK_AGAIN[read.trouble])
        read = read_reply(reply, tools_offered=bool(self._specs))
        return self._give_up(read, reply) if isinstance(read, NoUse) else read

    async def _ask(self, note: str | None) -> Reply:
        trailing = (UserText(note),) if note else ()
        request = ModelRequest(
            messages=(*self._messages, *trailing),
            tools=self._specs,
            max_tokens=self._plan.max_tokens,
            temperature=self._plan.temperature,
        )
        reply = await stream_reply(self._plan.model, request, self._record)
        self._state.usage += reply.usage
        return reply

    def _give_up(self, read: NoUse, reply: Reply) -> End:
        match read.trouble:
            case "empty":
                return End("empty_reply", EmptyReply(count=2))
            case "repeated":
                self._record.trim(reply.worth_keeping())
                return End("doom_loop", DoomLoop(tools=(), cycle=0, count=2))
            case "too_long":
                raise ModelRejected(
                    "the reply was cut off at the token limit twice; "
                    "give the server a larger context or reply limit, or ask for less"
                )

    async def _act(self, wanted: Calls) -> Move:
        """Run what the model asked for and let the guards decide what comes next."""
        state = self._state
        ran = await run_tools(wanted, self._tools, self._record, state.guards, step=state.steps, log=self._log)
        self._messages.extend(step_messages(self._record.step))
        for each in ran:
            state.repairs.update(each.call.repairs if isinstance(each.call, ToolCall) else ())
        done = [each.done for each in ran]
        state.guards = state.guards.after_step(done)
        return state.guards.judge(done, steps=state.steps, limit=self._plan.step_limit)

    async def _finish(self, end: End) -> TurnEnd:
        """Say why it ended, let the model say where things stand if a guard stopped it, and close the message."""
        if self._ended:
            return self._ended
        if end.sentinel:
            await self._raise_sentinel(end.sentinel)
        if end.reason in GUARD_STOPS:
            self._state.usage += await wrap_up(
                self._plan.model,
                self._messages,
                self._record,
                end.reason,
                step=self._state.steps + 1,
                max_tokens=self._plan.max_tokens,
                temperature=self._plan.temperature,
            )
        ended, cancelled = await _uninterrupted(self._close(end))
        if cancelled:
            raise asyncio.CancelledError
        return ended

    async def _close(self, end: End) -> TurnEnd:
        explanation = sentinel_text(end.sentinel) if end.sentinel else _EXPLAINED[end.reason]
        meta = self._meta(end.reason, explanation)
        status = _STATUS.get(end.reason, "complete")
        self._ended = TurnEnd(
            chat_id=self._plan.chat_id,
            message_id=self._record.message_id,
            stop_reason=end.reason,
            explanation=explanation,
            steps=meta.steps,
            usage=meta.usage,
            repairs=meta.repairs,
            duration_ms=meta.duration_ms,
            can_continue=end.reason in CONTINUABLE and self._state.continues < MAX_CONTINUES,
            question=end.question.text if end.question else None,
            options=end.question.options if end.question else (),
        )
        await self._record.save()
        await self._store.close_reply(self._record.message_id, status, meta)
        self._emit(MessageComplete(message_id=self._record.message_id, status=status))
        self._emit(self._ended)
        self._log(
            "turn_end",
            chat=self._plan.chat_id,
            message=self._record.message_id,
            **meta.model_dump(mode="json", exclude={"kind"}),
        )
        return self._ended

    async def _abandon(self) -> None:
        """Our own fault: the message must not be left streaming. The error itself goes on up."""
        meta = self._meta(explanation="Mulligan itself failed; its log says how.")
        with suppress(StoreError):  # where the store is what failed, the sweeper finishes the row later
            await self._store.close_reply(self._record.message_id, "failed", meta)
        self._emit(MessageComplete(message_id=self._record.message_id, status="failed"))

    async def _raise_sentinel(self, sentinel: Sentinel) -> None:
        if self._state.continues >= MAX_CONTINUES and getattr(sentinel, "can_continue", None):
            sentinel = sentinel.model_copy(update={"can_continue": False})
        message = await self._store.add_message(
            self._plan.chat_id, role="system", metadata=sentinel, step=self._state.steps
        )
        self._emit(SentinelRaised(message=message, text=sentinel_text(sentinel)))

    async def _give_signs_of_life(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            with suppress(StoreError):  # a missed beat is no reason to end; the next write will tell
                await self._store.beat(self._record.message_id)

    def _meta(self, reason: StopReason | None = None, explanation: str = "") -> TurnMeta:
        return TurnMeta(
            agent=self._plan.agent,
            model=self._plan.model.name,
            stop_reason=reason,
            explanation=explanation,
            steps=self._state.steps,
            usage=self._state.usage,
            repairs=dict(self._state.repairs),
            duration_ms=round((time.monotonic() - self._started) * 1000),
        )


_STATUS: dict[StopReason, Status] = {"model_error": "failed", "aborted": "cancelled"}

_EXPLAINED: dict[StopReason, str] = {
    "answered": "The model answered.",
    "paused": "The model asked a question and waits for the answer.",
}

T = TypeVar("T")


async def _uninterrupted(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """Do the work to its end, however often this task is cancelled meanwhile; also tell whether it was."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    return task.result(), cancelled
