"""What all turns share: a turn is opened, does its work, and is always closed with one reason."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from mulligan.core.context_budget import context_parts, squeeze
from mulligan.core.goals import asks_for_change
from mulligan.core.prompt_cache import cache_drop, cached_share
from mulligan.core.provenance import found_done, refused_edits, refused_words
from mulligan.core.step_budget import MAX_CONTINUES, continues_in_a_row
from mulligan.core.turn_work import turn_work
from mulligan.loop.plan import End, TurnPlan
from mulligan.loop.record import TurnRecord
from mulligan.loop.wrap_up import wrap_up
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.messages import MessageRepository
from mulligan.runtime.uninterrupted import uninterrupted
from mulligan.types.errors import ModelError, StoreError
from mulligan.types.frames import ContextUsed, MessageComplete, MessageStarted, SentinelRaised, TurnEnd, TurnStart
from mulligan.types.messages import Message, Part, Status, Text, TurnMeta, UserMeta
from mulligan.types.model_io import ContextParts, ModelRequest, Usage, WireMessage
from mulligan.types.sentinels import Aborted, ModelFailed, OnlyAnnounced, Sentinel
from mulligan.types.turns import STOPS, StopReason, TurnWork

HEARTBEAT_SECONDS = 30.0
"""Seconds between heartbeats, so that a model that reads a prompt for minutes isn't considered dead."""

Work = Callable[["OpenTurn"], Awaitable[End]]
"""What a kind of turn does between its start and its end."""


async def run_in_turn(
    plan: TurnPlan, prompt: str, work: Work, *, store: MessageRepository, emit: Emit, log: Log, continues: bool
) -> TurnEnd:
    """Answer one message. However it ends, its row is finished, the reason recorded and `turn_end` published.

    Cancellation means that the user aborted: the turn is closed as `aborted`, then the cancellation propagates.
    """
    turn, cancelled = await uninterrupted(_open(plan, prompt, continues=continues, store=store, emit=emit, log=log))
    if cancelled:
        await turn.abort()
        raise asyncio.CancelledError
    return await turn.run(work)


async def _open(
    plan: TurnPlan, prompt: str, *, continues: bool, store: MessageRepository, emit: Emit, log: Log
) -> "OpenTurn":
    sent = plan.instructions.sent if plan.instructions else ()
    meta = TurnMeta(agent=plan.agent, model=plan.model.name, instructions=sent)
    attached = tuple(each.about for each in plan.attached)
    given = [Text(text=each.text, attached=each.about.name) for each in plan.attached if each.text]
    user = UserMeta(continues=continues, attached=attached)
    message = await store.open_turn(plan.chat_id, prompt, user, meta, given)
    emit(
        TurnStart(
            chat_id=plan.chat_id,
            message_id=message.id,
            agent=plan.agent,
            model=plan.model.name,
            seq=message.seq,
            prompt=prompt,
            continues=continues,
            attached=attached,
        )
    )
    history = await store.recent(plan.chat_id)
    record = TurnRecord(message_id=message.id, store=store, emit=emit)
    return OpenTurn(plan, prompt, history, record, store=store, emit=emit, log=log)


