"""Compaction of a full context: hide old results, or replace earlier messages with a summary.

It never fails a turn: if the model writes no usable summary, Mulligan writes one from the recorded calls.
"""

import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from mulligan.core.compaction.asking import SYSTEM, request_text, session_char_limit, session_text
from mulligan.core.compaction.choosing import Hide, Summarise, choose
from mulligan.core.compaction.limits import RequestFrame, known_ledger
from mulligan.core.compaction.summary import RejectedSummary, digest, judge_summary, summary_before, write_summary
from mulligan.core.context_budget import ASSUMED_CONTEXT, ContextBudget
from mulligan.core.images import image_tokens
from mulligan.core.payload import LAST_STEP, compacted, compacted_view, covered_images, render, units_of
from mulligan.core.repetition import find_repeated_text
from mulligan.loop.open_turn import OpenTurn
from mulligan.loop.plan import TurnPlan
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.messages import MessageRepository
from mulligan.types.errors import ChatBusy, ModelError
from mulligan.types.frames import SentinelRaised
from mulligan.types.messages import Message, Text
from mulligan.types.model_io import (
    ModelRequest,
    ReasoningDelta,
    Retrying,
    SystemText,
    TextDelta,
    TextWasReasoning,
    Usage,
    UsageReport,
    UserText,
    WireMessage,
)
from mulligan.types.sentinels import Compacted
from mulligan.types.tool_calls import ToolSpec

TRIES = 2
"""How often to ask the model for one summary."""

IMAGES_SHARE = 5
"""The part of the context that images from summarized messages may take: a fifth."""


async def compact_turn(turn: OpenTurn, tools: Sequence[ToolSpec], budget: ContextBudget, note: str) -> bool:
    """Make the turn's next request fit, including `note`, which only that request carries. Compacts at most once.

    False if there is nothing to gain.
    """
    frame = RequestFrame(turn.plan.system, tuple(tools), budget, turn.plan.max_tokens, note)
    work = _Compaction(turn.plan, _with_own_parts(turn), frame)
    made = await work.run()
    turn.usage += work.usage
    if made is None:
        return False
    message = await turn.raise_sentinel(made.sentinel, made.parts)
    turn.history.append(message)
    turn.messages = made.messages
    _log(turn.log, turn.plan, made)
    return True


async def compact_chat(plan: TurnPlan, *, store: MessageRepository, emit: Emit, log: Log) -> Message | None:
    """Compact a chat now, outside a turn, however full it is. None if there is nothing to gain.

    Raises `ChatBusy` during a turn. Cancelling it leaves the chat unchanged.
    """
    history = await store.recent(plan.chat_id)
    if any(message.status == "streaming" for message in history):
        raise ChatBusy("the chat is being answered; compact it when the turn has ended")
    budget = plan.budget() or ContextBudget(ASSUMED_CONTEXT)
    tools = tuple(tool.spec for tool in plan.tools if plan.step_limit)
    frame = RequestFrame(plan.system, tools, budget, plan.max_tokens)
    made = await _Compaction(plan, history, frame, forced=True).run()
    if made is None:
        return None
    message = await store.add(plan.chat_id, role="system", metadata=made.sentinel, parts=made.parts)
    emit(SentinelRaised(message=message, text=made.sentinel.text))
    _log(log, plan, made)
    return message


def _with_own_parts(turn: OpenTurn) -> list[Message]:
    """The history, including what this turn has written so far."""
    own = {"parts": tuple(turn.record.parts)}
    return [
        message.model_copy(update=own) if message.id == turn.record.message_id else message for message in turn.history
    ]


def _log(log: Log, plan: TurnPlan, made: "_Made") -> None:
    done = made.sentinel
    log(
        "compacted",
        chat=plan.chat_id,
        how=done.how,
        tokens_before=done.tokens_before,
        tokens_after=done.tokens_after,
        seconds=round(made.seconds, 3),
        problems=made.problems,
    )


@dataclass(frozen=True, slots=True)
class _Made:
    sentinel: Compacted
    parts: tuple[Text, ...]
    messages: list[WireMessage]
    """The start of the next request."""
    seconds: float
    problems: tuple[str, ...]
    """Why the model's summaries were rejected."""


