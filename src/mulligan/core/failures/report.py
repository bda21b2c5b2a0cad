"""Parses a runner's output, as far as it can be recognised."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from mulligan.core.failures.command_purpose import CommandPurpose, purpose_of
from mulligan.core.failures.readers.block_output import read_blocks
from mulligan.core.failures.readers.cargo_output import read_cargo
from mulligan.core.failures.readers.go_output import read_go
from mulligan.core.failures.readers.javascript_output import read_jest, read_mocha, read_vitest
from mulligan.core.failures.readers.lint_output import LintFinding, read_findings
from mulligan.core.failures.readers.maven_output import read_maven
from mulligan.core.failures.readers.node_output import read_node
from mulligan.core.failures.readers.pytest_output import read_pytest
from mulligan.core.failures.readers.runner_formats import FORMATS
from mulligan.core.failures.readers.unittest_output import read_unittest
from mulligan.core.failures.text import readable_lines, without_changes
from mulligan.syntax.registry import languages
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

Reader = Callable[[list[str]], TestReport | None]

READERS: dict[str, Reader] = {
    "pytest": read_pytest, "unittest": read_unittest, "vitest": read_vitest, "jest": read_jest, "mocha": read_mocha,
    "node": read_node, "go": read_go, "cargo": read_cargo, "maven": read_maven,
    **{name: partial(read_blocks, known) for name, known in FORMATS.items()},
}  # fmt: skip
"""By their names in `syntax/languages`."""
OTHER_READERS = ("mix", "xctest", "swift-testing")
"""For languages that have no file in `syntax/languages`."""

DETAILED = 20
"""Failures that keep their output: a run has enough to do before anyone reads further."""
UNBUILT = re.compile(
    r"error: could not compile |\S*make\[\d+\]: \*\*\* \[.*\.o(?:bj)?\] |ninja: build stopped: "
    r"|> Compilation (?:failed|error)|\S+\(\d+,\d+\): error (?:CS|FS)\d+: "
    r"|error: (?:fatalError$|emit-module command failed)"
)
"""Messages of cargo, CMake, Gradle, .NET and Swift: what did not compile was not tested."""


def read_report(command: str, exit_code: int | None, stdout: str, stderr: str) -> TestReport:
    """Failing tests and findings, with ids that are stable between runs. Never raises.

    A file that could not be loaded or built is `blocked`, and a failing test of its own, with the error. Empty if
    nothing is recognised.
    """
    purpose = purpose_of(command)
    lines = readable_lines(stdout, stderr)
    tests = read_tests(lines)
    findings = findings_of(purpose, lines, tests) if exit_code != 0 else []
    blocks = purpose.tests and any(UNBUILT.match(line) for line in lines)
    failing = [*_distinct(tests.failing), *(finding.as_failing() for finding in findings)]
    return TestReport(
        failing=tuple(_bounded(failing)),
        blocked=("*",) if blocks else tests.blocked,
        counts=tests.counts,
    )


def read_tests(lines: list[str]) -> TestReport:
    """The reports of all runners together; empty if there was none."""
    used = {*OTHER_READERS, *(name for language in languages() for name in language.test_readers)}
    reports = [report for name, reader in READERS.items() if name in used and (report := reader(lines))]
    return TestReport(
        failing=tuple(test for report in reports for test in report.failing),
        blocked=tuple(dict.fromkeys(path for report in reports for path in report.blocked)),
        counts=_together([report.counts for report in reports if report.counts]),
    )


def findings_of(purpose: CommandPurpose, lines: list[str], tests: TestReport) -> list[LintFinding]:
    """Findings of linters and compilers. In the output of tests and programs, what looks like one is something else."""
    if purpose.is_app or (tests != TestReport() and not purpose.lints):
        return []
    return read_findings(lines)


def _together(counts: list[TestCounts]) -> TestCounts | None:
    if not counts:
        return None
    return TestCounts(
        passed=sum(each.passed for each in counts),
        failed=sum(each.failed for each in counts),
        skipped=sum(each.skipped for each in counts),
    )


def _distinct(failing: Iterable[FailingTest]) -> list[FailingTest]:
    """Number tests of the same name, so that fixing one of them is noticed."""
    times: Counter[str] = Counter()
    distinct: list[FailingTest] = []
    for test in failing:
        test_id = without_changes(test.id)
        times[test_id] += 1
        number = f" ({times[test_id]})" if times[test_id] > 1 else ""
        distinct.append(test.model_copy(update={"id": test_id + number}))
    return distinct


def _bounded(failing: list[FailingTest]) -> list[FailingTest]:
    return failing[:DETAILED] + [test.model_copy(update={"detail": ""}) for test in failing[DETAILED:]]
