"""pytest: its short summary, and the section of each failure."""

import re
from collections import defaultdict, deque
from dataclasses import dataclass, field

from mulligan.core.failures.text import detail_of, first_text, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

MARK = re.compile(r"=+ (?:test session starts|FAILURES|ERRORS|short test summary info|no tests ran.*) =+$")
TITLE = re.compile(r"[_―]+ (?!_ )(.+?) [_―]+$")
SUMMARY = re.compile(r"(FAILED|ERROR|SUBFAIL(?:ED)?)((?:\[[^\]]{0,200}\])? ?(?:\([^)]{0,200}\))?) (\S.*)")
STARTED = re.compile(r"([^\s:]+\.py::[^\s\[]+(?:\[.*\])?)$")
BY_WORKER = re.compile(r"\[gw\d+\] \[ *\d+%\] ([A-Z]+) (\S.*)")
OUTCOME = re.compile(r" (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b[^\[]{0,200}(?:\[ *\d+%\])?$")
TOTALS = re.compile(r"=* ?((?:\d+ [a-z]+(?: passed)?(?:, )?)+) in [\d.]+s\b")
SUGAR_START, SUGAR_TOTALS = "Test session starts (", "Results ("
COUNT = re.compile(r"(\d+) (failed|passed|skipped|xfailed|xpassed|error)s?\b")
FRAME = re.compile(r"([^\s:]+\.py):\d+: ")
CONFTEST = re.compile(r"\w+ while loading conftest '([^']+)'")
CAPTURED = re.compile(r"-+ Captured \w+ \w+ -+$")

COLLECTING, SETUP, TEARDOWN = "ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "
NOT_ENDED = "it did not end"


@dataclass(frozen=True, slots=True)
class _Reported:
    """A failing test, or a file that can't be collected."""

    outcome: str
    id: str
    message: str = ""


@dataclass(slots=True)
class _Output:
    """What one pass through the lines collects."""

    known: bool = False
    """The output is pytest's."""
    summary: list[_Reported] = field(default_factory=list[_Reported])
    seen: list[_Reported] = field(default_factory=list[_Reported])
    """Failures reported while the tests ran."""
    running: str = ""
    """The test that started last, if its outcome was not reported."""
    sections: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    """Titles, and the lines below them."""
    totals: str = ""
    conftest: str = ""
    """The conftest that could not be loaded."""


def read_pytest(lines: list[str]) -> TestReport | None:
    output = _read(lines)
    if output.conftest:
        return _unloaded(output.conftest, lines)
    if not output.known:
        return None
    reported = output.summary or output.seen or _from_sections(output)
    if output.running and not output.totals:
        reported = [*reported, _Reported("FAILED", output.running, NOT_ENDED)]
    sections = _Sections(output.sections)
    failing: dict[str, FailingTest] = {}
    for each in reported:
        if each.id not in failing:
            failing[each.id] = _failing(each, sections)
    blocked = dict.fromkeys(each.id for each in reported if each.outcome == "ERROR" and "::" not in each.id)
    return TestReport(failing=tuple(failing.values()), blocked=tuple(blocked), counts=_counts(output.totals))


def _read(lines: list[str]) -> _Output:
    output = _Output()
    for line in lines:
        title = TITLE.match(line)
        totals = TOTALS.match(line)
        if MARK.match(line) or line.startswith(SUGAR_START):
            output.known = True
            output.sections.append(("", []))
        elif totals or line.startswith(SUGAR_TOTALS):
            output.known = True
            output.totals = totals[1] if totals else line
        elif output.totals.startswith(SUGAR_TOTALS) and COUNT.fullmatch(line.strip()):
            output.totals += line
        elif title:
            output.sections.append((title[1], []))
        elif not _take_outcome(line, output) and output.sections:
            output.sections[-1][1].append(line)
    return output


