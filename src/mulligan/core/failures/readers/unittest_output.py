"""unittest, and runners with the same output: Django, trial, green."""

import re

from mulligan.core.failures.text import detail_of, exception_in, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

HEADING = re.compile(r"(?:FAIL|ERROR): (\S+) \(([^\s()]+)\)(.*)$")
OTHER_HEADING = re.compile(r"(?:FAIL|ERROR): (.+)$")
RULE, THIN_RULE = "=" * 70, "-" * 70
RAN = re.compile(r"Ran (\d+) tests? in [\d.]+s")
RESULT = re.compile(r"(?:FAILED|OK) \(([^)]*)\)$")
COUNT = re.compile(r"(failures|errors|skipped|expected failures|unexpected successes)=(\d+)")
FRAME = re.compile(r'\s*File "([^"]+)", line \d+(?:, in (\S+))?')
UNLOADED = "_FailedTest"


def read_unittest(lines: list[str]) -> TestReport | None:
    ran = next((match for line in reversed(lines) if (match := RAN.match(line))), None)
    blocks = _blocks(lines)
    if not (ran or blocks):
        return None
    failing = [_failing(block) for block in blocks]
    blocked = [test.path or test.name for test, block in zip(failing, blocks, strict=True) if UNLOADED in block[0]]
    return TestReport(
        failing=tuple(failing),
        blocked=tuple(dict.fromkeys(blocked)),
        counts=_counts(int(ran[1]), blocks, lines) if ran else None,
    )


def _blocks(lines: list[str]) -> list[list[str]]:
    """The failures, each from its heading on."""
    blocks: list[list[str]] = []
    inside = False
    for before, line in zip(["", *lines], lines, strict=False):
        if before == RULE and OTHER_HEADING.match(line):
            blocks.append([])
            inside = True
        elif line == RULE or RAN.match(line):
            inside = False
        if inside:
            blocks[-1].append(line)
    return blocks


def _failing(block: list[str]) -> FailingTest:
    test_id, name = _names(block[0])
    body = [line for line in block[1:] if line != THIN_RULE]
    return FailingTest(
        id=test_id,
        name=name,
        path=_path(body, name),
        message=short_line(exception_in(body) or first_text(body)),
        detail=detail_of(body),
    )


def _names(heading: str) -> tuple[str, str]:
    match = HEADING.match(heading)
    if not match:
        title = heading.partition(": ")[2].strip()
        return title, title
    name, dotted, variant = match.groups()
    if UNLOADED in dotted:
        return name, name
    # Since Python 3.11 the name is also at the end of the dotted path.
    whole = dotted if dotted.endswith(f".{name}") else f"{dotted}.{name}"
    return whole + variant.rstrip(), name


def _path(body: list[str], name: str) -> str | None:
    """The file with the test: the frame in the test itself, or the module that could not be loaded."""
    file_name = f"/{name.rpartition('.')[2]}.py"
    for line in body:
        frame = FRAME.match(line)
        if frame and (frame[2] == name or f"/{frame[1]}".endswith(file_name)):
            return frame[1]
    return None


def _counts(ran: int, blocks: list[list[str]], lines: list[str]) -> TestCounts:
    result = next((match[1] for line in reversed(lines) if (match := RESULT.match(line))), "")
    found = {word: int(count) for word, count in COUNT.findall(result)}
    skipped = found.get("skipped", 0) + found.get("expected failures", 0)
    # A test fails once for each of its subtests.
    failed_tests = len({block[0].partition(")")[0] for block in blocks}) + found.get("unexpected successes", 0)
    failed = sum(found.get(word, 0) for word in ("failures", "errors", "unexpected successes"))
    return TestCounts(passed=max(0, ran - failed_tests - skipped), failed=failed, skipped=skipped)
