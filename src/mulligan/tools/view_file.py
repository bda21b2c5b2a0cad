"""Read a file, or a range of its lines."""

from collections.abc import Mapping
from typing import Any

from mulligan.ports.files import FileText, Workspace
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Outcome, Succeeded

DEFAULT_LINES = 200
MAX_LINES = 500
MAX_LINE_CHARS = 500
"""Most characters of one line to show."""
MAX_RESULT_CHARS = 24_000
"""About 6,000 tokens."""


class ViewFileArguments(Record):
    path: str = field(min_length=1, description="Relative to the project.")
    start_line: int = field(default=1, description="From 1.")
    end_line: int | None = field(default=None, description="Inclusive; 200 lines if left out, at most 500.")


class ViewFile:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec = tool_spec("view_file", "Read a file of the project, with line numbers.", ViewFileArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(ViewFileArguments, arguments)
        # Those who count from 0 mean the first line too.
        start = 1 if asked.start_line == 0 else asked.start_line
        if start < 1:
            raise CallRejected("schema_reject", f"start_line is {start}; lines are numbered from 1.")
        end = start + DEFAULT_LINES - 1 if asked.end_line is None else asked.end_line
        if end < start:
            raise CallRejected("schema_reject", f"end_line ({end}) is before start_line ({start}).")
        return Succeeded(show_lines(await self._workspace.read_text(asked.path), start, end))


def show_lines(file: FileText, start: int, end: int) -> str:
    """The lines from `start` to `end`, numbered, as far as they fit, and how to get the rest. Raises `CallRejected` if
    the file ends before `start`.
    """
    total = len(file.lines)
    encoding = "" if file.encoding == "utf-8" else f", decoded as {file.encoding}"
    if total == 0 and start == 1:
        return f"{file.path} is empty (0 lines{encoding})."
    if start > total:
        raise CallRejected("exec_error", f"{file.path} has {counted(total, 'line')}; there is no line {start}.")
    end = min(end, total, start + MAX_LINES - 1)
    numbered = _number(file.lines[start - 1 : end], start, width=len(str(end)))
    last = start + len(numbered) - 1
    header = f"{file.path} (lines {start}-{last} of {total}{encoding})"
    rest = [f"[lines {last + 1}-{total} not shown; call view_file with start_line={last + 1}]"] if last < total else []
    return "\n".join([header, *numbered, *rest])


def _number(lines: tuple[str, ...], start: int, *, width: int) -> list[str]:
    """At least one line, and no more than fit into a result."""
    numbered: list[str] = []
    chars_left = MAX_RESULT_CHARS
    for number, line in enumerate(lines, start):
        shown = f"{number:>{width}}: {_cut(line)}"
        chars_left -= len(shown) + 1
        if chars_left < 0 and numbered:
            break
        numbered.append(shown)
    return numbered


def _cut(line: str) -> str:
    over = len(line) - MAX_LINE_CHARS
    return line if over <= 0 else f"{line[:MAX_LINE_CHARS]}… [{over} more characters]"
