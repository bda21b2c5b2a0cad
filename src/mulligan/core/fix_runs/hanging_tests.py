"""Test commands that don't end. Some runners can be made to interrupt a test, which then fails where it is."""

import re

from mulligan.syntax.language import Tracer
from mulligan.syntax.registry import languages
from mulligan.types.fixing import RunState


def interrupter_of(command: str) -> Tracer | None:
    """For a command that names a runner whose tests can be interrupted."""
    for language in languages():
        runners = "|".join(map(re.escape, language.test_readers))
        if language.interrupter and re.search(rf"(?<![\w-])(?:{runners})(?![\w-])", command):
            return language.interrupter
    return None


def hangs(state: RunState, command: str) -> bool:
    """Whether it did not end in this run, and its tests are interrupted since."""
    return command in state.hanging
