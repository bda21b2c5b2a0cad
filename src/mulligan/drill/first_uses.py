"""Does what the program puts off until it is needed for the first time, so that no fork has to do it.

Each fork would do it again: half of the CPU time of a turn. Only what gives the same result everywhere is done here:
patterns, tables of this package, and how settings are read.
"""

import gc
from pathlib import Path

from mulligan.app.agents.definitions import load_agents
from mulligan.core.text_calls import find_text_calls
from mulligan.models.known.families import load_families
from mulligan.models.protocols.held_text import HeldText
from mulligan.runtime.late_pattern import LatePattern
from mulligan.types.base import adapter
from mulligan.types.settings import Settings


def do_first_uses() -> None:
    for each in gc.get_objects():
        if isinstance(each, LatePattern) and not each.compiled:
            each.compile()
    adapter(Settings)
    load_families()
    for tools in {agent.tools for agent in load_agents((), {}, Path()).values()}:
        HeldText(tools).feed("It")
        find_text_calls("It", tools)
