"""Test commands that don't end. Some runners can be made to interrupt a test, which then fails where it is."""

from mulligan.syntax.language import Tracer
from mulligan.syntax.registry import languages
from mulligan.types.fixing import RunState


def interrupter_of(command: str) -> Tracer | None:
    """For a command that names a runner whose tests can be interrupted."""
    known = (language.interrupter for language in languages())
    return next((each for each in known if each and each.fits(command)), None)


def hangs(state: RunState, command: str) -> bool:
    """Whether it did not end in this run, and its tests are interrupted since."""
    return command in state.hanging
