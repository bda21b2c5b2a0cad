"""Decides whether to run tests again with a tracer, which tests, and for how long."""

from collections.abc import Iterable
from dataclasses import dataclass

from mulligan.core.project_commands import narrow
from mulligan.syntax.language import Tracer
from mulligan.syntax.registry import language_of
from mulligan.types.fixing import Check, FailingTest

SLOW = 15.0
"""Seconds. A slower command is run only for the files of the failing tests, if it can be narrowed."""
MIN_SECONDS, MAX_SECONDS = 10.0, 60.0
"""Seconds to trace tests."""
SHARE = 3.0
"""Most time for tracing, as a multiple of the command's own."""
TO_BEGIN = 15.0
"""Extra seconds to start, and to collect."""
MAX_TESTS = 2000


@dataclass(frozen=True, slots=True)
class TracedRun:
    command: str
    tracers: tuple[Tracer, ...]
    failing: tuple[str, ...]
    files: tuple[str, ...]
    """The files of the failing tests."""
    seconds: float
    """Seconds after which no further test is traced."""
    most: int
    time_limit: float


def plan_trace(check: Check, took: float) -> TracedRun | None:
    """For a command that failed after `took` seconds. None if its tests tell nothing, or no tracer supports them."""
    tests = [test for test in check.report.failing if test.path and test.id != test.path]
    files = tuple(dict.fromkeys(test.path for test in tests if test.path))
    tracers = _tracers(files)
    if check.kind not in {"test_failure", "runtime_error"} or not tracers:
        return None
    seconds = min(MAX_SECONDS, max(MIN_SECONDS, SHARE * took))
    whole = [FailingTest(id=path, name=path, path=path) for path in files]
    narrowed = narrow(check.command, whole) if took > SLOW else None
    return TracedRun(
        narrowed or check.command,
        tracers,
        failing=tuple(test.id for test in tests),
        files=files,
        seconds=seconds,
        most=MAX_TESTS,
        time_limit=seconds + TO_BEGIN + min(took, MAX_SECONDS),
    )


def _tracers(files: Iterable[str]) -> tuple[Tracer, ...]:
    languages = (language_of(path) for path in files)
    return tuple(dict.fromkeys(each.tracer for each in languages if each and each.tracer))
