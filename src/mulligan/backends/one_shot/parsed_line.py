"""What one line of a one-shot agent's output says."""

from dataclasses import dataclass

from mulligan.runtime.child_process import without_controls
from mulligan.types.agents import AgentDone, AgentEvent, AgentText


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """One line, understood. Empty where it says nothing that matters."""

    events: tuple[AgentEvent, ...] = ()
    """A call may be announced more than once: with it comes all that is known of it."""
    session: str | None = None
    """The agent's own name for the session that it works in."""
    trouble: str = ""
    """Something went wrong, and the agent may still get over it. If it does not, this is why the turn failed."""
    ending: AgentDone | None = None
    """The agent says that the turn is over. It holds unless the agent goes on after it."""
    goes_on: bool = False
    """The agent begins another step, though there is nothing to show of it yet."""


def parse_line(line: bytes) -> ParsedLine:
    # A line that was written over, as progress bars do, is shown as it was in the end.
    shown = line.decode(errors="replace").rstrip("\r").rpartition("\r")[2]
    return ParsedLine(events=(AgentText(f"{without_controls(shown)}\n"),))
