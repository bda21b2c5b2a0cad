"""What may be run to test the candidates of a guided coder, and for how long."""

from collections.abc import Sequence
from itertools import islice

from mulligan.core.fix_runs.hanging_tests import hangs
from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.next_node import may_check
from mulligan.core.project_commands import narrow
from mulligan.syntax.language import Tracer
from mulligan.syntax.registry import languages
from mulligan.types.fixing import (
    CANDIDATE_SECONDS,
    CANDIDATE_SHARE,
    CHECK_RUNS,
    QUICK_SECONDS,
    SLOW_COST,
    FailingTest,
    ProjectCommand,
    RunState,
)

BATCH_SHARE = 0.3
"""Time of a candidate's test, as a share of a test run, if many are tested after one start."""
FIRST_SHARE = 0.4
"""Time of a candidate's test, as a share of the first run of everything, if none was tested yet: it runs only the
failing tests, and what a compiler made is there already."""
RECENT = 5
"""Recent runs used to estimate how long the next takes."""
MIN_LIMIT_SECONDS, ENDLESS = 2.0, 10.0
"""A candidate's test is taken to be endless after so many seconds, and so many times what the last ones took."""


def candidate_commands(state: RunState, only: Sequence[FailingTest]) -> list[tuple[ProjectCommand, str | None]]:
    """The commands in which these tests fail, each with its form for these tests alone, if there is one. Tests that
    pass so far are run with them. All commands in full if no test is given."""
    wanted = {test.id for test in only}
    by_command = {check.command: check for check in state.current_checks}
    fails = {test.id for test in failing_tests(state.current_checks)}
    passing = [test for test in only if test.id not in fails]
    found: list[tuple[ProjectCommand, str | None]] = []
    for command in state.commands:
        check = by_command.get(command.command)
        failing = check.report.failing if check and not check.passed else ()
        tests = [test for test in failing if test.id in wanted]
        if check and (tests or not only):
            found.append((command, narrow(command.command, [*tests, *passing]) if tests else None))
    return found


def batch_runner_for(wanted: Sequence[tuple[ProjectCommand, str | None]]) -> Tracer | None:
    """What tests many candidates after one start of the runner: only a single command that runs failing tests alone."""
    narrowed = wanted[0][1] if len(wanted) == 1 else None
    return _batch_runner_of(narrowed) if narrowed else None


def _batch_runner_of(command: str) -> Tracer | None:
    known = (language.batch_runner for language in languages())
    return next((each for each in known if each and each.fits(command)), None)


def candidate_pace(state: RunState) -> tuple[float, float]:
    """Seconds to test a candidate: alone, and among many after one start, or 0 if that is not possible."""
    seconds = [each.seconds for each in state.runs if each.purpose in ("baseline", "candidate")]
    recent = [each.seconds for each in state.runs if each.purpose == "candidate"][-RECENT:]
    recent = recent or [FIRST_SHARE * each for each in seconds]
    alone = sum(recent) / max(1, len(recent))
    batched = seconds and batch_runner_for(candidate_commands(state, failing_tests(state.current_checks)))
    return alone, min(alone, BATCH_SHARE * seconds[0]) if batched else 0.0


def quick_runs_left(state: RunState) -> int:
    """How many quick runs are left. A slow one has counted for several."""
    costs = (each.seconds / QUICK_SECONDS for each in state.runs if each.purpose != "coder")
    used = sum(min(max(cost, 1.0), SLOW_COST) for cost in costs)
    return max(0, int(CHECK_RUNS - used)) if may_check(state, 1) else 0


def candidate_limit(state: RunState, judged: str, command: str, *, together: bool = False) -> float:
    """Seconds for the test of a candidate: by how long the whole command took before anything was changed. If it runs
    only some tests, then by how long it took for the last candidates: among a thousand changes, dozens make a loop
    endless. The last ones may have been tested `together`: one that is not also waits for the start of its runner, and
    for test files that they did without."""
    if hangs(state, judged):
        return CANDIDATE_SECONDS
    took = max((run.seconds for run in state.runs if run.purpose == "baseline" and run.command == judged), default=0.0)
    most = min(state.time_limit, max(CANDIDATE_SECONDS, CANDIDATE_SHARE * took))
    if command == judged:
        return most
    same = (run for run in reversed(state.runs) if run.purpose == "candidate" and run.command == command)
    ended = list(islice((run.seconds for run in same if not run.timed_out), RECENT))
    start = took if not together and _batch_runner_of(command) else 0.0
    return most if len(ended) < RECENT else min(most, start + max(MIN_LIMIT_SECONDS, ENDLESS * max(ended)))
