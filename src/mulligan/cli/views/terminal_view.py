"""A turn on a terminal: streaming Markdown, a line for every call, boxes for what Mulligan did."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mulligan.cli.text.safe_text import one_line
from mulligan.cli.text.sentences import FROM_SHELL, NextSteps, reading_words, turn_lines
from mulligan.cli.views.step_text import StepText
from mulligan.core.turn_words import call_words, closing_words
from mulligan.types.frames import (
    ChangeMade,
    CheckpointTaken,
    ContextUsed,
    Frame,
    MessageComplete,
    MessageStarted,
    PromptRead,
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

    from mulligan.cli.text.lines import Piece
    from mulligan.cli.views.screen import Screen

FIRST_LOOK = 0.3
"""Seconds until waiting gets a line. By then the first request is out, and rich may be loaded."""

REDRAW_EVERY = 0.1
"""Seconds between two updates of the live lines."""

PAUSE_SHOWN = 2.0
"""Seconds without a word until a started reply is shown as waiting."""


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
        self._last_frame_at = 0.0
        """When the last word arrived, or the request was sent."""
        self._reading: PromptRead | None = None
        self._running: dict[str, ToolCalled] = {}
        self._held: list[Frame] | None = None
        """Frames that arrive during a question; they are shown afterwards."""

    def __call__(self, frame: Frame) -> None:
        if self._held is not None:
            self._held.append(frame)
        else:
            self._show(frame)

    def _show(self, frame: Frame) -> None:
        match frame:
            case TurnStart():
                self._model = one_line(frame.model, 40)
                self._begin_waiting()
                self._print_output(frame)
            case StepStarted():
                self._begin_step()
                self._print_output(frame)
            case PromptRead() | TextStreamed() | ReasoningStreamed():
                self._follow_reply(frame)
            case ReplyRetried():
                self._retry(frame)
            case ReplyTrimmed():
                self._trim(frame)
            case ToolCalled() | ToolReturned():
                self._follow_call(frame)
            case ChangeMade() | CheckpointTaken():
                self._print_output(frame)
            case SentinelRaised():
                self._finish_text()
                self._print_output(frame)
            case MessageComplete():
                self.close()
            case TurnEnd():
                self._end(frame)
            case MessageStarted() | ContextUsed():
                pass  # only the page shows them

    def _follow_call(self, frame: ToolCalled | ToolReturned) -> None:
        if isinstance(frame, ToolCalled):
            self._finish_text()
            self._running[frame.call_id] = frame
        else:
            self._print_output(frame, self._running.pop(frame.call_id, None))
        self._draw()

    def tell(self, words: str) -> None:
        self._screen.tell(words)

    @contextmanager
    def held(self) -> "Generator[Screen]":
        """Reserve the terminal for a question: nothing is drawn until it is answered."""
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
        """Print the unfinished text as it is, and release the terminal."""
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
        self._begin_waiting()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FIRST_LOOK, self._tick)

    def _begin_waiting(self) -> None:
        self._step_began = self._last_frame_at = self._monotonic()
        self._reading = None

    def _stop_ticking(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REDRAW_EVERY, self._tick)
        self._draw()

    def _follow_reply(self, frame: PromptRead | TextStreamed | ReasoningStreamed) -> None:
        match frame:
            case PromptRead():
                self._reading = frame
            case TextStreamed(text=text):
                self._last_frame_at = self._monotonic()
                self._print_thoughts()
                self._text.say(text)
            case ReasoningStreamed(text=text):
                self._last_frame_at = self._monotonic()
                self._text.think(text)
        self._draw_if_due()

    def _retry(self, retry: ReplyRetried) -> None:
        if self._text.printed:
            self._screen.print_line(("(the reply was cut off; asking again)", "dim"))
        self._print_output(retry)
        self._text = StepText()
        self._begin_waiting()
        self._draw()

    def _trim(self, trimmed: ReplyTrimmed) -> None:
        if not self._text.trim(trimmed.text):
            self._screen.print_line(("(the reply above was cut off; this replaces it)", "dim"))
        self._draw()

    def _draw_if_due(self) -> None:
        if self._monotonic() - self._drawn_at >= REDRAW_EVERY:
            self._draw()

    def _draw(self) -> None:
        """Print newly completed blocks, then redraw the live lines."""
        self._drawn_at = self._monotonic()
        for block in self._text.take_blocks():
            self._screen.print_markdown(block)
        self._screen.show(self._text.rest, self._progress())

    def _progress(self) -> "list[list[Piece]]":
        mark = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(self._monotonic() / REDRAW_EVERY) % 10] + " "
        if self._running:
            calls = (call_words(call.name, call.arguments) for call in self._running.values())
            return [[(mark, "cyan"), (words, "")] for words in calls]
        now = self._monotonic()
        pause = now - self._last_frame_at if self._last_frame_at > self._step_began else 0.0
        waited = f", no word for {pause:.0f} s" if pause >= PAUSE_SHOWN else ""
        return [[(mark, "cyan"), (f"{self._doing()} {now - self._step_began:.0f} s{waited}", "dim")]]

    def _doing(self) -> str:
        if self._text.begun:
            return "writing…"
        if words := self._text.words_thought:
            return f"thinking… {words} words,"
        if self._reading:
            return f"{reading_words(self._reading)} ·"
        return f"waiting for {self._model}…"

    def _finish_text(self) -> None:
        self._print_thoughts()
        for block in self._text.take_all():
            self._screen.print_markdown(block)

    def _print_thoughts(self) -> None:
        if words := self._text.take_thoughts():
            self._screen.print_line((f"thought: {words} words", "dim"))

    def _print_output(self, frame: Frame, called: ToolCalled | None = None) -> None:
        for output in turn_lines(frame, self._next_steps, called):
            self._screen.print_output(output)

    def _end(self, end: TurnEnd) -> None:
        self.ended = end
        self.close()
        self._print_output(end)
        keep = self._next_steps.keep.format(chat=end.chat_id)
        self._screen.print_line((" · ".join(filter(None, [closing_words(end), keep])), "dim"))