class OpenTurn:
    """A turn whose message exists. Runs once."""

    def __init__(
        self,
        plan: TurnPlan,
        prompt: str,
        history: list[Message],
        record: TurnRecord,
        *,
        store: MessageRepository,
        emit: Emit,
        log: Log,
    ) -> None:
        self.plan = plan
        self.prompt = prompt
        self.history = history
        """The chat's messages when the turn opened, as far as the turn needs them. The last two are the turn's own.
        Compactions are added."""
        self.record = record
        self.log = log
        self.messages: list[WireMessage] = []
        """The start of the next request. After the first request, only compaction changes more than the end."""
        self.steps = 0
        self.instructions = plan.instructions.sent if plan.instructions else ()
        """Instruction files that the model always gets."""
        self.usage = Usage()
        self.repairs: Counter[str] = Counter()
        self.may_have_changed = False
        """A command ran that may have done what was asked, even if no file shows it."""
        self.reminded = False
        """The model was told once that nothing has changed, although a change was asked for."""
        self.end_hooks_ran = False
        """The user's hooks were told that the turn is ending."""
        self._context: tuple[int, int | None] = (0, None)
        """Tokens of the last request in the model's context, and the context's size."""
        self._context_parts: ContextParts | None = None
        self._cached: tuple[ModelRequest, Usage] | None = None
        """The last request, and how much of it was in the server's cache."""
        self._store = store
        self._emit = emit
        self._continues = continues_in_a_row(history)
        self._started = time.monotonic()
        self._ended: TurnEnd | None = None
        self._preparing: asyncio.Task[None] | None = None

    async def run(self, work: Work) -> TurnEnd:
        life = asyncio.create_task(self._send_heartbeats())
        try:
            return await self._run_to_end(work)
        except asyncio.CancelledError:
            await self.abort()
            raise
        except Exception:  # whatever it is, finish the row first, then let it propagate
            await self._abandon()
            raise
        finally:
            life.cancel()

    async def prepared(self) -> None:
        """Wait for the preparation that must come before any change. If it failed, raises its error: change nothing."""
        if self._preparing:
            await asyncio.shield(self._preparing)

    async def abort(self) -> None:
        await uninterrupted(self._abort())

    async def _abort(self) -> None:
        await self._stop_preparing()
        await self._finish(End("aborted", Aborted()))

    def answered(self, usage: Usage, request: ModelRequest) -> None:
        """A request of the conversation was answered: count it, and report how full the model's context is."""
        self.usage += usage
        self._watch_cache(request, usage)
        budget = self.plan.budget()
        tokens = usage.prompt_tokens + usage.completion_tokens
        if tokens:
            self._context = (tokens, budget.context_length if budget else None)
            self._context_parts = context_parts(request, usage)
            self._emit(
                ContextUsed(
                    message_id=self.record.message_id,
                    tokens=tokens,
                    length=self._context[1],
                    parts=self._context_parts,
                )
            )

    def owes_change(self) -> bool:
        """A change was asked for, and there is none."""
        if self.plan.changed is None or self._continues or self.may_have_changed or not asks_for_change(self.prompt):
            return False
        return not self.plan.changed() and not found_done(self.record.parts)

    def _watch_cache(self, request: ModelRequest, usage: Usage) -> None:
        """If the server has to read the prompt again, which makes a step slow, log why."""
        before, self._cached = self._cached, (request, usage)
        why = cache_drop(before, self._cached) if before else None
        if before and why:
            self.log(
                "prompt_cache_drop",
                chat=self.plan.chat_id,
                message=self.record.message_id,
                step=self.steps,
                before=round(cached_share(before[1]), 2),
                now=round(cached_share(usage), 2),
                changed=why,
            )

    def begin_step(self) -> None:
        self.steps += 1
        self.record.begin_step(self.steps)

    async def open_side_message(self) -> TurnRecord:
        """Another message of this turn. The caller has to close it."""
        message = await self._store.open_reply(self.plan.chat_id, self._side_metadata())
        self._emit(MessageStarted(message_id=message.id, parent_message_id=self.record.message_id, seq=message.seq))
        return TurnRecord(message_id=message.id, store=self._store, emit=self._emit)

    async def close_side_message(self, record: TurnRecord, status: Status, reason: StopReason | None, why: str) -> None:
        try:
            await record.save()
            await self._store.close_reply(record.message_id, status, self._side_metadata(reason, why))
        finally:
            self._emit(MessageComplete(message_id=record.message_id, status=status))

    async def raise_sentinel(self, sentinel: Sentinel, parts: Sequence[Part] = ()) -> Message:
        if self._continues >= MAX_CONTINUES and getattr(sentinel, "can_continue", None):
            sentinel = sentinel.model_copy(update={"can_continue": False})
        message = await self._store.add(
            self.plan.chat_id, role="system", metadata=sentinel, parts=parts, step=self.steps
        )
        self._emit(SentinelRaised(message=message, text=sentinel.text))
        return message

    async def _run_to_end(self, work: Work) -> TurnEnd:
        self._preparing = asyncio.create_task(self._prepare())
        try:
            end = await work(self)
        except ModelError as error:
            end = End("model_error", ModelFailed(error=str(error)))
        await self.prepared()
        return await self._finish(end)

    async def _prepare(self) -> None:
        await self.plan.prepare(self.record.message_id)

    async def _stop_preparing(self) -> None:
        """Cancel the preparation of a turn that was aborted or failed."""
        if self._preparing:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)

    async def _finish(self, end: End) -> TurnEnd:
        """Record why the turn ended, let the model summarize if a guard stopped it, and close the message."""
        if self._ended:
            return self._ended
        if self.plan.at_end and not self.end_hooks_ran and end.reason != "aborted":
            self.end_hooks_ran = True
            await self.plan.at_end(end.reason, "")
        if end.sentinel:
            await self.raise_sentinel(end.sentinel)
        if STOPS[end.reason].by_guard and end.is_summarized:
            self.usage += await wrap_up(
                self.plan.model,
                self._last_messages(),
                self.record,
                end.reason,
                step=self.steps + 1,
                max_tokens=self.plan.max_tokens,
                temperature=self.plan.temperature,
            )
        ended, cancelled = await uninterrupted(self._close(end))
        if cancelled:
            raise asyncio.CancelledError
        return ended

    def _last_messages(self) -> list[WireMessage]:
        """The messages for the summary, shortened if the newest results don't fit."""
        budget = self.plan.budget()
        return squeeze(self.messages, budget, self.plan.max_tokens) if budget else self.messages

    async def _close(self, end: End) -> TurnEnd:
        refused = refused_edits(self.record.parts)
        stop = STOPS[end.reason]
        explained = end.sentinel.text if end.sentinel else end.explanation
        work = self._work()
        explanation = explained or stop.sentence or f"{stop.label}."
        if end.reason in {"answered", "synthesized"}:
            explanation += refused_words(refused)
        if work and work.missing and not refused.unapplied and end.reason == "answered":
            explanation = f"{explanation} But nothing was changed, although you asked for a change."
        meta = self._meta(end.reason, explanation).model_copy(update={"work": work})
        self._ended = TurnEnd(
            chat_id=self.plan.chat_id,
            message_id=self.record.message_id,
            stop_reason=end.reason,
            explanation=explanation,
            steps=meta.steps,
            usage=meta.usage,
            repairs=meta.repairs,
            duration_ms=meta.duration_ms,
            can_continue=stop.can_continue and self._continues < MAX_CONTINUES,
            question=end.question.text if end.question else None,
            options=end.question.options if end.question else (),
            pending=await self.plan.pending(),
            unapplied=refused.unapplied,
            overwritten=refused.overwritten,
            only_announced=isinstance(end.sentinel, OnlyAnnounced),
            work=work,
        )
        await self.record.save()
        await self._store.close_reply(self.record.message_id, stop.status, meta)
        self._emit(MessageComplete(message_id=self.record.message_id, status=stop.status))
        self._emit(self._ended)
        self.log(
            "turn_end",
            chat=self.plan.chat_id,
            message=self.record.message_id,
            **meta.model_dump(mode="json", exclude={"kind"}),
        )
        return self._ended

    def _work(self) -> TurnWork | None:
        changed = self.plan.changed
        if changed is None:
            return None
        return turn_work(self.record.parts, changed(), missing=self.owes_change(), broken=self.plan.broken())

    async def _abandon(self) -> None:
        """After an error of our own, close the message as failed. The error itself propagates."""
        await self._stop_preparing()
        meta = self._meta(explanation="Mulligan itself failed; its log says how.")
        with suppress(StoreError):  # if the store failed, the sweeper finishes the row later
            await self._store.close_reply(self.record.message_id, "failed", meta)
        self._emit(MessageComplete(message_id=self.record.message_id, status="failed"))

    async def _send_heartbeats(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            with suppress(StoreError):  # a missed heartbeat must not end the turn; a broken store fails the next write
                await self._store.heartbeat(self.record.message_id)

    def _side_metadata(self, reason: StopReason | None = None, explanation: str = "") -> TurnMeta:
        """Metadata of a side message. Steps and usage are reported with the turn's own message."""
        plan, own = self.plan, self.record.message_id
        return TurnMeta(
            agent=plan.agent, model=plan.model.name, stop_reason=reason, explanation=explanation, parent_message_id=own
        )

    def _meta(self, reason: StopReason | None = None, explanation: str = "") -> TurnMeta:
        return TurnMeta(
            agent=self.plan.agent,
            model=self.plan.model.name,
            stop_reason=reason,
            explanation=explanation,
            steps=self.steps,
            usage=self.usage,
            repairs=dict(self.repairs),
            duration_ms=round((time.monotonic() - self._started) * 1000),
            context_tokens=self._context[0],
            context_length=self._context[1],
            context_parts=self._context_parts,
            instructions=self.instructions,
        )
