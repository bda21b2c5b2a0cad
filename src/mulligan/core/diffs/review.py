"""Reviews a diff: how it is divided for the model, what the model is asked, and which of its findings count."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from mulligan.core.diffs.patch import FileDiff
from mulligan.core.line_diff import NumberedLine
from mulligan.core.safe_text import one_line
from mulligan.types.model_io import AssistantReply, SystemText, UserText, WireMessage

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

MAX_FINDINGS = 20
"""In one portion. A reply with more is not a review."""
MAX_TEXT_CHARS = 400
MAX_LINE_CHARS = 1_000
"""Characters of a line to show. Longer lines are not written by hand."""
MIN_QUOTE_CHARS = 4
"""Fewest characters of quoted code to place a finding by."""

SYSTEM = (
    "You review a change to a software project. You are shown lines with their numbers: + was added, - was removed. "
    "Report only problems that this change brings: wrong results, crashes, lost data, security holes, broken callers. "
    "No style, no praise, no summary. Write one line for each problem:\n"
    "PATH:LINE: SEVERITY: what goes wrong, and when\n"
    "SEVERITY is error, warning or note. LINE is one of the numbers that are shown. If there is no problem, reply with "
    "the one word: none"
)
AGAIN = (
    "That can't be read. Write one line for each problem, as PATH:LINE: SEVERITY: TEXT, or the one word none if there "
    "is no problem."
)


@dataclass(frozen=True, slots=True)
class Portion:
    """The part of a diff for one request."""

    files: tuple[tuple[FileDiff, tuple[NumberedLine, ...]], ...]
    """Each with its lines to show."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(file.path for file, _ in self.files))

    @property
    def text(self) -> str:
        return "\n\n".join(_shown(file, lines) for file, lines in self.files)


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    path: str
    line: int
    """Line number after the change."""
    severity: Severity
    text: str
    given_line: int | None = None
    """The line that the model named, if the code it quotes is on another line."""


@dataclass(frozen=True, slots=True)
class DroppedFinding:
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class ReadReview:
    findings: tuple[ReviewFinding, ...] = ()
    dropped: tuple[DroppedFinding, ...] = ()


def portions(files: Sequence[FileDiff], char_limit: int, *, one_file: bool) -> list[Portion]:
    """The diff in portions of at most `char_limit` characters, in order; with `one_file`, each has only one file."""
    made: list[Portion] = []
    left = 0
    for file, lines in _pieces(files, char_limit):
        size = len(_shown(file, lines)) + 2
        fits = bool(made) and size <= left and (not one_file or made[-1].files[-1][0] is file)
        if fits:
            made[-1] = Portion((*made[-1].files, (file, lines)))
        else:
            made.append(Portion(((file, lines),)))
            left = char_limit
        left -= size
    return made


def review_question(portion: Portion, instructions: str = "") -> tuple[WireMessage, ...]:
    conventions = f"\n\nHow work is done in this project:\n{instructions}" if instructions else ""
    return SystemText(SYSTEM), UserText(f"{portion.text}{conventions}\n\nWhich problems does this change bring?")


def asked_again(reply: str) -> tuple[WireMessage, ...]:
    return AssistantReply(reply or "(nothing)"), UserText(AGAIN)


def read_review(reply: str, portion: Portion) -> ReadReview | None:
    """The findings in a reply about this portion; None if it can't be read.

    A finding that names no line of the portion is moved to the one line with the code it quotes, or dropped.
    """
    matches = [found for found in map(_FINDING.match, map(_unmarked, reply.splitlines())) if found]
    if not matches:
        return ReadReview() if _NONE.match(reply.strip().strip("`*_\"'")) else None
    findings: dict[tuple[str, int, str], ReviewFinding] = {}
    dropped: list[DroppedFinding] = []
    for found in matches[:MAX_FINDINGS]:
        text = one_line(found["text"], MAX_TEXT_CHARS)
        if _NONE.match(text):
            continue
        placed = _placed(found, text, portion)
        if isinstance(placed, DroppedFinding):
            dropped.append(placed)
        else:
            findings.setdefault((placed.path, placed.line, placed.text), placed)
    return ReadReview(tuple(findings.values()), tuple(dropped))


def fails(findings: Sequence[ReviewFinding], at: Severity | None) -> bool:
    """Whether one of them is at least this severe."""
    return at is not None and any(SEVERITIES.index(each.severity) <= SEVERITIES.index(at) for each in findings)


