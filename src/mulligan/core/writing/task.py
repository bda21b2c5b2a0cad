"""A task to write code, with all of its prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mulligan.syntax.blocks import CodeBlock

Kind = Literal["missing", "again"]
"""`missing`: it does not exist yet. `again`: it exists, and is suspected to be wrong."""


@dataclass(frozen=True, slots=True)
class WritingTask:
    """Functions of one file that are written together."""

    kind: Kind
    path: str
    names: tuple[str, ...]
    """What has to be defined: `leap_year`, `Clock.add`. Empty: everything that the tests use of the file."""
    system: str
    context: str
    """Everything before the question: instructions, code, tests, failures."""
    context_in_other_words: str = ""
    """The same in another wording. A small model that misreads the one may read the other."""
    where: CodeBlock | None = None
    """Where the function is that is to be written again: others may have its name."""
    whole: bool = False
    """The whole file is to be written, so the whole file is asked for."""
    conventions: str = ""
    """How work is done in the project, from its instruction files; empty if the context includes them."""
    certain: bool = True
    """False for a function that does nothing, among others that do something: that may be intended."""
    written: bool = False
    """It was already written in this run, and tests still fail: it is asked for again, as if it did not exist."""

    def describe(self) -> str:
        named = ", ".join(self.names[:3]) + (" …" if len(self.names) > 3 else "")
        return f"{named} in {self.path}" if named else self.path


def still_asked_for(first: Sequence[WritingTask], now: Sequence[WritingTask]) -> tuple[WritingTask, ...]:
    """What is missing now, or was missing when the run began and has been written since: a first gain may be a bad
    start, and asking for all of it again is better than repairing it."""
    return tuple(now) or tuple(replace(each, certain=False, written=True) for each in first)
