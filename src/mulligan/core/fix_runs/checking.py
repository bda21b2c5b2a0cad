"""What one of the project's commands says, read from how it ended and what it wrote."""

from mulligan.core.failures import classify_failure, read_report, summarize_failure
from mulligan.core.fix_runs.judging import ALL
from mulligan.types.commands import CommandResult
from mulligan.types.fixing import Check, FailingTest, TestReport

NO_TESTS = "it ran no tests"


def read_check(result: CommandResult, *, command: str, kind: str = "test") -> Check:
    """`command` is the one that is judged; the result may be of a narrower one."""
    report = read_report(result.command, result.exit_code, result.stdout, result.stderr)
    counts = report.counts
    if result.exit_code == 0 and not result.timed_out and not (counts and counts.failed):
        if kind == "test" and counts and not counts.passed:
            # A suite that runs nothing shows nothing.
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
