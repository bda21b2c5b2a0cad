"""What a turn has written so far, kept in sync in memory, in the store and in the published frames."""

import time
from collections.abc import Callable

from mulligan.core.waiting import seconds_left
from mulligan.ports.callbacks import Emit
from mulligan.ports.messages import MessageRepository
from mulligan.types.frames import (
    PromptRead,
    ReasoningStreamed,
    ReplyRetried,
    ReplyTrimmed,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
)
from mulligan.types.messages import Part, Reasoning, StepStart, Synthesis, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import PromptProgress

SAVE_EVERY = 0.4
"""Seconds between writes while text streams: a commit per token would cost more than the turn itself."""


class TurnRecord:
    """The parts of one assistant message while it is written."""

    def __init__(
        self, *, message_id: str, store: MessageRepository, emit: Emit, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.message_id = message_id
        self._store = store
        self._emit = emit
        self._monotonic = monotonic
        self._parts: list[Part] = []
        self._growing: Text | Reasoning | None = None
        """The last part, while it streams."""
        self._deltas: list[str] = []
        """Text to append to it: joining at each delta would be quadratic."""
        self._step = 0
        self._step_at = 0
        self._saved = 0
        """How many parts are up to date in the store."""
        self._saved_at = monotonic()

    @property
    def parts(self) -> list[Part]:
        self._join()
        return self._parts

    @property
    def step(self) -> list[Part]:
        """The parts of the current step."""
        return self.parts[self._step_at :]

    def begin_step(self, step: int, *, wrap_up: bool = False) -> None:
        self._step, self._step_at = step, len(self.parts)
        self._append(StepStart(step=step, wrap_up=wrap_up))
        self._emit(StepStarted(message_id=self.message_id, step=step, wrap_up=wrap_up))

    def reading(self, progress: PromptProgress) -> None:
        """Publish how much of the prompt was read. Not stored: it means nothing once the reply starts."""
        self._emit(
            PromptRead(
                message_id=self.message_id,
                processed=progress.processed,
                total=progress.total,
                seconds_left=seconds_left(progress),
            )
        )

    def say(self, text: str, *, by_mulligan: bool = False) -> None:
        self._stream(Text(text="", by_mulligan=by_mulligan), text)
        self._emit(TextStreamed(message_id=self.message_id, text=text))

    def think(self, text: str) -> None:
        self._stream(Reasoning(text=""), text)
        self._emit(ReasoningStreamed(message_id=self.message_id, text=text))

    def retry(self, *, attempt: int, attempts: int, delay: float, reason: str) -> None:
        """Discard what the step has written so far."""
        self._drop_step()
        self._emit(
            ReplyRetried(
                message_id=self.message_id,
                step=self._step,
                attempt=attempt,
                attempts=attempts,
                delay=delay,
                reason=reason,
            )
        )

    def trim(self, text: str) -> None:
        """Keep only this part of what the step has written."""
        self._drop_step()
        if text:
            self._append(Text(text=text))
        self._emit(ReplyTrimmed(message_id=self.message_id, step=self._step, text=text))

    def call(self, part: ToolCallPart) -> None:
        self._append(part)
        self._emit(ToolCalled(message_id=self.message_id, **part.model_dump(exclude={"kind"})))

    def returned(self, part: ToolResultPart) -> None:
        """Publish a result. `result` records it, in call order, once all calls have finished."""
        self._emit(ToolReturned(message_id=self.message_id, **part.model_dump(exclude={"kind"})))

    def result(self, part: ToolResultPart) -> None:
        self._append(part)

    def synthesized(self, part: Synthesis) -> None:
        """Record which result and files the text so far was written from."""
        self._append(part)

    async def discard(self) -> None:
        """Discard the whole message."""
        has_text = any(isinstance(part, Text) for part in self.parts)
        self._growing = None
        self._parts.clear()
        self._saved = 0
        if has_text:
            self._emit(ReplyTrimmed(message_id=self.message_id, step=self._step, text=""))
        await self._store.save_parts(self.message_id, 0, ())

    async def save(self) -> None:
        parts = self.parts  # first: a part that grows after this counts as unsaved
        first, unsaved = self._saved, parts[self._saved :]
        # Before writing: the next save stores what arrives in the meantime.
        self._saved, self._saved_at = len(parts), self._monotonic()
        try:
            if unsaved:
                await self._store.save_parts(self.message_id, first, unsaved)
        except BaseException:
            self._saved = min(self._saved, first)
            raise

    async def save_if_due(self) -> None:
        """Save streamed text, at most a few times a second."""
        if self._monotonic() - self._saved_at >= SAVE_EVERY:
            await self.save()

    def _append(self, part: Part) -> None:
        self._join()
        self._growing = None
        self._parts.append(part)

    def _stream(self, empty: Text | Reasoning, text: str) -> None:
        if not _continues(self._growing, empty):
            self._append(empty)
            self._growing = empty
        self._deltas.append(text)

    def _join(self) -> None:
        if self._growing is None or not self._deltas:
            return
        self._growing = self._growing.model_copy(update={"text": self._growing.text + "".join(self._deltas)})
        self._deltas.clear()
        self._parts[-1] = self._growing
        self._saved = min(self._saved, len(self._parts) - 1)

    def _drop_step(self) -> None:
        self._growing = None
        self._deltas.clear()
        del self._parts[self._step_at + 1 :]
        # The next save starts at the step's first part, so that the store drops the rest too.
        self._saved = min(self._saved, self._step_at)


def _continues(growing: Text | Reasoning | None, empty: Text | Reasoning) -> bool:
    """Whether new text continues the growing part. What Mulligan adds to an agent's text is a separate part."""
    if isinstance(growing, Text) and isinstance(empty, Text):
        return growing.by_mulligan == empty.by_mulligan
    return type(growing) is type(empty)
