"""A turn on a terminal: Markdown as it streams, a line for every call, boxes for what Mulligan did about it."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mulligan.cli.text.safe_text import one_line
from mulligan.cli.text.sentences import (
    FROM_SHELL,
    NextSteps,
    call_words,
    change_words,
    checkpoint_words,
    closing_words,
    duration_words,
    outcome_words,
    question_words,
    repair_words,
    retry_words,
    unapplied_words,
)
from mulligan.cli.views.step_text import StepText
from mulligan.types.frames import (
    ChangeMade,
    CheckpointTaken,
    ContextUsed,
    Frame,
    MessageComplete,
    MessageStarted,
    ReasoningStreamed,
    ReplyRetried,
    ReplyTrimmed,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
    TurnStart,
)

if TYPE_CHECKING:
    from rich.console import Console

    from mulligan.cli.views.screen import Piece, Screen

FIRST_LOOK = 0.3
"""Seconds after which waiting is worth a line. By then the first request has left, and rich may be loaded."""

REDRAW_EVERY = 0.1
"""Seconds between two looks at the lines that change."""

_MILD = {
    "mistake_recovery": "yellow",
    "reply_cut": "yellow",
    "cap_hit": "yellow",
    "aborted": "blue",
    "compacted": "blue",
}
"""Colours of sentinels that are no failure, by kind. The others are red."""


class TerminalViewer:
    """Prints what is final, and redraws only what is not."""

    def __init__(
        self,
        *,
        next_steps: NextSteps = FROM_SHELL,
        console: "Console | None" = None,
        screen: "Screen | None" = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ended: TurnEnd | None = None
        self._next_steps = next_steps
        self._console = console
        self._monotonic = monotonic
        self._opened = screen
        self._timer: asyncio.TimerHandle | None = None
        self._drawn_at = 0.0
        self._model = ""
        self._text = StepText()
        self._step_began = 0.0
        self._running: dict[str, ToolCalled] = {}
        self._held: list[Frame] | None = None
        """What comes while the person is asked something; it is shown afterwards."""

    def __call__(self, frame: Frame) -> None:
        if self._held is not None:
            self._held.append(frame)
        else:
            self._show(frame)

    def _show(self, frame: Frame) -> None:
        match frame:
            case TurnStart():
                self._model = one_line(frame.model, 40)
                self._step_began = self._monotonic()
            case StepStarted():
                self._begin_step()
            case TextStreamed() | ReasoningStreamed():
                self._take_words(frame)
            case ReplyRetried():
                self._retry(frame)
            case ReplyTrimmed():
                self._trim(frame)
            case ToolCalled() | ToolReturned():
                self._follow_call(frame)
            case ChangeMade() | CheckpointTaken():
                self._print_files(frame)
            case SentinelRaised():
                self._print_sentinel(frame)
            case MessageComplete():
                self.close()
            case TurnEnd():
                self._end(frame)
            case MessageStarted() | ContextUsed():
                pass  # the page has a place for them

    def _follow_call(self, frame: ToolCalled | ToolReturned) -> None:
        if isinstance(frame, ToolCalled):
            self._finish_text()
            self._running[frame.call_id] = frame
        else:
            self._print_outcome(self._running.pop(frame.call_id, None), frame)
        self._draw()

    def tell(self, words: str) -> None:
        self._screen.tell(words)

    @contextmanager
    def held(self) -> "Generator[Screen]":
        """The terminal for a question: nothing is drawn until it is answered."""
        self._stop_ticking()
        self._screen.clear()
        self._held = []
        try:
            yield self._screen
        finally:
            waiting, self._held = self._held, None
            for frame in waiting:
                self._show(frame)
            if self._running:
                self._tick()

    def close(self) -> None:
        """Print what is unfinished as it stands, and let the terminal go."""
        self._stop_ticking()
        self._finish_text()
        for call in self._running.values():
            self._screen.print_row(("■ ", "yellow"), (f"{call_words(call.name, call.arguments)} · stopped", "dim"))
        self._running.clear()
        if self._opened:
            self._opened.clear()

    @property
    def _screen(self) -> "Screen":
        if self._opened is None:
            from mulligan.cli.views.screen import Screen

            self._opened = Screen(self._console)
        return self._opened

    def _begin_step(self) -> None:
        self._finish_text()
        self._text = StepText()
        self._step_began = self._monotonic()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FIRST_LOOK, self._tick)

    def _stop_ticking(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REDRAW_EVERY, self._tick)
        self._draw()

    def _take_words(self, words: TextStreamed | ReasoningStreamed) -> None:
        if isinstance(words, TextStreamed):
            self._print_thoughts()
            self._text.say(words.text)
        else:
            self._text.think(words.text)
        self._draw_if_due()

    def _retry(self, retry: ReplyRetried) -> None:
        if self._text.printed:
            self._screen.print_line(("(the reply was cut off; asking again)", "dim"))
        self._screen.print_line(("↻ ", "yellow"), (retry_words(retry), "dim"))
        self._text = StepText()
        self._step_began = self._monotonic()
        self._draw()

    def _trim(self, trimmed: ReplyTrimmed) -> None:
        if not self._text.trim(trimmed.text):
            self._screen.print_line(("(the reply above was cut off; this stands in its place)", "dim"))
        self._draw()

    def _draw_if_due(self) -> None:
        if self._monotonic() - self._drawn_at >= REDRAW_EVERY:
            self._draw()

    def _draw(self) -> None:
        """Print the blocks that have become complete, then redraw the lines below them."""
        self._drawn_at = self._monotonic()
        for block in self._text.take_blocks():
            self._screen.print_markdown(block)
        self._screen.show(self._text.rest, self._progress())

    def _progress(self) -> "list[list[Piece]]":
        mark = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(self._monotonic() / REDRAW_EVERY) % 10] + " "
        if self._running:
            calls = (call_words(call.name, call.arguments) for call in self._running.values())
            return [[(mark, "cyan"), (words, "")] for words in calls]
        elapsed = f"{self._monotonic() - self._step_began:.0f} s"
        return [[(mark, "cyan"), (f"{self._doing()} {elapsed}", "dim")]]

    def _doing(self) -> str:
        if self._text.begun:
            return "writing…"
        if words := self._text.words_thought:
            return f"thinking… {words} words,"
        return f"waiting for {self._model}…"

    def _finish_text(self) -> None:
        self._print_thoughts()
        for block in self._text.take_all():
            self._screen.print_markdown(block)

    def _print_thoughts(self) -> None:
        if words := self._text.take_thoughts():
            self._screen.print_line((f"thought: {words} words", "dim"))

    def _print_outcome(self, called: ToolCalled | None, returned: ToolReturned) -> None:
        words = [outcome_words(returned.content, returned.failure), duration_words(returned.duration_ms / 1000)]
        if called and called.repairs:
            words.append(repair_words(called.repairs))
        words.append(f"{returned.masked} masked" if returned.masked else "")
        mark = ("✗ ", "red") if returned.failure else ("✓ ", "green")
        call = (call_words(returned.name, called.arguments if called else {}), "")
        # What went wrong is worth a second row.
        put = self._screen.print_line if returned.failure else self._screen.print_row
        put(mark, call, (f" · {' · '.join(filter(None, words))}", "dim"))

    def _print_files(self, event: ChangeMade | CheckpointTaken) -> None:
        if isinstance(event, ChangeMade):
            self._screen.print_row(("± ", "magenta"), (change_words(event), ""))
        else:
            self._screen.print_line((checkpoint_words(event), "yellow" if event.problem else "dim"))

    def _print_sentinel(self, raised: SentinelRaised) -> None:
        self._finish_text()
        metadata = raised.message.metadata
        colour = "red" if getattr(metadata, "escalated", False) else _MILD.get(metadata.kind, "red")
        go_on = getattr(metadata, "can_continue", None)
        hint = f"To go on: {self._next_steps.go_on}".format(chat=raised.message.chat_id) if go_on else ""
        self._screen.print_box(raised.text, hint, colour)

    def _end(self, end: TurnEnd) -> None:
        self.ended = end
        self.close()
        if end.question:
            answer = f"To answer: {self._next_steps.answer}".format(chat=end.chat_id)
            self._screen.print_box(question_words(end.question, end.options), answer, "cyan")
        if words := unapplied_words(end):
            self._screen.print_box(words, "", "red")
        keep = self._next_steps.keep.format(chat=end.chat_id)
        self._screen.print_line((" · ".join(filter(None, [closing_words(end), keep])), "dim"))
