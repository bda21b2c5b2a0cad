"""Mulligan broken on purpose, one place at a time: the drill has to notice each."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

GROUPS = ("loops", "calls", "edits", "replies", "server", "context", "commands", "sandbox", "files", "fix_runs")


@dataclass(frozen=True, slots=True)
class Mutation:
    breaks: str
    """What is broken, in a few words."""
    file: str
    """From `src/mulligan` on."""
    old: str
    """Stands in the file exactly once."""
    new: str
    noticed_by: tuple[str, ...]
    """The faults that must no longer hold."""
    for_breadth: bool = False
    """Another one shows the same with fewer faults: `make explore` plays it."""


def mutations() -> Iterator[Mutation]:
    """All of them, as `mutated_loops` and the other modules beside this one list them."""
    for group in GROUPS:
        if Path(__file__).with_name(f"mutated_{group}.py").exists():
            yield from import_module(f"tests.drill.mutated_{group}").MUTATIONS
