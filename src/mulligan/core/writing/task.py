"""What is to be written, and all that is told of it."""

from dataclasses import dataclass
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
    whole: bool = False
    """All of the file is to be written, so that all of it is asked for."""
    conventions: str = ""
    """How work is done in the project, by the instructions in its files; empty where the context has them."""
    certain: bool = True
    """False for a function that does nothing, among others that do something: it may be meant so."""

    def describe(self) -> str:
        named = ", ".join(self.names[:3]) + (" …" if len(self.names) > 3 else "")
        return f"{named} in {self.path}" if named else self.path
