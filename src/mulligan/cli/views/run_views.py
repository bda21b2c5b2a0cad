"""Views of a fix run: JSON, a live terminal, or plain lines."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import TypeAlias

from mulligan.cli.text.run_sentences import next_words, run_lines
from mulligan.cli.text.safe_text import lenient_stream, safe_text
from mulligan.cli.text.sentences import FROM_FIX
from mulligan.cli.views.plain_view import PlainViewer
from mulligan.cli.views.terminal_view import REDRAW_EVERY, TerminalViewer
from mulligan.cli.views.turn_views import FrameViewer, JsonViewer
from mulligan.core.run_words import checking_words, evidence_words, verdict_words
from mulligan.types.frames import Frame, TurnEnd
from mulligan.types.run_frames import (
    AttemptEnded,
    CheckEnded,
    CheckStarted,
    NodeEntered,
    PlanMade,
    RunEnd,
    RunFrame,
    RunNote,
    RunStarted,
)

_RUN_FRAMES = (RunStarted, NodeEntered, CheckStarted, CheckEnded, PlanMade, AttemptEnded, RunNote, RunEnd)

RunViewer: TypeAlias = FrameViewer[Frame | RunFrame, RunEnd]
"""Also takes the frames of the turns in a run."""


class PlainRunViewer:
    """The verdict goes to standard output, everything else to standard error."""

    def __init__(self, next_words: Callable[[RunEnd], str] = next_words) -> None:
        self.ended: RunEnd | None = None
        self._next_words = next_words
        self._out = lenient_stream(sys.stdout)
        self._notes = lenient_stream(sys.stderr)
        self._turn = PlainViewer(next_steps=FROM_FIX, out=self._notes, notes=self._notes)

    def __call__(self, frame: Frame | RunFrame) -> None:
        if isinstance(frame, RunEnd):
            self._end(frame)
        elif isinstance(frame, _RUN_FRAMES):
            for line in run_lines(frame):
                self._note(line.text)
        elif not isinstance(frame, TurnEnd):
            self._turn(frame)

    def tell(self, words: str) -> None:
        self._note(words)

    def close(self) -> None:
        self._turn.close()

    def _end(self, end: RunEnd) -> None:
        self.ended = end
        for line in evidence_words(end):
            self._note(line)
        self._out.write(f"{safe_text(verdict_words(end))}\n")
        self._out.flush()
        if words := self._next_words(end):
            self._note(words)

    def _note(self, line: str) -> None:
        self._notes.write(f"{safe_text(line)}\n")
        self._notes.flush()


class TerminalRunViewer:
    """Lines for what is done, and a live line for what is running."""

    def __init__(self) -> None:
        from mulligan.cli.views.screen import Screen

        self.ended: RunEnd | None = None
        self._screen = Screen()
        self.turn = TerminalViewer(next_steps=FROM_FIX, screen=self._screen)
        """Shows the coder's turns, and keeps the terminal free during a question."""
        self._doing = ""
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, frame: Frame | RunFrame) -> None:
        if isinstance(frame, _RUN_FRAMES):
            self._show(frame)
        elif not isinstance(frame, TurnEnd):
            self._rest()
            self.turn(frame)
        else:
            self.turn.close()

    def tell(self, words: str) -> None:
        self._screen.tell(words)

    def close(self) -> None:
        self._rest()
        self.turn.close()

    def _show(self, frame: RunFrame) -> None:
        if isinstance(frame, RunEnd):
            self._end(frame)
            return
        lines = run_lines(frame)
        if lines and not isinstance(frame, RunNote):
            self._rest()
        for line in lines:
            self._screen.print_output(line)
        if doing := _doing(frame):
            self._work(doing)

    def _end(self, end: RunEnd) -> None:
        self.ended = end
        self.close()
        colour = {"verified": "green", "unverified": "yellow", "failed": "red"}[end.verdict]
        self._screen.print_box(verdict_words(end), "\n".join(evidence_words(end)), colour)
        self._screen.print_line((next_words(end), ""))

    def _work(self, doing: str) -> None:
        self._doing, self._since = doing, time.monotonic()
        if self._timer is None:
            self._tick()

    def _rest(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._screen.clear()

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REDRAW_EVERY, self._tick)
        now = time.monotonic()
        mark = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(now / REDRAW_EVERY) % 10]
        self._screen.show("", [[(f"{mark} ", "cyan"), (f"{self._doing} {now - self._since:.0f} s", "dim")]])


def _doing(frame: RunFrame) -> str:
    """What runs after this frame; empty if the frame doesn't say."""
    match frame:
        case NodeEntered(node="planner"):
            return f"planning attempt {frame.attempts + 1}"
        case NodeEntered(node="coder"):
            return "reading what fails"
        case CheckStarted():
            return checking_words(frame)
        case CheckEnded():
            return "waiting for the model" if frame.purpose == "candidate" else "thinking it over"
        case _:
            return ""


def run_viewer(*, as_json: bool) -> RunViewer:
    if as_json:
        return JsonViewer(RunEnd)
    return TerminalRunViewer() if sys.stdout.isatty() else PlainRunViewer()