def _take_outcome(line: str, output: _Output) -> bool:
    """Whether the line reports one test, or a test file."""
    summary, worker, conftest = SUMMARY.match(line), BY_WORKER.match(line), CONFTEST.match(line)
    outcome = OUTCOME.search(line) if ".py::" in line else None
    started = STARTED.match(line[: outcome.start()].rstrip() if outcome else line.rstrip())
    if summary and (output.known or "::" in line):
        test_id, message = _split(summary[3])
        variant = summary[2].strip()
        output.summary.append(_Reported(summary[1], f"{test_id} {variant}".strip(), message))
    elif worker:
        output.seen += [_Reported(worker[1], worker[2].strip())] if worker[1] in ("FAILED", "ERROR") else []
    elif started:
        output.running = "" if outcome else started[1]
        output.seen += [_Reported(outcome[1], started[1])] if outcome and outcome[1] in ("FAILED", "ERROR") else []
    elif conftest:
        output.conftest = conftest[1]
    else:
        return False
    return True


def _split(text: str) -> tuple[str, str]:
    """An id and the message about it. A parameter may contain the dash between them."""
    index = text.find("] - ") + 1 if "[" in text.partition(" - ")[0] else text.find(" - ")
    return (text[:index].strip(), text[index + 3 :].strip()) if index > 0 else (text.strip(), "")


class _Sections:
    """Sections by title; if two tests have the same name, in turn."""

    def __init__(self, sections: list[tuple[str, list[str]]]) -> None:
        self._by_title: defaultdict[str, deque[list[str]]] = defaultdict(deque)
        for title, lines in sections:
            self._by_title[title].append(lines)

    def of(self, reported: _Reported) -> list[str]:
        path, _, name = reported.id.partition("::")
        name = name.replace("::", ".")
        titles = [name, SETUP + name, TEARDOWN + name] if name else [COLLECTING + path]
        for title in reversed(titles) if reported.outcome == "ERROR" else titles:
            if self._by_title[title]:
                return self._by_title[title].popleft()
        return []


def _failing(reported: _Reported, sections: _Sections) -> FailingTest:
    path, _, name = reported.id.partition("::")
    lines = _without_captured(sections.of(reported))
    return FailingTest(
        id=reported.id,
        name=re.split(r"[\[ ]", name.rpartition("::")[2] or path, maxsplit=1)[0],
        path=path,
        message=short_line(_error(lines) or reported.message),
        detail=detail_of(lines),
    )


def _error(lines: list[str]) -> str:
    """The first line of the last error: those above are its causes."""
    found = before = ""
    for line in lines:
        if line.startswith("E ") and not before.startswith("E "):
            found = line[1:].strip() or found
        before = line
    return found


def _without_captured(lines: list[str]) -> list[str]:
    end = next((index for index, line in enumerate(lines) if CAPTURED.match(line)), len(lines))
    return lines[:end]


def _from_sections(output: _Output) -> list[_Reported]:
    """Without a summary, only the sections' titles name the tests."""
    reported: list[_Reported] = []
    for title, lines in output.sections:
        path = next((match[1] for line in lines if (match := FRAME.match(line))), "")
        if title.startswith(COLLECTING):
            reported.append(_Reported("ERROR", title.removeprefix(COLLECTING)))
        elif title and path:
            name = title.removeprefix(SETUP).removeprefix(TEARDOWN)
            reported.append(_Reported("FAILED" if name == title else "ERROR", f"{path}::{_with_colons(name)}"))
    return reported


def _with_colons(name: str) -> str:
    """`TestPage.test_first[1.5]` in the form of ids."""
    function, bracket, parameters = name.partition("[")
    return function.replace(".", "::") + bracket + parameters


def _unloaded(conftest: str, lines: list[str]) -> TestReport:
    path = next((match[1] for line in lines if (match := FRAME.match(line))), conftest)
    message = short_line(_error(lines) or first_text(lines))
    failing = FailingTest(id=path, name=path, path=path, message=message, detail=detail_of(lines))
    return TestReport(failing=(failing,), blocked=("*",))


def _counts(totals: str) -> TestCounts | None:
    if not totals:
        return None
    found = {word: int(count) for count, word in COUNT.findall(totals)}
    return TestCounts(
        passed=found.get("passed", 0) + found.get("xpassed", 0),
        failed=found.get("failed", 0) + found.get("error", 0),
        skipped=found.get("skipped", 0) + found.get("xfailed", 0),
    )
