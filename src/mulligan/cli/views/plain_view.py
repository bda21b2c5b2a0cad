"""A turn without a terminal: only the answer goes to standard output, everything else to standard error."""

import sys
from contextlib import suppress
from typing import TextIO

from mulligan.cli.text.safe_text import lenient_stream, safe_text
from mulligan.cli.text.sentences import FROM_SHELL, NextSteps, turn_lines
from mulligan.core.turn_words import closing_words
from mulligan.types.frames import (
    Frame,
    ReplyRetried,
    ReplyTrimmed,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
)
from mulligan.types.turns import STOPS


class PlainViewer:
    """Holds a step's text back until it is clear whether it is the answer.

    Text next to tool calls is progress, so it goes to standard error.
    """

    def __init__(
        self, *, next_steps: NextSteps = FROM_SHELL, out: TextIO | None = None, notes: TextIO | None = None
    ) -> None:
        self.ended: TurnEnd | None = None
        self._next_steps = next_steps
        self._out = lenient_stream(out or sys.stdout)
        self._notes = lenient_stream(notes or sys.stderr)
        self._text: list[str] = []
        """The text of the current step."""
        self._calls: dict[str, ToolCalled] = {}

    def __call__(self, frame: Frame) -> None:
        match frame:
            case StepStarted():
                self._note_progress()
                self._note_lines(frame)
            case TextStreamed(text=text):
                self._text.append(text)
            case ReplyRetried():
                self._text.clear()
                self._note_lines(frame)
            case ReplyTrimmed(text=text):
                self._text = [text]
            case ToolCalled():
                self._note_progress()
                self._calls[frame.call_id] = frame
            case ToolReturned():
                self._note_lines(frame, self._calls.pop(frame.call_id, None))
            case TurnEnd():
                self._end(frame)
            case _:
                self._note_lines(frame)

    def tell(self, words: str) -> None:
        self._note(safe_text(words))

    def close(self) -> None:
        """Print what was held back if the turn died without an end."""
        self._note_progress()

    def _end(self, end: TurnEnd) -> None:
        self.ended = end
        if not STOPS[end.stop_reason].has_answer:
            self._note_progress()
        answer = safe_text("".join(self._text)).strip("\n")
        self._note_lines(end)
        self._note(self._last_line(end))
        self._text.clear()
        if answer:
            self._out.write(answer + "\n")
            self._out.flush()

    def _last_line(self, end: TurnEnd) -> str:
        if end.stop_reason == "paused":
            after = f"to answer: {self._next_steps.answer}"
        elif end.can_continue:
            after = f"to continue: {self._next_steps.go_on}"
        else:
            after = self._next_steps.keep
        return f"{closing_words(end)} · {after.format(chat=end.chat_id)}"

    def _note_lines(self, frame: Frame, called: ToolCalled | None = None) -> None:
        for line in turn_lines(frame, self._next_steps, called):
            self._note(line.text)

    def _note_progress(self) -> None:
        text = safe_text("".join(self._text)).strip()
        self._text.clear()
        if text:
            self._note(text)

    def _note(self, line: str) -> None:
        # Nobody may read standard error any more; the answer still counts.
        with suppress(BrokenPipeError):
            self._notes.write(line + "\n")
            self._notes.flush()
