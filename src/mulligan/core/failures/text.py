"""Output as readable lines: no colours, no overwritten progress, limited in number and length."""

import re
from collections.abc import Iterable, Sequence

MAX_LINE_CHARS = 1_000
FIRST_LINES = 10_000
LAST_LINES = 20_000
"""Lines at the end to read, if an output has more than both limits together."""

MAX_MESSAGE_CHARS = 200
MAX_DETAIL_CHARS = 1_500
DETAIL_HEAD = 500
"""Characters at the start of a long detail; the rest of the room is for its end, where the error is."""

ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
CHANGING = re.compile(r"\b0x[0-9a-fA-F]{4,}\b|(?<=\bline )\d+\b")
"""What differs between runs: addresses, and line numbers that an edit changes."""

FRAME = re.compile(r'\s+File "[^"]{1,400}", line \d+')
EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?::\s|$)")
"""The line of a Python traceback that names the exception."""


def readable_lines(*outputs: str) -> list[str]:
    """The lines of these outputs, one after the other."""
    text = "\n".join(output for output in outputs if output)
    lines = ESCAPE.sub("", text).split("\n")
    if len(lines) > FIRST_LINES + LAST_LINES:
        lines = lines[:FIRST_LINES] + lines[-LAST_LINES:]
    return [_shown(line) for line in lines]


def short_line(text: str, at_most: int = MAX_MESSAGE_CHARS) -> str:
    short = " ".join(text[: 4 * at_most].split())
    return short if len(short) <= at_most else short[: at_most - 1].rstrip() + "…"


def detail_of(lines: Iterable[str]) -> str:
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    if len(text) <= MAX_DETAIL_CHARS:
        return text
    head = text[:DETAIL_HEAD].rpartition("\n")[0] or text[:DETAIL_HEAD]
    tail = text[-(MAX_DETAIL_CHARS - DETAIL_HEAD - 3) :]
    return f"{head}\n…\n" + (tail.partition("\n")[2] or tail)


def without_changes(text: str) -> str:
    """The text without what differs between runs."""
    return CHANGING.sub("…", text)


def first_text(lines: Iterable[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


def exception_in(lines: Sequence[str]) -> str:
    """The exception that ended a Python traceback: of several in a chain, the last."""
    found = ""
    in_traceback = False
    for line in lines:
        if line.startswith("Traceback (most recent call last)") or FRAME.match(line):
            in_traceback = True
        elif in_traceback and line[:1].strip() and EXCEPTION.match(line):
            found, in_traceback = line, False
    return found.strip()


def _shown(line: str) -> str:
    """A progress bar overwrites its line: only the last state is visible."""
    line = line.rstrip("\r").rpartition("\r")[2][:MAX_LINE_CHARS]
    return CONTROL.sub("", line)
