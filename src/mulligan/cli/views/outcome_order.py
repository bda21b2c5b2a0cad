"""The outcomes of a drill in the order of its faults, whichever ends first."""

from collections.abc import Iterator, Sequence

from mulligan.drill.fault import Fault, Outcome


class OutcomeOrder:
    """Holds an outcome back until those of earlier faults have arrived, so that groups stay together."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._expected = [fault.name for fault in reversed(faults)]
        self._arrived: dict[str, Outcome] = {}

    def take(self, outcome: Outcome) -> Iterator[Outcome]:
        """The outcomes that can be shown now."""
        self._arrived[outcome.name] = outcome
        while self._expected and self._expected[-1] in self._arrived:
            yield self._arrived.pop(self._expected.pop())
