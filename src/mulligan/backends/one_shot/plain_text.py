"""An agent that writes for a person. All it says is shown; nothing in it is taken for an ending."""

from mulligan.backends.agent_process import without_controls
from mulligan.backends.one_shot.parsed_line import ParsedLine
from mulligan.types.backends import AgentText


def parse_line(line: bytes) -> ParsedLine:
    # A line that was written over, as progress bars do, is shown as it was in the end.
    shown = line.decode(errors="replace").rstrip("\r").rpartition("\r")[2]
    return ParsedLine(events=(AgentText(f"{without_controls(shown)}\n"),))
