"""Views of a drill: JSON, a table on a terminal, or plain lines."""

import sys
from collections.abc import Sequence
from typing import Protocol

from mulligan.cli.text.drill_sentences import (
    broken_words,
    stopped_words,
    summary_words,
    verdict_words,
)
from mulligan.cli.text.safe_text import lenient_stream, one_line
from mulligan.cli.views.outcome_order import OutcomeOrder
from mulligan.cli.views.printing import print_side_message
from mulligan.cli.views.turn_views import JsonViewer
from mulligan.drill.fault import DrillEnd, Fault, Outcome
from mulligan.runtime.counted import counted

MAX_ACTION_CHARS = 400


class DrillView(Protocol):
    ended: DrillEnd | None
    """Set once all faults have run."""

    def begin(self, fault: Fault) -> None:
        """The fault is running now."""
        ...

    def take(self, outcome: Outcome) -> None: ...

    def finish(self, end: DrillEnd) -> None:
        """All faults have run."""
        ...

    def close(self) -> None:
        """Release the terminal; nothing follows. Without an end before it, the drill was stopped."""
        ...


def drill_view(faults: Sequence[Fault], *, as_json: bool) -> DrillView:
    """JSON if requested, a table on a terminal, otherwise one line per fault."""
    if as_json:
        return JsonDrillView()
    if sys.stdout.isatty():
        from mulligan.cli.views.drill_table import TerminalDrillView

        return TerminalDrillView(faults)
    return PlainDrillView(faults)


class JsonDrillView(JsonViewer[DrillEnd]):
    """One object per line, as they arrive."""

    def __init__(self) -> None:
        super().__init__(DrillEnd)

    def begin(self, fault: Fault) -> None:
        """There is nothing to print yet."""

    def take(self, outcome: Outcome) -> None:
        self(outcome)

    def finish(self, end: DrillEnd) -> None:
        self(end)


class PlainDrillView:
    """One line per fault, in the gallery's order."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.ended: DrillEnd | None = None
        self._faults = len(faults)
        self._order = OutcomeOrder(faults)
        self._played: list[Outcome] = []
        self._width = max((len(fault.name) for fault in faults), default=0)
        self._out = lenient_stream(sys.stdout)

    def begin(self, fault: Fault) -> None:
        """A running fault gets no line."""

    def take(self, outcome: Outcome) -> None:
        self._played.append(outcome)
        for each in self._order.take(outcome):
            did = one_line(each.did, MAX_ACTION_CHARS)
            about = f"{each.title} → {did}, {counted(each.requests, 'request')}"
            self._print(f"{verdict_words(each):<6}  {each.name:<{self._width}}  {about}")

    def finish(self, end: DrillEnd) -> None:
        self.ended = end
        for outcome in self._played:
            if not outcome.holds:
                self._print("")
                for line in broken_words(outcome):
                    self._print(line)
        self._print("")
        self._print(summary_words(end))

    def close(self) -> None:
        if not self.ended:
            print_side_message(stopped_words(len(self._played), self._faults))

    def _print(self, line: str) -> None:
        self._out.write(f"{line}\n")
        self._out.flush()
