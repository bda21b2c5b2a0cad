"""One line per failure, in words that a very small model understands: `total(cart) gave 3, expected 4`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.failures.summaries.node_and_go import summarize_go, summarize_node
from mulligan.core.failures.summaries.python import summarize_pytest, summarize_unittest
from mulligan.syntax.statements import joined_lines
from mulligan.types.fixing import FailingTest

MAX_LINES = 6
MAX_LINE_CHARS = 240
"""Characters of a line."""


@dataclass(frozen=True, slots=True)
class FailureInCode:
    """A failure with the code it is about."""

    test: FailingTest
    path: str
    """The test's file; empty if it is not known."""
    statement: str = ""
    """The test's statement that failed, on one line."""
    body: str = ""
    """The test's own code."""
    raised_at: str = ""
    """Where in the sources an error came from: `shop/cart.py:19: if item["naem"] == name:`."""


def failure_lines(seen: Sequence[FailureInCode]) -> tuple[str, ...]:
    """Lines with an expected value first; no duplicates."""
    lines = [_line(each) for each in seen]
    best_first = sorted(dict.fromkeys(line for line in lines if line), key=_vagueness)
    return tuple(best_first[:MAX_LINES])


def actual_and_expected(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The two values of each line that shows them."""
    for line in lines:
        if found := _VALUES.search(line):
            yield found[1], found[2]


def _line(seen: FailureInCode) -> str:
    text = seen.test.detail or seen.test.message
    for summarize in _summarizers(seen.path):
        if line := summarize(text, seen.statement, seen.body):
            return _clip(_with_location(line, seen))
    if error := _ERROR.search(seen.test.message) or _last_error(text):
        acted = seen.statement or seen.test.name
        return _clip(_with_location(f"{_without_keywords(acted)} raised {error[0].strip()}", seen))
    message = joined_lines(seen.test.message or text)
    name = seen.test.name if seen.test.name not in message else ""
    return _clip(_with_location(": ".join(part for part in (name, message) if part), seen))


def _summarizers(path: str) -> list[Callable[[str, str, str], str | None]]:
    if path.endswith(".py"):
        return [summarize_pytest, summarize_unittest]
    return [summarize_go] if path.endswith(".go") else [summarize_node]


def _with_location(line: str, seen: FailureInCode) -> str:
    # A failed comparison needs no place: it is in the test. An error has one.
    return f"{line} at {seen.raised_at}" if seen.raised_at and _RAISED.search(line) else line


def _vagueness(line: str) -> int:
    if _RAISED.search(line):
        return 1
    return 0 if _GAVE.search(line) else 2


def _without_keywords(statement: str) -> str:
    return statement.removeprefix("return ").removeprefix("await ").rstrip(";{ ")


def _last_error(text: str) -> re.Match[str] | None:
    return max(_ERROR.finditer(text), key=lambda found: found.start(), default=None)


def _clip(line: str) -> str:
    line = joined_lines(line)
    return line if len(line) <= MAX_LINE_CHARS else f"{line[: MAX_LINE_CHARS - 1]}…"


_VALUES = re.compile(r" gave (.*), expected (.*)$")
_GAVE = re.compile(r" gave .*expected|, expected ")
_RAISED = re.compile(r" raised (?!nothing)| panicked: ")
_ERROR = re.compile(
    r"(?<![\w.])[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Iteration)\b(?: \[\w+\])?(?:: [^\n]*)?"
)
