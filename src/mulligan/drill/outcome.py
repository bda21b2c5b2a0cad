"""What a drill tells: a line for each fault, and one at the end."""

from typing import Literal

from mulligan.types.base import Record


class Outcome(Record):
    """What came of one fault."""

    type: Literal["drill_fault"] = "drill_fault"
    name: str
    title: str
    group: str
    did: str
    """What Mulligan did, in a few words, read from what was seen."""
    requests: int
    """Requests to the model."""
    played: bool = True
    """False: it can't be played on this machine, and nothing is known of it."""
    holds: bool
    problems: tuple[str, ...]
    """What does not hold, and why. Empty if all does."""
    seconds: float


class DrillEnd(Record):
    """The last line."""

    type: Literal["drill_end"] = "drill_end"
    version: str
    faults: int
    held: int
    requests: int
    seconds: float

    @property
    def exit_code(self) -> int:
        """0 only if all hold. A broken guard is a fault of Mulligan's own."""
        return 0 if self.held == self.faults else 1
