"""Linters, type checkers, formatters and compilers: their findings, and in which file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.core.failures.text import detail_of, short_line, without_changes
from mulligan.types.fixing import FailingTest

GNU = re.compile(r"\s*(?:vet: )?([^\s:()\"'`]{1,400}):(\d{1,7})(?::\d+)?(?::| -) (\S.*)$")
"""`path:line:column: message`, the most common format."""
TSC = re.compile(r"([^\s():]{1,400})\((\d{1,7}),\d+\): (\S.*)$")
OF_PROJECT = re.compile(r" \[\S{1,400}proj\]$")
"""MSBuild adds the project it was building."""
ARROW = re.compile(r"\s*-+> ([^\s:]{1,400}):(\d{1,7})(?::\d+)?$")
"""ruff and cargo, below the line with the message."""
ESLINT_ROW = re.compile(r"\s+(\d{1,7}):\d+\s+(error|warning)\s+\S")
BIOME = re.compile(
    r"(\S{1,400}?)(?::\d+:\d+)? ((?:lint|assist|suppressions)/\S+|format|parse|organizeImports)\s+[\w ]*━"
)
BIOME_SAYS = re.compile(r"\s*[\N{MULTIPLICATION SIGN}!✖] (\S.*)$")
UNFORMATTED = re.compile(r"[wW]ould reformat:? (\S.*)$")
UNPARSED = re.compile(r"error: cannot (?:format|parse):? ([^\s:]+)(?::\d+:\d+)?(?:: (.+))?$")
PRETTIER = re.compile(r"\[(?:warn|error)\] ([^\s:]*[./][^\s:]*)(?:: (.+))?$")
UNFORMATTED_SAID = "would be reformatted"

SEVERITY = re.compile(r"(?:fatal )?(error|warning|note|info|hint|help)\b:? ?", re.IGNORECASE)
CODE_FIRST = re.compile(r"\[?([A-Z]{1,6}\d{2,5}|invalid-syntax)\]?:? (?:\[\*\] )?(\S.*)$")
CODE_LAST = re.compile(r"(\S.*\S) +[\[(]([a-z](?:[a-z\d]|[-/_](?=[a-z]))*[-/_]?)[\])]$", re.IGNORECASE)
RUST_ERROR = re.compile(r"error(?:\[(\w+)\])?: (\S.*)$")
NO_FINDINGS = frozenset({"note", "info", "hint", "help"})
FILE = re.compile(r"[A-Za-z][\w.@/ -]*\.[A-Za-z]\w{0,9}$|(?:^|/)\w+file$")


@dataclass(frozen=True, slots=True)
class LintFinding:
    path: str
    code: str
    """Empty if the tool gives none."""
    message: str
    lines: tuple[str, ...]
    line: int = 0
    """0 if the tool does not give it."""
    is_warning: bool = False
    """As the tool calls it."""

    def as_failing(self) -> FailingTest:
        message = short_line(self.message)
        return FailingTest(
            id=without_changes(f"{self.path}: {f'{self.code} ' if self.code else ''}{message}"),
            name=self.code or "error",
            path=self.path,
            message=message,
            detail=detail_of(self.lines),
        )


def read_findings(lines: list[str]) -> list[LintFinding]:
    """In the order of the output; the same finding at two places is listed twice."""
    return list(_findings(lines))


def _findings(lines: list[str]) -> Iterator[LintFinding]:
    heading = ""
    before = ""
    for index, line in enumerate(lines):
        row = ESLINT_ROW.match(line)
        if row:
            yield from _of_eslint(heading, line, row)
        else:
            arrow = ARROW.match(line)
            yield from _under_heading(before, arrow, lines, index) if arrow else _on_one_line(line, lines, index)
        if line[:1].strip():
            heading = line.strip()
        before = line


def _on_one_line(line: str, lines: list[str], index: int) -> Iterator[LintFinding]:
    formatter = UNFORMATTED.match(line)
    unparsed = UNPARSED.match(line)
    prettier = PRETTIER.match(line)
    biome = BIOME.match(line)
    located = TSC.match(OF_PROJECT.sub("", line)) or GNU.match(line)
    if formatter:
        yield LintFinding(formatter[1].strip(), "format", UNFORMATTED_SAID, (line,))
    elif unparsed:
        yield LintFinding(unparsed[1], "syntax", unparsed[2] or "cannot be parsed", tuple(lines[index : index + 4]))
    elif prettier:
        code = "syntax" if prettier[2] else "format"
        yield LintFinding(prettier[1], code, prettier[2] or UNFORMATTED_SAID, (line,))
    elif biome:
        below = lines[index + 1 : index + 12]
        message = next((match[1] for each in below if (match := BIOME_SAYS.match(each))), "")
        yield LintFinding(biome[1], biome[2], message, tuple(below))
    elif located and FILE.search(located[1][-100:]):
        severity = SEVERITY.match(located[3])
        word = severity[1].lower() if severity else ""
        if word not in NO_FINDINGS:
            code, message = _code(located[3][severity.end() :] if severity else located[3])
            path = located[1].removeprefix("./")
            yield LintFinding(path, code, message, (line,), int(located[2]), is_warning=word == "warning")


def _code(text: str) -> tuple[str, str]:
    first, last = CODE_FIRST.match(text), CODE_LAST.match(text)
    if first:
        return first[1], first[2]
    return (last[2], last[1]) if last else ("", text)


def _under_heading(heading: str, arrow: re.Match[str], lines: list[str], index: int) -> Iterator[LintFinding]:
    path, line = arrow[1], int(arrow[2])
    rust = RUST_ERROR.match(heading)
    first = CODE_FIRST.match(heading)
    shown = (heading, *lines[index : index + 6])
    if rust:
        yield LintFinding(path, rust[1] or "", rust[2], shown, line)
    elif first:
        yield LintFinding(path, first[1], first[2], shown, line)
    elif heading.startswith("unformatted: "):
        yield LintFinding(path, "format", UNFORMATTED_SAID, shown, line)


def _of_eslint(heading: str, line: str, row: re.Match[str]) -> Iterator[LintFinding]:
    """Columns: location, severity, message, rule."""
    columns = re.split(r"\s{2,}", line.strip())
    if len(columns) >= 3 and FILE.search(heading[-100:]):
        rule = columns[-1] if len(columns) > 3 else ""
        message = " ".join(columns[2:-1] if rule else columns[2:])
        yield LintFinding(heading, rule, message, (heading, line), int(row[1]), is_warning=row[2] == "warning")