class _Compaction:
    """One compaction of one history."""

    def __init__(
        self, plan: TurnPlan, history: Sequence[Message], frame: RequestFrame, *, forced: bool = False
    ) -> None:
        self.usage = Usage()
        self._plan = plan
        self._units = units_of(history)
        self._view = compacted_view(history, plan.replay)
        self._frame = frame
        self._forced = forced
        self._problems: list[str] = []

    async def run(self) -> _Made | None:
        """What was done; None if there is nothing to gain."""
        started = time.monotonic()
        before = self._frame.tokens(render(self._plan.system, self._units, self._view))
        match choose(self._units, self._view, self._frame, forced=self._forced):
            case None:
                return None
            case Hide() as chosen:
                how, summary = "hidden", ""
            case Summarise() as chosen:
                how, summary = await self._sum_up(chosen)
        seq, step = chosen.through
        done = Compacted(
            how=how,
            tokens_before=before,
            tokens_after=before,
            through_seq=seq,
            through_step=None if step == LAST_STEP else step,
            ledger_chars=self._frame.ledger_chars if summary else 0,
            step_chars=chosen.limits.step_chars,
            prompt_chars=chosen.limits.prompt_chars,
            asked_for=self._forced,
        )
        done = self._with_images(done, summary)
        view = compacted(self._view, done, summary, self._units[-1].position)
        messages = render(self._plan.system, self._units, view)
        after = self._frame.tokens(messages)
        if after >= before:
            return None
        return _Made(
            done.model_copy(update={"tokens_after": after}),
            (Text(text=summary, by_mulligan=how == "digest"),) if summary else (),
            messages,
            time.monotonic() - started,
            tuple(self._problems),
        )

    def _with_images(self, done: Compacted, summary: str) -> Compacted:
        """A summary can't describe an image, so the newest images stay if they fit."""
        if not summary:
            return done
        seen = covered_images(self._units, compacted(self._view, done, summary, self._units[-1].position).covered)
        tokens_left, kept = self._frame.budget.context_length // IMAGES_SHARE, 0
        for image in reversed(seen):
            tokens_left -= image_tokens(image.about)
            if tokens_left < 0:
                break
            kept += 1
        return done.model_copy(update={"images": kept, "images_left_out": len(seen) - kept})

    async def _sum_up(self, chosen: Summarise) -> tuple[Literal["summary", "digest"], str]:
        """The model's summary, from at most two tries, else a digest. The ledger is always Mulligan's own."""
        ledger = known_ledger(chosen.units, self._view)
        previous = summary_before(self._view.summary, chosen.summary_chars)
        prompts = [unit.text for unit in (*chosen.units, chosen.prompt) if unit and unit.prompt and not unit.continues]
        char_limit = session_char_limit(self._frame.budget, chosen.summary_chars, previous)
        session = session_text(chosen.units, chosen.prompt, char_limit)
        refused: RejectedSummary | None = None
        for _ in range(TRIES):
            asked = request_text(session, previous, chosen.summary_chars, refused)
            try:
                text = await self._ask(asked, longest=2 * chosen.summary_chars)
            except ModelError as error:
                self._problems.append(str(error))
                break
            judged = judge_summary(text, prompts=prompts, session=session, previous=previous, ledger=ledger)
            if not isinstance(judged, RejectedSummary):
                return "summary", write_summary(judged, ledger, chosen.summary_chars)
            self._problems.append(judged.reason)
            refused = judged
        made = digest(chosen.units, prompts=prompts, previous=previous)
        return "digest", write_summary(made, ledger, chosen.summary_chars)

    async def _ask(self, text: str, *, longest: int) -> str:
        """The model's reply, cut off if it is endless. Raises `ModelError`."""
        request = ModelRequest(
            messages=(SystemText(SYSTEM), UserText(text)),
            max_tokens=self._plan.max_tokens,
            temperature=self._plan.temperature,
        )
        written_parts: list[str] = []
        written = thought = 0
        async with aclosing(self._plan.model.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(piece):
                        written_parts.append(piece)
                        written += len(piece)
                    case ReasoningDelta(piece):
                        thought += len(piece)
                    case TextWasReasoning(piece):
                        written_parts, written, thought = [], 0, len(piece)
                    case UsageReport(usage):
                        self.usage += usage
                    case Retrying():
                        written_parts, written, thought = [], 0, 0
                    case _:
                        pass
                if written > longest or thought > self._frame.budget.chars(self._frame.budget.context_length):
                    break
        whole = "".join(written_parts)
        repeated = find_repeated_text(whole)
        return repeated.kept if repeated else whole
