"""cargo test."""

import re
from collections import defaultdict, deque

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

FAILED_TEST = re.compile(r"test (\S.*?)(?: - should panic)? \.\.\. FAILED$")
SECTION = re.compile(r"---- (\S.*) stdout ----$")
RESULT = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
PANICKED = re.compile(r"thread '[^']{0,300}' (?:\(\d+\) )?panicked at ([^\s:']+):\d+:\d+:$")
PANICKED_ONCE = re.compile(r"thread '[^']{0,300}' panicked at '(.*)', ([^\s:]+):\d+:\d+$")
"""The format before Rust 1.73."""
SIDE = re.compile(r"\s+((?:left|right): .*)$")
LINE_OF_DOCTEST = re.compile(r" \(line \d+\)$")
ENDS_SECTION = ("failures:", "stack backtrace:")


def read_cargo(lines: list[str]) -> TestReport | None:
    results = [match for line in lines if (match := RESULT.match(line))]
    names = [match[1] for line in lines if (match := FAILED_TEST.match(line))]
    if not (results or names):
        return None
    sections = _sections(lines)
    return TestReport(
        failing=tuple(_failing(name, sections[name].popleft() if sections[name] else []) for name in names),
        counts=_counts(results) if results else None,
    )


def _sections(lines: list[str]) -> defaultdict[str, deque[list[str]]]:
    """The output of each test. Two binaries may have a test of the same name: their outputs are in order."""
    sections: defaultdict[str, deque[list[str]]] = defaultdict(deque)
    body: list[str] | None = None
    for line in lines:
        start = SECTION.match(line)
        if start:
            body = []
            sections[start[1]].append(body)
        elif line in ENDS_SECTION:
            body = None
        elif body is not None:
            body.append(line)
    return sections


def _failing(name: str, body: list[str]) -> FailingTest:
    path, message = _panic(body)
    return FailingTest(
        id=LINE_OF_DOCTEST.sub("", name),
        name=LINE_OF_DOCTEST.sub("", name.rpartition("::")[2]),
        path=path,
        message=short_line(message or first_text(body)),
        detail=detail_of(body),
    )


def _panic(body: list[str]) -> tuple[str | None, str]:
    """Where it panicked, and the message."""
    for index, line in enumerate(body):
        once, now = PANICKED_ONCE.match(line), PANICKED.match(line)
        if once:
            return once[2], once[1]
        if now:
            below = body[index + 1 : index + 6]
            sides = [match[1] for each in below if (match := SIDE.match(each))]
            return now[1], ", ".join([first_text(below), *sides])
    return None, ""


def _counts(results: list[re.Match[str]]) -> TestCounts:
    """Each test binary prints its own result."""
    passed, failed, ignored = (sum(int(match[group]) for match in results) for group in (1, 2, 3))
    return TestCounts(passed=passed, failed=failed, skipped=ignored)
