"""jest, vitest and mocha."""

import re
from collections.abc import Iterable

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

JEST_FILE = re.compile(r"(?:FAIL|PASS) (\S+)(?: \(.*\))?$")
JEST_TITLE = re.compile(r"  ● (.+)$")
JEST_TOTALS = re.compile(r"Tests: +(\d.*) total$")
JEST_SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
JEST_BLOCKED = "Test suite failed to run"
JEST_NOTES = ("Console", "Deprecation Warning", "Validation Warning")
COMPARED = re.compile(r"((?:Expected|Received)\b.*)$")

VITEST_FAIL = re.compile(r" FAIL  (?:\|[^|]*\| )?(\S.*)$")
VITEST_BLOCKED = re.compile(r"(\S+) \[ \S+ \]$")
VITEST_TOTALS = re.compile(r"\s*Tests  (\d.*) \(\d+\)$")
VITEST_RULE = re.compile(r"⎯{5,}")
VITEST_FILES = re.compile(r"\s*Test Files  ")

MOCHA_FAILING = re.compile(r"  (\d+) failing$")
MOCHA_PASSING = re.compile(r"  (\d+) passing \(")
MOCHA_PENDING = re.compile(r"  (\d+) pending$")
MOCHA_TITLE = re.compile(r"  \d+\) (.+)$")

COUNT = re.compile(r"(\d+) (failed|passed|skipped|todo|pending)")


def read_jest(lines: list[str]) -> TestReport | None:
    totals = next((match[1] for line in reversed(lines) if (match := JEST_TOTALS.match(line))), "")
    blocks = _jest_blocks(lines)
    if not (totals or (blocks and blocks[0][0])):
        return None
    failing: dict[str, FailingTest] = {}
    for path, title, body in blocks:
        if title == JEST_BLOCKED:
            failing.setdefault(path, _blocked(path, body))
        elif title not in JEST_NOTES:
            test = _of_titles(path, title.split(JEST_SEPARATOR), body)
            failing.setdefault(test.id, test)  # a summary at the end repeats some of them
    blocked = [path for path, title, _ in blocks if title == JEST_BLOCKED]
    return TestReport(failing=tuple(failing.values()), blocked=tuple(dict.fromkeys(blocked)), counts=_counts(totals))


def _jest_blocks(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """File, title and lines of each failure."""
    blocks: list[tuple[str, str, list[str]]] = []
    path = ""
    inside = False
    for line in lines:
        file, title = JEST_FILE.match(line), JEST_TITLE.match(line)
        if file:
            path, inside = file[1], False
        elif title:
            blocks.append((path, title[1].strip(), []))
            inside = True
        elif line.startswith("Test Suites: "):
            inside = False
        elif inside:
            blocks[-1][2].append(line)
    return blocks


def read_vitest(lines: list[str]) -> TestReport | None:
    if not any(VITEST_FILES.match(line) for line in lines):
        return None
    failing: dict[str, FailingTest] = {}
    blocked: list[str] = []
    titles: list[str] = []
    body: list[str] = []
    for line in [*lines, " FAIL  end"]:  # which ends a failure where the output was cut off
        fail = VITEST_FAIL.match(line)
        if titles and (VITEST_RULE.match(line) or (fail and body)):
            for title in titles:
                file = VITEST_BLOCKED.match(title)
                test = _blocked(file[1], body) if file else _of_titles(*_file_and_titles(title), body)
                failing.setdefault(test.id, test)
                blocked += [file[1]] if file else []
            titles, body = [], []
        if fail:
            titles.append(fail[1].strip())  # tests that fail alike share one error
        elif titles:
            body.append(line)
    totals = next((match[1] for line in reversed(lines) if (match := VITEST_TOTALS.match(line))), "")
    return TestReport(failing=tuple(failing.values()), blocked=tuple(blocked), counts=_counts(totals))


def read_mocha(lines: list[str]) -> TestReport | None:
    passing = _number(lines, MOCHA_PASSING)
    if passing is None:
        return None
    failed = _number(lines, MOCHA_FAILING) or 0
    counts = TestCounts(passed=passing, failed=failed, skipped=_number(lines, MOCHA_PENDING) or 0)
    start = next((index for index, line in enumerate(lines) if MOCHA_FAILING.match(line)), len(lines))
    starts = [index for index in range(start, len(lines)) if MOCHA_TITLE.match(lines[index])]
    blocks = [lines[index:end] for index, end in zip(starts, [*starts[1:], len(lines)], strict=False)]
    return TestReport(failing=tuple(_of_mocha(block) for block in blocks), counts=counts)


def _of_mocha(block: list[str]) -> FailingTest:
    """Its title spans several lines, the last of which ends with a colon."""
    titles: list[str] = []
    for line in block[:10]:
        titles.append(MOCHA_TITLE.sub(r"\1", line).strip())
        if line.endswith(":"):
            break
    body = block[len(titles) :]
    names = [title.removesuffix(":") for title in titles]
    message = short_line(first_text(body))
    return FailingTest(id=" > ".join(names), name=names[-1], message=message, detail=detail_of(body))


def _file_and_titles(whole: str) -> tuple[str, list[str]]:
    path, *titles = whole.split(" > ")
    return path, titles or [path]


def _of_titles(path: str, titles: list[str], body: list[str]) -> FailingTest:
    """The titles of the suites, then of the test. The file may be unknown if the output was cut."""
    return FailingTest(
        id=" > ".join([path, *titles] if path else titles),
        name=titles[-1],
        path=path or None,
        message=short_line(_compared(body) or first_text(body)),
        detail=detail_of(body),
    )


def _blocked(path: str, body: list[str]) -> FailingTest:
    return FailingTest(id=path, name=path, path=path, message=short_line(first_text(body)), detail=detail_of(body))


def _compared(body: Iterable[str]) -> str:
    """jest prints the matcher first, and then the expected and actual values."""
    if not first_text(body).startswith("expect("):
        return ""
    return ", ".join(match[1].strip() for line in body if (match := COMPARED.match(line.strip())))


def _number(lines: list[str], pattern: re.Pattern[str]) -> int | None:
    return next((int(match[1]) for line in reversed(lines) if (match := pattern.match(line))), None)


def _counts(totals: str) -> TestCounts | None:
    if not totals:
        return None
    found = {word: int(count) for count, word in COUNT.findall(totals)}
    skipped = sum(found.get(word, 0) for word in ("skipped", "todo", "pending"))
    return TestCounts(passed=found.get("passed", 0), failed=found.get("failed", 0), skipped=skipped)
