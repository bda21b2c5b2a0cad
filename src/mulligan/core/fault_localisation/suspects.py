"""Single lines that may be wrong: where changes are tried, and what questions about one line are about."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.failures.summaries.lines import actual_and_expected
from mulligan.core.fault_localisation.ranking import Focus, SourceFile, Weighed
from mulligan.core.fault_localisation.spectrum import Spectrum
from mulligan.core.line_change import LineLocation
from mulligan.syntax.functions import names_in

MAX_LINES = 120
"""Lines, however few a model is shown of them: trying a change takes no space in its context."""
FIRST = 3
"""Functions whose constants are as suspicious as themselves."""


def suspect_lines(
    focus: Focus,
    pointed: Sequence[LineLocation],
    weighed: Sequence[Weighed],
    files: Sequence[SourceFile],
    *,
    attempt: int = 1,
) -> tuple[LineLocation, ...]:
    """Lines that tracebacks, hints and branches point to, then the deciding lines in the functions under test, then the
    constants that these use, wherever they are set. On a second attempt the deciding lines come first. If it is known
    what ran, a function's lines that only failing tests ran come first in it, and those that no failing test ran come
    last."""
    pointed = [*focus.locations, *pointed]
    first, others = weighed[:FIRST], weighed[FIRST:]
    ran = focus.spectrum
    deciding = [*_deciding(first, ran), *_constants(first, files), *_deciding(others, ran), *_constants(others, files)]
    if ran:
        unrun = {location for each in weighed for location, score in _scores(each, ran).items() if not score}
        deciding.sort(key=lambda location: location in unrun)
    ordered = [*deciding, *pointed] if attempt == 2 else [*pointed, *deciding]
    return tuple(dict.fromkeys(ordered))[:MAX_LINES]


def _deciding(weighed: Sequence[Weighed], spectrum: Spectrum | None) -> Iterator[LineLocation]:
    """Function by function: what it returns, its conditions, its defaults, loops, intermediate values."""
    for each in weighed:
        numbered = [
            (LineLocation(each.file.path, number), each.file.lines[number - 1].strip())
            for number in range(each.function.first, each.function.last + 1)
        ]
        found = [location for pattern in _KINDS for location, line in numbered if pattern.search(line)]
        scores = _scores(each, spectrum) if spectrum else {}
        yield from sorted(found, key=lambda location: -scores.get(location, 0.0))


def _scores(each: Weighed, spectrum: Spectrum) -> dict[LineLocation, float]:
    """How suspicious each line of a function is. A tracer does not see all lines of a longer statement, and none of the
    function's head: they count as the statement's first line, and the head as the worst line."""
    path, function, lines = each.file.path, each.function, each.file.lines
    known = spectrum.lines.get(path, {})
    rows = range(function.first, function.last + 1)
    worst = max((known[number] for number in rows if number in known), default=0.0)
    head = next((number for number in rows if lines[number - 1].rstrip().endswith((":", "{", "=> ("))), function.first)
    found: dict[LineLocation, float] = {}
    for number in rows:
        begin = number
        while begin > head + 1 and begin not in known and lines[begin - 2].rstrip().endswith(_GOES_ON):
            begin -= 1
        found[LineLocation(path, number)] = known.get(begin, worst if number <= head else 0.0)
    return found


def _constants(weighed: Sequence[Weighed], files: Sequence[SourceFile]) -> Iterator[LineLocation]:
    """Where values that the functions use are set, outside of all functions."""
    used = [names_in(each.file.path, each.file.text(each.function.first, each.function.last)) for each in weighed]
    names = set[str]().union(*used)
    for file in files:
        for statement in file.top_level:
            if statement.sets_a_value and statement.names & names:
                rows = range(statement.block.first, statement.block.last + 1)
                yield from (LineLocation(file.path, number) for number in rows if _VALUE.search(file.lines[number - 1]))


_GOES_ON = ("(", "[", "{", ",", "\\", "+", "=>", "&&", "||", " and", " or")
"""Ends of a line whose statement continues on the next."""
_KINDS = (
    re.compile(r"\b(?:return|yield)\b|=>\s*[^{\s]"),
    re.compile(r"^\}?\s*(?:if|elif|else if|while|case|switch|assert)\b"),
    re.compile(r"^(?:export )?(?:default )?(?:async )?(?:def|function)\b.*[^=!<>]=[^=>]|^\w+\(.*\w = .*\) \{$"),
    re.compile(r"^for\b"),
    re.compile(r"[^=!<>]=[^=>]|\+\+|--"),
    re.compile(r"\b(?:raise|throw)\b"),
    re.compile(
        r"^(?:(?:await|new|go|defer) )?[\w.$\[\]'\"]+\(.*(?:\);?|=> \(?\{|[(\[])$"
        r"|^\.\w+\(|^\w+: .*,$|^(?:break|continue);?$"
    ),
)
_VALUE = re.compile(r"[=:].*[\w'\"\])}]")


_RETURNS = re.compile(r"return (.+?);?$")
_CONDITION = re.compile(r"\}?\s*(?:if|elif|else|while|for|case)\b")
_DECIDES = re.compile(r"\breturn\b|=>\s*[^{\s]|^\}?\s*(?:if|elif|else if|while|case)\b")
_CALLED = re.compile(r"(\w+)\s*\(")


def wrong_branches(failures: Sequence[str], weighed: Sequence[Weighed]) -> Iterator[LineLocation]:
    """If a failure got or expected a value that some branch returns literally: the condition of that branch, and the
    deciding lines in the functions that the condition calls."""
    values = {_plain(value) for pair in actual_and_expected(failures) for value in pair}
    for each in weighed:
        for number in range(each.function.first, each.function.last + 1):
            found = _RETURNS.match(each.file.lines[number - 1].strip())
            guard = _guard(each, number) if found and _plain(found[1]) in values else None
            if guard:
                yield LineLocation(each.file.path, guard)
                yield from _called_from(each.file.lines[guard - 1], weighed)


def _guard(each: Weighed, number: int) -> int | None:
    lines = each.file.lines
    for above in range(number - 1, each.function.first, -1):
        line = lines[above - 1]
        if line.strip() and _indent(line) < _indent(lines[number - 1]):
            return above if _CONDITION.match(line.strip()) else None
    return None


def _called_from(condition: str, weighed: Sequence[Weighed]) -> Iterator[LineLocation]:
    called = set(_CALLED.findall(condition))
    for other in weighed:
        if other.function.name.rpartition(".")[2] in called:
            for number in range(other.function.first, other.function.last + 1):
                if _DECIDES.search(other.file.lines[number - 1].strip()):
                    yield LineLocation(other.file.path, number)


def _plain(value: str) -> str:
    """So that `0`, `0.0` and `'0'` of another language are equal."""
    text = value.strip().strip("'\"`")
    try:
        return str(float(text))
    except ValueError:
        return text.lower()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
