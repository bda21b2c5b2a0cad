"""Who shows a fix run, and how: JSON, a live terminal, or plain lines."""

import asyncio
import sys
import time
from typing import Protocol

from mulligan.cli.text.run_sentences import (
    check_words,
    checking_words,
    command_words,
    cycle_end_words,
    cycle_words,
    evidence_words,
    next_words,
    opening_words,
    plan_words,
    verdict_words,
)
from mulligan.cli.text.safe_text import lenient_stream, safe_text
from mulligan.cli.text.sentences import FROM_FIX
from mulligan.cli.views.plain_view import PlainViewer
from mulligan.cli.views.printing import print_side_message
from mulligan.cli.views.terminal_view import REDRAW_EVERY, TerminalViewer
from mulligan.types.frames import Frame, TurnEnd
from mulligan.types.run_frames import (
    CheckEnded,
    CheckStarted,
    CycleEnded,
    NodeEntered,
    PlanMade,
    RunEnd,
    RunFrame,
    RunNote,
    RunStarted,
)

_RUN_FRAMES = (RunStarted, NodeEntered, CheckStarted, CheckEnded, PlanMade, CycleEnded, RunNote, RunEnd)


class RunViewer(Protocol):
    """Takes every frame of a run, and of the turns in it."""

    ended: RunEnd | None

    def __call__(self, frame: Frame | RunFrame) -> None: ...

    def tell(self, words: str) -> None: ...

    def close(self) -> None: ...


class JsonRunViewer:
    """One frame a line."""

    def __init__(self) -> None:
        self.ended: RunEnd | None = None

    def __call__(self, frame: Frame | RunFrame) -> None:
        if isinstance(frame, RunEnd):
            self.ended = frame
        sys.stdout.write(frame.model_dump_json(exclude_none=True) + "\n")
        sys.stdout.flush()

    def tell(self, words: str) -> None:
        print_side_message(words)

    def close(self) -> None:
        """Every line is out already."""


class PlainRunViewer:
    """The verdict goes to standard output, all the rest to standard error."""

    def __init__(self) -> None:
        self.ended: RunEnd | None = None
        self._out = lenient_stream(sys.stdout)
        self._notes = lenient_stream(sys.stderr)
        self._turn = PlainViewer(next_steps=FROM_FIX, out=self._notes, notes=self._notes)

    def __call__(self, frame: Frame | RunFrame) -> None:
        match frame:
            case RunStarted():
                self._note(opening_words(frame))
                for line in command_words(frame):
                    self._note(f"  {line}")
            case NodeEntered(node="coder", cycle=cycle):
                self._note(cycle_words(cycle))
            case CheckEnded():
                self._note(f"{'✓' if frame.passed else '✗'} {check_words(frame)}")
            case PlanMade(plan=plan):
                for line in plan_words(plan):
                    self._note(line)
            case CycleEnded():
                self._note(f"! {cycle_end_words(frame)}")
            case RunNote(text=text):
                self._note(text)
            case RunEnd():
                self._end(frame)
            case TurnEnd() | NodeEntered() | CheckStarted():
                pass
            case _:
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
        self._note(next_words(end))

    def _note(self, line: str) -> None:
        self._notes.write(f"{safe_text(line)}\n")
        self._notes.flush()


class TerminalRunViewer:
    """Lines for what is done, and one that moves for what is going on."""

    def __init__(self) -> None:
        from mulligan.cli.views.screen import Screen

        self.ended: RunEnd | None = None
        self._screen = Screen()
        self.turn = TerminalViewer(next_steps=FROM_FIX, screen=self._screen)
        """Shows the coder's turns, and holds the terminal for a question."""
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
        match frame:
            case RunStarted():
                self._screen.print_line((opening_words(frame), "bold"))
                for line in command_words(frame):
                    self._screen.print_line((f"  {line}", "dim"))
            case NodeEntered():
                self._enter(frame)
            case CheckStarted():
                self._work(checking_words(frame))
            case CheckEnded():
                self._rest()
                mark = ("✓ ", "green") if frame.passed else ("✗ ", "red")
                self._screen.print_row(mark, (check_words(frame), ""))
                self._work("waiting for the model" if frame.purpose == "candidate" else "thinking it over")
            case PlanMade(plan=plan):
                self._rest()
                for line in plan_words(plan):
                    self._screen.print_line((line, "dim"))
            case CycleEnded():
                self._rest()
                self._screen.print_line(("! ", "yellow"), (cycle_end_words(frame), ""))
            case RunNote(text=text):
                self._screen.print_line((safe_text(text), "dim"))
            case RunEnd():
                self._end(frame)

    def _enter(self, entered: NodeEntered) -> None:
        if entered.node == "planner":
            self._work(f"planning attempt {entered.attempts + 1}")
        elif entered.node == "coder":
            self._rest()
            self._screen.print_line((cycle_words(entered.cycle), "bold"))
            self._work("reading what fails")

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


def run_viewer(*, as_json: bool) -> RunViewer:
    if as_json:
        return JsonRunViewer()
    return TerminalRunViewer() if sys.stdout.isatty() else PlainRunViewer()
