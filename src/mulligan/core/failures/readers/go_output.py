"""go test."""

import re
from collections import defaultdict

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestReport

FAILED_TEST = re.compile(r"\s*--- FAIL: (\S+) \([\d.]+s\)$")
OTHER_TEST = re.compile(r"\s*--- (?:PASS|SKIP|BENCH): ")
STARTED = re.compile(r"=== (?:RUN|CONT|NAME|PAUSE) +(\S+)$")
PACKAGE = re.compile(r"(?:FAIL|ok  |---)\t(\S+)(.*)$")
UNBUILT = re.compile(r"\s*\[(?:build|setup) failed\]$")
BUILD_OF = re.compile(r"# (\S+)(?: \[\S+\])?$")
BUILD_ERROR = re.compile(r"(?:vet: )?([^\s:]+\.go):\d+(?::\d+)?: (.+)$")
MESSAGE = re.compile(r"\s*(\w[\w.-]*\.go):\d+: (.*)$")
TESTIFY = re.compile(r"\s*Error:\s+(\S.*)$")
PANIC = re.compile(r"(panic: .+?)(?: \[recovered\])?$")


class _Package:
    """The output up to the line with the package and its outcome."""

    def __init__(self) -> None:
        self.tests: list[str] = []
        self.output: defaultdict[str, list[str]] = defaultdict(list)
        self.loose: list[str] = []
        """Output that belongs to no test."""


def read_go(lines: list[str]) -> TestReport | None:
    if not any(PACKAGE.match(line) or FAILED_TEST.match(line) for line in lines):
        return None
    failing: list[FailingTest] = []
    blocked: list[str] = []
    build_errors = _build_errors(lines)
    package, running = _Package(), ""
    for line in [*lines, "FAIL\t"]:
        failed, run, ends = FAILED_TEST.match(line), STARTED.match(line), PACKAGE.match(line)
        if failed:
            running = failed[1]
            package.tests.append(running)
        elif run or OTHER_TEST.match(line):
            running = run[1] if run else ""
        elif ends and UNBUILT.match(ends[2]):
            blocked.append(ends[1])
            failing += build_errors.get(ends[1], [])
        elif ends or line == "FAIL\t":
            failing += _of_package(package, ends[1] if ends else "", failed=line.startswith("FAIL"))
            package, running = _Package(), ""
        elif running:
            package.output[running].append(line)
        else:
            package.loose.append(line)
    return TestReport(failing=tuple(failing), blocked=tuple(dict.fromkeys(blocked)))


def _of_package(package: _Package, name: str, *, failed: bool) -> list[FailingTest]:
    """Its failed tests, without those that failed only because a subtest did."""
    outer = {test.rpartition("/")[0] for test in package.tests}
    tests = [test for test in dict.fromkeys(package.tests) if test not in outer]
    if not tests and failed and name:
        # It ended outside of any test: by a panic in a goroutine, by os.Exit, in TestMain.
        body = [*package.loose, *(line for lines in package.output.values() for line in lines)]
        return [FailingTest(id=name, name=name, message=short_line(_message(body)), detail=detail_of(body))]
    return [_failing(test, name, package.output[test]) for test in tests]


def _failing(test: str, package: str, body: list[str]) -> FailingTest:
    messages = [match[1] for line in body if (match := MESSAGE.match(line))]
    return FailingTest(
        id=f"{package}.{test}" if package else test,
        name=test,
        path=messages[-1] if messages else None,
        message=short_line(_message(body)),
        detail=detail_of(line for line in body if line != "FAIL"),
    )


def _message(body: list[str]) -> str:
    """A panic, else the last message: a test logs first, and ends with the reason for its failure."""
    panic = next((match[1] for line in body if (match := PANIC.match(line))), "")
    testify = next((match[1] for line in body if (match := TESTIFY.match(line))), "")
    messages = [match[2] for line in body if (match := MESSAGE.match(line))]
    return panic or testify or (messages[-1] if messages else first_text(line for line in body if line != "FAIL"))


def _build_errors(lines: list[str]) -> dict[str, list[FailingTest]]:
    """By package."""
    errors: defaultdict[str, list[FailingTest]] = defaultdict(list)
    package = ""
    for line in lines:
        start, error = BUILD_OF.match(line), BUILD_ERROR.match(line)
        if start:
            package = start[1]
        elif error and package:
            path = error[1].removeprefix("./")
            test_id = f"{path}: {error[2]}"
            errors[package].append(
                FailingTest(id=test_id, name="build", path=path, message=short_line(error[2]), detail=line)
            )
        elif not line[:1].isspace():
            package = ""
    return errors
