"""What is to be written, and all that is told of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["missing", "again"]
"""`missing`: nobody has written it yet. `again`: it is there, and suspected to be wrong."""


@dataclass(frozen=True, slots=True)
class WritingTask:
    """Functions of one file that are written together."""

    kind: Kind
    path: str
    names: tuple[str, ...]
    """What has to be defined: `leap_year`, `Clock.add`. Empty: whatever the tests use of the file."""
    system: str
    context: str
    """All that is told before the question: instructions, code, tests, what fails."""
    context_in_other_words: str = ""
    """The same told in another way. A small model that misreads the one may read the other."""
    whole: bool = False
    """All of the file is to be written, so that all of it is asked for."""
    conventions: str = ""
    """How work is done in the project, by the instructions in its files; empty where the context has them."""
    certain: bool = True
    """False for a function that does nothing, among others that do something: it may be meant so."""
    written: bool = False
    """It was written in this run already, and tests still fail: it is asked for anew, as if it were not there."""

    def describe(self) -> str:
        named = ", ".join(self.names[:3]) + (" …" if len(self.names) > 3 else "")
        return f"{named} in {self.path}" if named else self.path


def still_asked_for(first: Sequence[WritingTask], now: Sequence[WritingTask]) -> tuple[WritingTask, ...]:
    """What is missing now, or what was missing when the run began and is written by now: a first gain may be a bad
    start, and the whole is better asked for anew than repaired."""
    return tuple(now) or tuple(replace(each, certain=False, written=True) for each in first)
