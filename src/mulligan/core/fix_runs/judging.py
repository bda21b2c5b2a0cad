"""The effect of a change on the project's own commands: better, worse, or done. Judged test by test."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.failures import classify_failure, read_report, summarize_failure
from mulligan.types.commands import CommandResult
from mulligan.types.fixing import GIVEN, Check, FailingTest, ProjectCommand, TestReport

ALL = "*"
"""In `TestReport.blocked`: no test of the command could run."""

CODE_NAME = re.compile(r"`([^`\n]+)`|[\w./:\[\]-]{0,200}(?:_|::|/|\.\w|[a-z][A-Z]|\d)[\w./:\[\]-]*")
"""A word of a goal that names code, such as `test_pages`, `src/pages.py` or `Cart.total`. Plain words never do: "make
the tests green" must not pick a test about something green."""

TELLS_WHEN_PASSING = re.compile(r"(?<![\w-])(?:pytest|py\.test|unittest|jest|vitest|mocha|cargo\s+test)(?![\w-])")
"""Commands whose runner reports how many tests it ran even if all pass. Others may print nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    passed: bool
    """Every command passes, with as many tests as before."""
    improved: bool
    """Fewer failures than before, and no new one."""
    new: tuple[str, ...]
    """Ids of new failures."""
    gone: tuple[str, ...]
    left: tuple[str, ...]
    """Earlier failures that are still there."""
    fewer_tests: str | None
    """A message if tests disappeared or are skipped: then nothing is passed or improved."""


def unable_linters(commands: Sequence[ProjectCommand], baseline: Sequence[Check]) -> tuple[Check, ...]:
    """Linters that the project names and that can't run here: they say nothing about the code, and no model could
    change that. One that the user gave still judges, and something has to."""
    named = {each.command for each in commands if each.kind == "lint" and each.why != GIVEN}
    unable = tuple(check for check in baseline if check.command in named and check.kind == "tooling_error")
    return unable if len(unable) < len(baseline) else ()


def compare(before: Sequence[Check], after: Sequence[Check]) -> Comparison:
    """Compare the results of the same commands, or some of them, before and after a change."""
    was, now = _failures(before), _failures(after)
    hidden = {path for check in before for path in check.report.blocked}
    new = tuple((now - was).elements())
    # A test that could not run before may fail now without being new: it was hidden.
    new = tuple(each for each in new if not _was_hidden(each, after, hidden))
    blocked_before, blocked_after = _blocked(before), _blocked(after)
    newly_blocked = blocked_after > blocked_before
    fewer_failures = (blocked_after, now.total()) < (blocked_before, was.total())
    fewer_tests = _fewer_tests(before, after)
    return Comparison(
        passed=all(check.passed for check in after) and fewer_tests is None,
        improved=fewer_failures and not new and not newly_blocked and fewer_tests is None,
        new=new,
        gone=tuple((was - now).elements()),
        left=tuple((was & now).elements()),
        fewer_tests=fewer_tests,
    )


def goal_failures(goal: str, baseline: Sequence[Check]) -> frozenset[str] | None:
    """The failures that the goal names by a test, a file or an identifier; None if it names none: then all of them."""
    names = [(found[1] or found[0]).strip("./:-[]`") for found in CODE_NAME.finditer(goal)]
    named = {
        test.id
        for check in baseline
        for test in check.report.failing
        if any(len(name) > 2 and _names(name, test) for name in names)
    }
    return frozenset(named) or None


def reaches_goal(goal: str, baseline: Sequence[Check], after: Sequence[Check]) -> bool:
    """Whether nothing fails that the goal asks for, and nothing that passed before."""
    comparison = compare(baseline, after)
    if comparison.passed:
        return True
    wanted = goal_failures(goal, baseline)
    if wanted is None or comparison.fewer_tests or comparison.new or _blocked(after) > _blocked(baseline):
        return False
    return wanted.isdisjoint(_failures(after)) and not _blocked_all(after)


def failing_tests(checks: Sequence[Check]) -> tuple[FailingTest, ...]:
    return tuple(test for check in checks if not check.passed for test in check.report.failing)


def is_crash(test: FailingTest) -> bool:
    """It failed by an error, before anything was compared."""
    named = _ERROR.search(test.message)
    return "panic:" in f"{test.message}\n{test.detail}" or (named is not None and named[0] not in _OF_ASSERTIONS)


_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_OF_ASSERTIONS = {"AssertionError", "ComparisonException"}


def describe(comparison: Comparison) -> str:
    """A sentence for the next plan, and for the user."""
    if comparison.fewer_tests:
        return comparison.fewer_tests
    if comparison.new:
        were = "was" if len(comparison.new) == 1 else "were"
        return f"{_count(comparison.new, 'failure')} {were} not there before: {comparison.new[0]}."
    if comparison.gone and comparison.left:
        return f"{_count(comparison.gone, 'failure')} gone, {len(comparison.left)} left."
    if comparison.left:
        return f"No failure is gone: still {len(comparison.left)}."
    return "Nothing fails any more." if comparison.passed else "What failed before is gone."


def evidence(before: Sequence[Check], after: Sequence[Check]) -> tuple[str, ...]:
    """Each command's result before and now, a line each."""
    now = {check.command: check for check in after}
    return tuple(
        f"{check.command}: {_result(check)} before, {_result(now.get(check.command, check))} now" for check in before
    )


