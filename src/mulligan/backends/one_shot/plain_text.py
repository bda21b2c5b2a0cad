"""An agent that writes for a person. All it says is shown; nothing in it is taken for an ending."""

from mulligan.backends.agent_process import without_controls
from mulligan.backends.one_shot.parsed_line import Heard
from mulligan.types.backends import AgentText


def hear(line: bytes) -> Heard:
    # A line that was written over, as progress bars do, is shown as it was in the end.
    shown = line.decode(errors="replace").rstrip("\r").rpartition("\r")[2]
    return Heard(events=(AgentText(f"{without_controls(shown)}\n"),))
