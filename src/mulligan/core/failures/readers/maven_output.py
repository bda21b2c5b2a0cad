"""Maven: surefire's tests, and sources that do not compile."""

import re

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

TOTALS = re.compile(r"(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$")
OF_CLASS = re.compile(r"(?:\[\w+\] )?Tests run: .*<<< (?:FAILURE|ERROR)! --? in (\S+)$")
FAILED_TEST = re.compile(
    r"(?:\[ERROR\] )?(\S+?)(?:\(([\w.$]+)\))?(?:\(\))? (?: |-- )Time elapsed: .*<<< (?:FAILURE|ERROR)!$"
)
UNCOMPILED = re.compile(r"\[ERROR\] COMPILATION ERROR")
SOURCE_ERROR = re.compile(r"\[ERROR\] ([^\s:]+\.\w+):\[\d+,\d+\] (.+)$")
ENDS_ERRORS = re.compile(r"\[INFO\] \d+ errors?$|\[INFO\] BUILD FAILURE")
JAVA_FILE = re.compile(r"\((\w+\.(?:java|kt|scala|groovy)):\d+\)")
MAX_BODY_LINES = 60


def read_maven(lines: list[str]) -> TestReport | None:
    totals = next((match for line in reversed(lines) if (match := TOTALS.match(line))), None)
    uncompiled = any(UNCOMPILED.match(line) for line in lines)
    if not (totals or uncompiled):
        return None
    failing = _source_errors(lines) if uncompiled else _failures(lines)
    blocked = ("*",) if uncompiled else ()
    return TestReport(failing=tuple(failing), blocked=blocked, counts=_counts(totals) if totals else None)


def _failures(lines: list[str]) -> list[FailingTest]:
    failing: list[FailingTest] = []
    of_class = ""
    for index, line in enumerate(lines):
        whole, test = OF_CLASS.match(line), FAILED_TEST.match(line)
        if whole:
            of_class = whole[1]
        elif test:
            failing.append(_failing(test, of_class, _body(lines, index)))
    return failing


def _body(lines: list[str], index: int) -> list[str]:
    body: list[str] = []
    for line in lines[index + 1 : index + MAX_BODY_LINES]:
        if not line.strip() or line.startswith("["):
            break
        body.append(line)
    return body


def _failing(test: re.Match[str], of_class: str, body: list[str]) -> FailingTest:
    """surefire names a test `method`, `method(class)` or `class.method`, depending on its version."""
    of_class = test[2] or of_class
    name = test[1].removeprefix(f"{of_class}.")
    file = next((match[1] for line in body if of_class in line and (match := JAVA_FILE.search(line))), None)
    package = of_class.rpartition(".")[0].replace(".", "/")
    return FailingTest(
        id=f"{of_class}.{name}" if of_class else name,
        name=name,
        path=f"{package}/{file}" if file and package else file,
        message=short_line(first_text(body)),
        detail=detail_of(body),
    )


def _source_errors(lines: list[str]) -> list[FailingTest]:
    """Maven prints them twice, the second time after the end of the build."""
    start = next(index for index, line in enumerate(lines) if UNCOMPILED.match(line))
    end = next((index for index in range(start, len(lines)) if ENDS_ERRORS.match(lines[index])), len(lines))
    failing: list[FailingTest] = []
    for index in range(start, end):
        error = SOURCE_ERROR.match(lines[index])
        if error:
            message = " ".join([error[2], *(line.strip() for line in _body(lines, index)[:2])])
            failing.append(
                FailingTest(
                    id=f"{error[1]}: {short_line(message)}",
                    name="compile",
                    path=error[1],
                    message=short_line(message),
                    detail=detail_of([lines[index], *_body(lines, index)]),
                )
            )
    return failing


def _counts(totals: re.Match[str]) -> TestCounts:
    ran, failures, errors, skipped = (int(number) for number in totals.groups())
    failed = failures + errors
    return TestCounts(passed=max(0, ran - failed - skipped), failed=failed, skipped=skipped)
