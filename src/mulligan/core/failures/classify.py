"""Why a command failed."""

import re

from mulligan.core.failures.command_purpose import CommandPurpose, purpose_of
from mulligan.core.failures.readers.lint_output import LintFinding
from mulligan.core.failures.report import findings_of, read_tests
from mulligan.core.failures.text import readable_lines
from mulligan.core.failures.tooling_errors import NOT_EXECUTABLE, NOT_FOUND, found_no_entry, has_tooling_error
from mulligan.types.fixing import CommandFailure, TestReport

PYTEST_BROKE, PYTEST_USAGE, NO_TESTS = 3, 4, 5
"""Exit codes of pytest; unittest uses the last one too, since Python 3.12."""

TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)"
    r'|\s+File "[^"]{1,400}", line \d+'
    r"|\s+at (?:.{1,300} \()?(?:file://)?[^\s()]{1,400}:\d+:\d+\)?"
    r"|\s+at [\w$.<>]{1,300}\(\w+\.java:\d+\)"
    r"|goroutine \d+ \[running\]:"
    r"|thread '[^']{0,300}' (?:\(\d+\) )?panicked at "
    r"|Exception in thread |Unhandled exception\. |\tfrom \S{1,400}:\d+:in |(?:PHP )?Fatal error: +Uncaught "
    r"|\*\* \((?!Mix\))[A-Z][\w.]{0,200}\) "
    r"|Fatal Python error: "
)


def classify_failure(command: str, exit_code: int | None, stderr: str) -> CommandFailure:
    """By the command, without its wrappers, and by its output: errors alone, or all of it. Never raises.

    A runner that found no tests, or could not start, is a `tooling_error`: it could not do its work.
    """
    purpose = purpose_of(command)
    lines = readable_lines(stderr)
    tests = read_tests(lines)
    findings = findings_of(purpose, lines, tests)
    raised = any(TRACEBACK.match(line) for line in lines)
    if _could_not_work(purpose, exit_code, lines, tests, findings, raised=raised):
        return "tooling_error"
    if purpose.tests != purpose.lints and not purpose.delegated:
        return "test_failure" if purpose.tests else "lint_failure"
    return _by_output(purpose, tests, findings, raised=raised)


def _could_not_work(
    purpose: CommandPurpose,
    exit_code: int | None,
    lines: list[str],
    tests: TestReport,
    findings: list[LintFinding],
    *,
    raised: bool,
) -> bool:
    if tests.failing or tests.blocked or findings:
        return False
    if exit_code in (NOT_FOUND, NOT_EXECUTABLE):
        return True
    if purpose.is_app and raised and not found_no_entry(lines):
        return False
    if "pytest" in purpose.programs and exit_code in (PYTEST_BROKE, PYTEST_USAGE, NO_TESTS):
        return True
    if "unittest" in purpose.programs and exit_code == NO_TESTS:
        return True
    if tests.counts and tests.counts.failed:
        return False
    crashed = purpose.lints and not purpose.tests and not purpose.delegated and raised
    return crashed or has_tooling_error(lines)


def _by_output(
    purpose: CommandPurpose, tests: TestReport, findings: list[LintFinding], *, raised: bool
) -> CommandFailure:
    """For a command whose name says too little, or that does several things."""
    if tests != TestReport() and not purpose.only_builds:
        return "test_failure"
    if any(finding.code for finding in findings):
        return "lint_failure"
    if purpose.tests or purpose.lints:
        return "test_failure" if purpose.tests else "lint_failure"
    if raised:
        return "runtime_error"
    return "lint_failure" if findings or tests.blocked else "unknown"