def _result(check: Check) -> str:
    counts = check.report.counts
    if check.passed:
        return f"{counts.passed} passing" if counts and counts.passed else "passing"
    return f"{len(check.report.failing)} failing"


def _failures(checks: Sequence[Check]) -> Counter[str]:
    return Counter(test.id for test in failing_tests(checks))


def _blocked(checks: Sequence[Check]) -> int:
    """How many files could not be tested; a command that ran nothing counts more than any number of files."""
    return sum(1_000_000 if path == ALL else 1 for check in checks for path in check.report.blocked)


def _blocked_all(checks: Sequence[Check]) -> bool:
    return any(ALL in check.report.blocked for check in checks)


def _was_hidden(test_id: str, after: Sequence[Check], hidden: set[str]) -> bool:
    if ALL in hidden:
        return True
    return any(test.id == test_id and test.path in hidden for test in failing_tests(after))


def _fewer_tests(before: Sequence[Check], after: Sequence[Check]) -> str | None:
    """If both runs of a command report how many tests they ran, none may be missing. A run that passes without a report
    may have ended before any test ran."""
    counts = {check.command: check.report.counts for check in before}
    for check in after:
        was, now = counts.get(check.command), check.report.counts
        if was is None or check.report.blocked:
            continue
        ran_before = was.passed + was.failed
        if now is None:
            if check.passed and ran_before and TELLS_WHEN_PASSING.search(check.command):
                return f"`{check.command}` ends without running a test; before the change it ran {ran_before}."
            continue
        ran_now = now.passed + now.failed
        if now.skipped > was.skipped:
            return f"`{check.command}` skips {now.skipped} tests; before the change it skipped {was.skipped}."
        if ran_now < ran_before:
            return f"`{check.command}` runs {ran_now} tests; before the change it ran {ran_before}."
    return None


def _names(name: str, test: FailingTest) -> bool:
    whole = re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])")
    return any(whole.search(text) for text in (test.id, test.name, test.path or ""))


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


NO_TESTS = "it ran no tests"


def read_check(result: CommandResult, *, command: str, kind: str = "test") -> Check:
    """`command` is the one that is judged; the result may be from a narrower one."""
    report = read_report(result.command, result.exit_code, result.stdout, result.stderr)
    counts = report.counts
    if result.exit_code == 0 and not result.timed_out and not (counts and counts.failed):
        if kind == "test" and counts and not counts.passed:
            # A suite that runs nothing proves nothing.
            return _failed(command, "tooling_error", NO_TESTS, TestReport(blocked=(ALL,), counts=counts))
        return Check(command=command, passed=True, report=TestReport(counts=counts))
    failure = classify_failure(result.command, result.exit_code, f"{result.stdout}\n{result.stderr}")
    summary = summarize_failure(result.command, result.exit_code, result.stdout, result.stderr)
    if result.timed_out or failure == "tooling_error":
        report = report.model_copy(update={"blocked": (ALL,)})
    return _failed(command, failure, summary, report)


def _failed(command: str, kind: str, summary: str, report: TestReport) -> Check:
    if not report.failing:
        itself = FailingTest(id=command, name=command, message=summary)
        report = report.model_copy(update={"failing": (itself,)})
    return Check.model_validate(
        {"command": command, "passed": False, "kind": kind, "summary": summary, "report": report}
    )
