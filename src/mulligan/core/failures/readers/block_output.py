"""Runners that report each failure as a heading and lines below it: one parser, and a record for each runner."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.core.failures.text import detail_of, short_line
from mulligan.types.fixing import FailingTest, TestCounts, TestReport

MAX_BLOCK_LINES = 200
LEADS_ON = re.compile(r"(?::|expected but was)$")
"""A line that introduces the next one."""
NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class RunnerFormat:
    """How a runner reports failures. Patterns are matched at the beginning of a line."""

    totals: re.Pattern[str]
    """Groups `ran`, `passed`, `failed`, `errors` and `skipped`, as far as the runner reports them."""
    heading: re.Pattern[str]
    """The heading of a failure, with the group `name`, and `scope`, `path` and `message` if it has them. `outcome` is
    used if the lines below say nothing."""
    ends: re.Pattern[str]
    """The first line after a failure."""
    opens: re.Pattern[str] | None = None
    """Headings count only below such a line, up to the next that ends a failure. Skipped tests have headings too."""
    between: str = "."
    """Between scope and name in an id."""
    location: re.Pattern[str] = NOTHING
    """Searched in the lines below: group 1 is the test's file. The last match counts: runners print the innermost frame
    first."""
    compared: re.Pattern[str] = NOTHING
    """Group 1 is the expected or actual value, which is added to the error."""
    aside: re.Pattern[str] = NOTHING
    """Lines that don't say what went wrong: frames, source, labels."""
    source: re.Pattern[str] = NOTHING
    """Such a line and all below it, up to an empty one, don't say it either."""
    unloaded: re.Pattern[str] = NOTHING
    """A file that could not be run: `path`, and `message` if the error is there too."""
    sign: re.Pattern[str] | None = None
    """Only if the output has such a line, such a file is a test file."""
    unloads_all: bool = False
    """Such a file ends the whole run."""
    counts_once: bool = False
    """Totals are printed for every suite, and at the end for all; otherwise totals of several runs are added up."""
    by_package: bool = False
    """Files are given by name alone, and are in their package's folder."""


@dataclass(frozen=True, slots=True)
class _Block:
    heading: re.Match[str]
    unloaded: bool
    lines: list[str]

    def group(self, group: str) -> str:
        return (self.heading.groupdict().get(group) or "").strip()


def read_blocks(known: RunnerFormat, lines: list[str]) -> TestReport | None:
    totals = [match for line in lines if (match := known.totals.match(line))]
    signed = known.sign is None or any(known.sign.match(line) for line in lines)
    blocks = [block for block in _blocks(known, lines) if signed or not block.unloaded]
    blocked = [block.group("path").removeprefix("./") for block in blocks if block.unloaded]
    if not (totals or blocked):
        return None
    failing: list[FailingTest] = []
    for block in blocks:
        test = _unloaded(known, block) if block.unloaded else _failing(known, block)
        # A file is reported on both streams, and one test has a heading for each problem.
        if not (block.unloaded or known.counts_once) or test.id not in {each.id for each in failing}:
            failing.append(test)
    return TestReport(
        failing=tuple(failing),
        blocked=("*",) if blocked and known.unloads_all else tuple(dict.fromkeys(blocked)),
        counts=_counts(totals[-1:] if known.counts_once else totals, len(failing)),
    )


def _blocks(known: RunnerFormat, lines: list[str]) -> Iterator[_Block]:
    is_open = known.opens is None
    block: _Block | None = None
    for line in lines:
        unloaded = known.unloaded.match(line)
        heading = unloaded or (known.heading.match(line) if is_open else None)
        opens = known.opens is not None and known.opens.match(line) is not None
        ends = opens or known.ends.match(line) is not None
        if block and (heading or ends):
            yield block
            block = None
        if heading:
            block = _Block(heading, unloaded is not None, [])
        elif ends:
            is_open = opens or known.opens is None
        elif block and len(block.lines) < MAX_BLOCK_LINES:
            block.lines.append(line)
    if block:
        yield block


def _failing(known: RunnerFormat, block: _Block) -> FailingTest:
    scope, name = block.group("scope"), block.group("name")
    paths = [_last_group(match) for line in block.lines if (match := known.location.search(line))]
    path = block.group("path") or (paths[-1] if paths else "")
    if path and known.by_package:
        path = "/".join([*scope.partition(" > ")[0].split(".")[:-1], path])
    return FailingTest(
        id=f"{scope}{known.between}{name}" if scope else name,
        name=name,
        path=path.removeprefix("./") or None,
        message=short_line(_message(known, block)),
        detail=detail_of(block.lines if any(block.lines) else [block.heading[0]]),
    )


def _unloaded(known: RunnerFormat, block: _Block) -> FailingTest:
    path = block.group("path").removeprefix("./")
    message = short_line(_message(known, block))
    return FailingTest(id=path, name=path, path=path, message=message, detail=detail_of(block.lines))


def _message(known: RunnerFormat, block: _Block) -> str:
    """The first message, with the expected and actual values."""
    messages = [each for each in (block.group("message"), *_messages(known, block.lines)) if each]
    first = " ".join(messages[:2] if messages and LEADS_ON.search(messages[0]) else messages[:1]) or block.group(
        "outcome"
    ).strip("*: ")
    matches = [match for line in block.lines if (match := known.compared.match(line))]
    compared = [" ".join(_last_group(match).split()) for match in matches]
    return ", ".join(dict.fromkeys([first, *compared] if first else compared))


def _messages(known: RunnerFormat, lines: list[str]) -> Iterator[str]:
    in_source = False
    for line in lines:
        in_source = bool(line.strip()) and (in_source or known.source.match(line) is not None)
        if line.strip() and not in_source and not known.aside.match(line):
            yield line.strip()


def _last_group(match: re.Match[str]) -> str:
    """The group that matched."""
    return match[match.lastindex or 0]


def _counts(totals: list[re.Match[str]], failing: int) -> TestCounts | None:
    if not totals:
        return None

    def total(*names: str) -> int:
        return sum(int(match.groupdict().get(name) or 0) for match in totals for name in names)

    tells_failures = "failed" in totals[0].re.groupindex
    failed = total("failed", "errors") if tells_failures else failing
    skipped = total("skipped", "excluded")
    return TestCounts(passed=total("passed") or max(0, total("ran") - failed - skipped), failed=failed, skipped=skipped)
