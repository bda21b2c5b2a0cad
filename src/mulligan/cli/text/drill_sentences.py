"""Sentences about a drill. Pure."""

from mulligan.cli.text.safe_text import one_line
from mulligan.core.turn_words import duration_words
from mulligan.drill.fault import DrillEnd, Outcome
from mulligan.runtime.counted import counted

MAX_PROBLEM_CHARS = 600


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
        *(f"  {one_line(problem, MAX_PROBLEM_CHARS)}" for problem in outcome.problems),
        f"  To run it alone: mulligan drill --only {outcome.name}",
    ]


def stopped_words(played: int, faults: int) -> str:
    return f"Stopped after {played} of {counted(faults, 'fault')}."
