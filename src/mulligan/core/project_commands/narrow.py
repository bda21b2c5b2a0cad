"""Narrows a command to a few tests, so that a candidate is tested in seconds."""

from collections.abc import Callable, Sequence

from mulligan.core.project_commands.narrow_by_name import narrow_by_name
from mulligan.core.project_commands.narrow_javascript import narrow_javascript
from mulligan.core.project_commands.narrow_native import narrow_cargo, narrow_go
from mulligan.core.project_commands.narrow_python import narrow_django, narrow_pytest, narrow_unittest
from mulligan.core.project_commands.shell import SimpleCommand, read_simple
from mulligan.types.fixing import FailingTest

MAX_TESTS = 100
"""With more tests, the whole suite is just as good."""

NARROWERS: tuple[Callable[[SimpleCommand, Sequence[FailingTest]], str | None], ...] = (
    narrow_pytest,
    narrow_unittest,
    narrow_django,
    narrow_javascript,
    narrow_go,
    narrow_cargo,
    narrow_by_name,
)
"""Each handles its own runners, and ignores other commands."""


def narrow(command: str, tests: Sequence[FailingTest]) -> str | None:
    """None if it is not known how. It may run a little more than these tests, never less.

    Some runners pass if no test has the given name: a narrowed run counts only if its tests are seen to have run, and a
    pass only if the whole command passes as well.
    """
    simple = read_simple(command)
    if not simple or not 0 < len(tests) <= MAX_TESTS or any("\n" in test.id + test.name for test in tests):
        return None
    return next((narrowed for narrower in NARROWERS if (narrowed := narrower(simple, tests))), None)
