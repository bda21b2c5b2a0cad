"""Sentences about a drill. Pure."""

from collections.abc import Iterator, Sequence

from mulligan.cli.text.safe_text import one_line
from mulligan.core.turn_words import duration_words
from mulligan.drill.fault import DrillEnd, Fault, Outcome

LONGEST_PROBLEM = 600


class InOrder:
    """Holds an outcome back until those of earlier faults have arrived, so that groups stay together."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._awaited = [fault.name for fault in reversed(faults)]
        self._come: dict[str, Outcome] = {}

    def take(self, outcome: Outcome) -> Iterator[Outcome]:
        """The faults whose turn it is now."""
        self._come[outcome.name] = outcome
        while self._awaited and self._awaited[-1] in self._come:
            yield self._come.pop(self._awaited.pop())


def verdict_words(outcome: Outcome) -> str:
    if not outcome.played:
        return "skipped"
    return "holds" if outcome.holds else "BROKEN"


def summary_words(end: DrillEnd) -> str:
    held = f"{end.held} of {counted(end.faults, 'fault')} held"
    return f"{held} · {counted(end.requests, 'request')} · {duration_words(end.seconds)}"


def broken_words(outcome: Outcome) -> list[str]:
    """What a fault broke, and how to investigate."""
    return [
        f"{outcome.name}: {outcome.title}",
        *(f"  {one_line(problem, LONGEST_PROBLEM)}" for problem in outcome.problems),
        f"  To run it alone: mulligan drill --only {outcome.name}",
    ]


def stopped_words(played: int, faults: int) -> str:
    return f"Stopped after {played} of {counted(faults, 'fault')}."


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
