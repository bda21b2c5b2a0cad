"""An agent that writes for a person. All it says is shown; nothing in it is taken for an ending."""

import re

from mulligan.backends.one_shot.heard import Heard
from mulligan.types.backends import AgentText

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f]")
"""Colours, titles, bells: they mean something to a terminal only."""


def hear(line: bytes) -> Heard:
    # A line that was written over, as progress bars do, is shown as it was in the end.
    shown = line.decode(errors="replace").rstrip("\r").rpartition("\r")[2]
    return Heard(events=(AgentText(f"{_CONTROLS.sub('', shown)}\n"),))
