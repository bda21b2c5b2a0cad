"""Test commands that don't end. Some runners can interrupt a test, which then fails where it is."""

from mulligan.syntax.language import Tracer
from mulligan.syntax.registry import languages
from mulligan.types.fixing import RunState


def interrupter_of(command: str) -> Tracer | None:
    """The tracer for a command whose runner can interrupt tests."""
    known = (language.interrupter for language in languages())
    return next((each for each in known if each and each.fits(command)), None)


def hangs(state: RunState, command: str) -> bool:
    """Whether it did not end in this run, so that its tests are interrupted from now on."""
    return command in state.hanging
