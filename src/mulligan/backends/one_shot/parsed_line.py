"""The meaning of one line of a one-shot agent's output."""

from dataclasses import dataclass

from mulligan.runtime.child_process import without_controls
from mulligan.types.agents import AgentDone, AgentEvent, AgentText


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One parsed line. Empty if it says nothing that matters."""

    events: tuple[AgentEvent, ...] = ()
    """A call may be announced more than once, each time with everything known about it."""
    session: str | None = None
    """The agent's own name for its session."""
    trouble: str = ""
    """Something went wrong, and the agent may still recover. If it does not, this is why the turn failed."""
    ending: AgentDone | None = None
    """The agent says that the turn is over. It is, unless the agent continues."""
    goes_on: bool = False
    """The agent starts another step, though there is nothing to show yet."""


def parse_line(line: bytes) -> ParsedLine:
    # An overwritten line, as with progress bars, is shown in its final state.
    shown = line.decode(errors="replace").rstrip("\r").rpartition("\r")[2]
    return ParsedLine(events=(AgentText(f"{without_controls(shown)}\n"),))
