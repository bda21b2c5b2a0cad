"""node's own test runner: TAP, and the `spec` reporter. TAP from other producers is read as far as it is the same."""

import re

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

NOT_OK = re.compile(r"( *)not ok \d+(?: -)? ?(.*)$")
SUBTEST = re.compile(r"( *)# Subtest: (.+)$")
PROPERTY = re.compile(r"\s*(location|failureType|error): (.*)$")
LOCATION = re.compile(r"([^:]+):\d+(?::\d+)?$")
DIRECTIVE = re.compile(r"# (?:SKIP|TODO)\b", re.IGNORECASE)
TOTAL = re.compile(r"[#\N{INFORMATION SOURCE}] (pass|fail|skipped|cancelled|todo) +(\d+)$")
SPEC_FAILURES = "✖ failing tests:"
TEST_AT = re.compile(r"test at ([^:]+):\d+:\d+$")
DURATION = re.compile(r" \([\d.]+ms\)$")
UNCAUGHT = re.compile(r"(?:# )?((?:[A-Z]\w*)?Error(?: \[\w+\])?: .+)$")
FILE = re.compile(r"(?:# Subtest: |✖ )(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ms\))?$")
SUBTESTS_FAILED = re.compile(r"'?\d+ subtests? failed'?$")
MAX_BLOCK_LINES = 80
DEATH_SHOWN = 12
"""Lines of the error that ended a file."""


def read_node(lines: list[str]) -> TestReport | None:
    totals = {match[1]: int(match[2]) for line in lines if (match := TOTAL.match(line))}
    failing = _read_spec(lines) if SPEC_FAILURES in lines else _read_tap(lines)
    if "pass" not in totals and not failing:
        return None
    blocked = [test.path for test in failing if test.path and test.id == test.path]
    return TestReport(failing=tuple(failing), blocked=tuple(blocked), counts=_counts(totals))


def _counts(totals: dict[str, int]) -> TestCounts | None:
    if "pass" not in totals:
        return None
    return TestCounts(
        passed=totals["pass"],
        failed=totals.get("fail", 0) + totals.get("cancelled", 0),
        skipped=totals.get("skipped", 0) + totals.get("todo", 0),
    )


def _read_tap(lines: list[str]) -> list[FailingTest]:
    failing: list[FailingTest] = []
    deaths = _deaths(lines)
    above: dict[int, str] = {}
    for index, line in enumerate(lines):
        subtest = SUBTEST.match(line)
        failure = NOT_OK.match(line)
        if subtest:
            depth = len(subtest[1])
            above = {deep: name for deep, name in above.items() if deep < depth} | {depth: subtest[2]}
        elif failure and failure[2] and not DIRECTIVE.search(failure[2]):
            depth = len(failure[1])
            names = [name for deep, name in above.items() if deep < depth] + [failure[2].strip()]
            block = _block_below(lines, index, depth)
            properties = {match[1]: match[2].strip("'\" ") for each in block if (match := PROPERTY.match(each))}
            if properties.get("failureType") != "subtestsFailed":
                located = LOCATION.match(properties.get("location", ""))
                error = _error(block, properties.get("error", ""))
                failing.append(_failing(names, located[1] if located else None, error, block, deaths))
    return failing


def _block_below(lines: list[str], index: int, depth: int) -> list[str]:
    """The lines that are indented deeper, up to the `...` that ends them."""
    block: list[str] = []
    for line in lines[index + 1 : index + MAX_BLOCK_LINES]:
        if line.strip() == "..." or (line.strip() and len(line) - len(line.lstrip()) <= depth):
            break
        if line.strip() != "---":
            block.append(line)
    return block


def _error(block: list[str], written: str) -> str:
    if not written.startswith("|"):
        return written
    start = next(index for index, line in enumerate(block) if line.lstrip().startswith("error: "))
    return _announced(block[start + 1 :])


def _read_spec(lines: list[str]) -> list[FailingTest]:
    failing: list[FailingTest] = []
    deaths = _deaths(lines)
    starts = [index for index in range(lines.index(SPEC_FAILURES), len(lines)) if TEST_AT.match(lines[index])]
    for index, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        path = TEST_AT.sub(r"\1", lines[index])
        title = DURATION.sub("", first_text(lines[index + 1 : end])).removeprefix("✖ ")
        body = lines[index + 2 : end]
        if title and not SUBTESTS_FAILED.match(first_text(body)):
            failing.append(_failing([title], path, _announced(body).strip("'"), body, deaths))
    return failing


def _failing(
    names: list[str], path: str | None, error: str, body: list[str], deaths: dict[str, list[str]]
) -> FailingTest:
    if path and names[-1].endswith(path):
        # The file itself failed: none of its tests could run.
        death = deaths.get(names[-1], [])
        message = short_line(first_text(death) or error)
        return FailingTest(id=path, name=path, path=path, message=message, detail=detail_of(death or body))
    return FailingTest(
        id=" > ".join([path, *names] if path else names),
        name=names[-1],
        path=path,
        message=short_line(error),
        detail=detail_of(body),
    )


def _announced(lines: list[str]) -> str:
    """The first line with text, and the next one if the first only introduces it."""
    texts = [line.strip() for line in lines if line.strip()][:2]
    return " ".join(texts) if texts and texts[0].endswith(":") else "".join(texts[:1])


def _deaths(lines: list[str]) -> dict[str, list[str]]:
    """By file, the error that ended it: it is printed only before the file is reported as failed."""
    deaths: dict[str, list[str]] = {}
    dying: int | None = None
    for index, line in enumerate(lines):
        uncaught = UNCAUGHT.match(line)
        file = FILE.match(line)
        if uncaught:
            dying = index
        elif file and dying is not None:
            shown = lines[dying : min(index, dying + DEATH_SHOWN)]
            deaths.setdefault(file[1], [each.removeprefix("# ") for each in shown])
            dying = None
    return deaths
