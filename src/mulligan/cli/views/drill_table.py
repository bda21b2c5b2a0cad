"""A drill on a terminal: finished rows, and below them the running faults. Importing this loads rich."""

import asyncio
import time
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from mulligan.cli.text.drill_sentences import (
    broken_words,
    stopped_words,
    summary_words,
    verdict_words,
)
from mulligan.cli.text.lines import Piece
from mulligan.cli.text.safe_text import safe_text
from mulligan.cli.views.outcome_order import OutcomeOrder
from mulligan.cli.views.screen import Screen
from mulligan.cli.views.tables import ROOM_FOR_A_TABLE
from mulligan.cli.views.terminal_view import REDRAW_EVERY
from mulligan.drill.fault import DrillEnd, Fault, Outcome
from mulligan.runtime.counted import counted

HEADINGS = ("fault", "what Mulligan did", "requests", "verdict")
MAX_RUNNING_SHOWN = 4
"""How many running faults to show. A large machine runs more at once."""
_GAP = 2
_COLOURS = {True: "green", False: "bold red"}


class TerminalDrillView:
    """Prints rows in the gallery's order, so that a group is under its heading, and each only once."""

    def __init__(self, faults: Sequence[Fault], screen: Screen | None = None) -> None:
        self.ended: DrillEnd | None = None
        self._screen = screen or Screen()
        self._faults = len(faults)
        self._order = OutcomeOrder(faults)
        self._longest = max((len(fault.title) for fault in faults), default=0)
        self._group = ""
        self._under_way: dict[str, tuple[str, float]] = {}
        """Running faults by name: the title, and since when."""
        self._played: list[Outcome] = []
        self._began = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, fault: Fault) -> None:
        self._under_way[fault.name] = (fault.title, time.monotonic())
        if self._timer is None:
            self._tick()

    def take(self, outcome: Outcome) -> None:
        self._under_way.pop(outcome.name, None)
        self._played.append(outcome)
        for each in self._order.take(outcome):
            if each.group != self._group:
                self._head(each.group)
            self._print(each)

    def finish(self, end: DrillEnd) -> None:
        self.ended = end
        self._rest()
        for outcome in self._played:
            if not outcome.holds:
                self._screen.print_gap()
                first, *more = broken_words(outcome)
                self._screen.print_line((first, _COLOURS[False]))
                for line in more:
                    self._screen.print_line((line, ""))
        self._screen.print_gap()
        self._screen.print_line((summary_words(end), _COLOURS[end.held == end.faults]))

    def close(self) -> None:
        self._rest()
        if not self.ended:
            self._screen.tell(stopped_words(len(self._played), self._faults))

    def redraw(self) -> None:
        """Redraw what is running now."""
        self._screen.show("", self._going_on(time.monotonic()))

    def _head(self, group: str) -> None:
        if not self._group and self._has_room:
            self._screen.console.print(self._row(*(Text(heading, "dim") for heading in HEADINGS)))
        self._group = group
        self._screen.print_gap()
        self._screen.print_line((group, "bold"))

    def _print(self, outcome: Outcome) -> None:
        title, did = Text(outcome.title), Text(safe_text(outcome.did))
        verdict = Text(verdict_words(outcome), _COLOURS[outcome.holds])
        if self._has_room:
            self._screen.console.print(self._row(title, did, Text(str(outcome.requests)), verdict))
            return
        did.append(f", {counted(outcome.requests, 'request')}")
        self._screen.print_line((f"{verdict.plain} ", str(verdict.style)), (title.plain, ""))
        self._screen.print_line((did.plain, "dim"))

    @property
    def _has_room(self) -> bool:
        return self._screen.console.width >= ROOM_FOR_A_TABLE

    def _row(self, *cells: Text) -> Table:
        """A table of one row. The widths depend only on the terminal, so that rows align."""
        width = self._screen.console.width
        title = min(self._longest, width * 3 // 8)
        requests, verdict = (len(heading) for heading in HEADINGS[2:])
        row = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
        row.add_column(width=title)
        row.add_column(width=width - title - requests - verdict - 3 * _GAP)
        row.add_column(width=requests, justify="right")
        row.add_column(width=verdict)
        row.add_row(*cells)
        return row

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(REDRAW_EVERY, self._tick)
        self.redraw()

    def _rest(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self._screen.clear()

    def _going_on(self, now: float) -> list[list[Piece]]:
        """The oldest running faults, and the drill's progress."""
        mark = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(now / REDRAW_EVERY) % 10]
        shown = list(self._under_way.values())[:MAX_RUNNING_SHOWN]
        rows: list[list[Piece]] = [
            [(f"{mark} ", "cyan"), (title, ""), (f" {now - since:.0f} s", "dim")] for title, since in shown
        ]
        hidden = len(self._under_way) - len(shown)
        more = f", {hidden} more running" if hidden else ""
        return [
            [("", "")],
            *rows,
            [(f"{len(self._played)} of {self._faults} done{more} · {now - self._began:.0f} s", "dim")],
        ]
