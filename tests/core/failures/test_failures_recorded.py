"""What is read from the output of real tools."""

import pytest

from mulligan.core.failures import classify_failure, read_report, summarize_failure
from tests.core.failures.recorded import HERE, Recorded, output, recorded

PASSED = {
    "pytest_ok": ("pytest", 1), "rspec_ok": ("bundle exec rspec", 3), "phpunit_ok": ("vendor/bin/phpunit", 4),
    "mix_ok": ("mix test", 2), "ctest_ok": ("ctest --test-dir build", 1), "mvn_ok": ("mvn -B test", 3),
}  # fmt: skip
"""Outputs of runs that passed: the command, and how many tests did."""


def test_the_kind_of_failure_is_told(case: Recorded) -> None:
    assert classify_failure(case.command, case.exit_code, case.text) == case.kind


def test_the_first_failure_or_error_is_the_summary(case: Recorded) -> None:
    assert summarize_failure(case.command, case.exit_code, case.text, "") == case.summary


def test_failing_tests_and_findings_are_listed_in_order(case: Recorded) -> None:
    report = read_report(case.command, case.exit_code, case.text, "")

    assert tuple(test.id for test in report.failing) == case.failing


def test_files_that_could_not_run_are_blocked(case: Recorded) -> None:
    assert read_report(case.command, case.exit_code, case.text, "").blocked == case.blocked


def test_counts_are_those_of_the_runner_itself(case: Recorded) -> None:
    assert read_report(case.command, case.exit_code, case.text, "").counts == case.counts


def test_it_does_not_matter_which_stream_the_output_came_on(case: Recorded) -> None:
    on_stderr = read_report(case.command, case.exit_code, "", case.text)

    assert on_stderr == read_report(case.command, case.exit_code, case.text, "")
    assert summarize_failure(case.command, case.exit_code, "", case.text) == case.summary


def test_windows_line_ends_change_nothing(case: Recorded) -> None:
    text = case.text.replace("\n", "\r\n")

    assert classify_failure(case.command, case.exit_code, text) == case.kind
    assert tuple(test.id for test in read_report(case.command, case.exit_code, text, "").failing) == case.failing


def test_every_recorded_output_is_in_the_table() -> None:
    files = {path.stem for path in (HERE / "outputs").iterdir()}

    assert files == {case.name for case in recorded()} | PASSED.keys()


@pytest.mark.parametrize("name", PASSED)
def test_a_run_that_passed_is_counted_and_has_no_summary(name: str) -> None:
    command, passed = PASSED[name]
    report = read_report(command, 0, output(name), "")

    assert report.counts is not None
    assert (report.counts.passed, report.failing) == (passed, ())
    assert summarize_failure(command, 0, output(name), "") == ""


def test_warnings_of_a_linter_that_passed_are_no_failures() -> None:
    assert read_report("npm run lint", 0, output("npm_lint"), "").failing == ()