_NONE = re.compile(
    r"(?:none|nothing|lgtm|n/?a|ok|looks (?:good|fine)|(?:there (?:is|are) )?no (?:\w+ ){0,2}"
    r"(?:problems?|issues?|findings?|bugs?|errors?)(?: (?:found|detected|here))?)\b",
    re.IGNORECASE,
)
_SEVERITY_WORDS: dict[str, Severity] = {
    **dict.fromkeys(("error", "bug", "critical", "severe", "high", "major", "blocker", "fatal"), "error"),
    **dict.fromkeys(("warning", "warn", "medium", "moderate", "minor", "issue", "problem", "concern"), "warning"),
    **dict.fromkeys(("note", "info", "low", "nit", "nitpick", "suggestion", "hint", "style"), "note"),
}
_FINDING = re.compile(
    r"(?:(?P<path>[^\s:][^:\n]{0,300}):\s*)?(?:lines?\s*|L)?(?P<line>\d{1,7})(?:\s*[-\u2013,]\s*\d{1,7}|:\d{1,5}(?=:))?\s*"
    rf"[:)]\s*[\[(]?(?:(?P<severity>{'|'.join(_SEVERITY_WORDS)})[\])]?\s*[:\u2013\u2014-]\s*)?(?P<text>\S.*)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\n]{1,200})`")


def _pieces(files: Sequence[FileDiff], char_limit: int) -> Iterator[tuple[FileDiff, tuple[NumberedLine, ...]]]:
    """Hunks; one longer than `char_limit` is split."""
    for file in files:
        line_chars = char_limit - len(_heading(file)) - 2
        for hunk in file.hunks if not file.withheld else ():
            left, piece = line_chars, list[NumberedLine]()
            for line in hunk:
                size = len(_numbered(line)) + 1
                if piece and size > left:
                    yield file, tuple(piece)
                    left, piece = line_chars, []
                piece.append(line)
                left -= size
            yield file, tuple(piece)


def _shown(file: FileDiff, lines: Sequence[NumberedLine]) -> str:
    return "\n".join([_heading(file), *map(_numbered, lines)])


def _heading(file: FileDiff) -> str:
    return f"File {file.path} ({file.change}):"


def _numbered(line: NumberedLine) -> str:
    return f"{line.new or '':>6} {line.mark} {line.text[:MAX_LINE_CHARS]}"


def _unmarked(line: str) -> str:
    line = re.sub(r"^\s*(?:[-*•>]\s+|\d{1,2}[.)]\s+)?", "", line[:2_000])
    return re.sub(r"^[`*]+|(?<=[:\w])(?:\*\*|`)(?=\s*:|:)|(?<=: )\*\*|\*\*(?=:)", "", line).replace("`:", ":").strip()


def _placed(found: re.Match[str], text: str, portion: Portion) -> ReviewFinding | DroppedFinding:
    written = one_line(found[0], MAX_TEXT_CHARS)
    path = _path_meant(found["path"], portion.paths)
    if path is None:
        return DroppedFinding(written, "it names no file of the diff")
    lines = [line for file, shown in portion.files if file.path == path for line in shown if line.new is not None]
    number = int(found["line"])
    severity = _SEVERITY_WORDS.get((found["severity"] or "warning").lower(), "warning")
    finding = ReviewFinding(path, number, severity, text)
    if any(line.new == number for line in lines):
        return finding
    quoted = [quote.strip() for quote in _QUOTED.findall(text) if len(quote.strip()) >= MIN_QUOTE_CHARS]
    holding = {line.new for line in lines if line.mark == "+" and any(quote in line.text for quote in quoted)}
    if len(holding) == 1 and (there := holding.pop()):
        return replace(finding, line=there, given_line=number)
    return DroppedFinding(written, f"line {number} of {path} is not in the diff")


def _path_meant(written: str | None, paths: Sequence[str]) -> str | None:
    """By the whole path, or by its end if only one file has it."""
    if written is None:
        return paths[0] if len(paths) == 1 else None
    name = written.strip().strip("`*\"'").removeprefix("File ").removeprefix("./")
    ending = [path for path in paths if path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}")]
    if name in paths:
        return name
    if len(ending) == 1:
        return ending[0]
    return paths[0] if len(paths) == 1 and name.lower() in ("path", "line", "file") else None
