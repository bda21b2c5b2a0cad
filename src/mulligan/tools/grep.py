"""Search the content of files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mulligan.ports.files import GrepQuery, GrepResult, Workspace
from mulligan.runtime.counted import counted
from mulligan.tools.arguments import read_arguments, shown_path, tool_spec
from mulligan.types.base import Record, field
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import CallTrace, Outcome, Succeeded


class GrepArguments(Record):
    pattern: str = field(min_length=1, description="Regular expression.")
    path: str = field(default=".", description="File or folder.")
    glob: str | None = field(default=None, description="Only files like `*.py`.")
    ignore_case: bool = False
    fixed: bool = field(default=False, description="The pattern is plain text.")


class Grep:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec = tool_spec("grep", "Search the content of files. Answers `path:line: text`.", GrepArguments)

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        asked = read_arguments(GrepArguments, arguments)
        query = GrepQuery(
            pattern=asked.pattern,
            path=asked.path,
            glob=asked.glob or None,
            fixed=asked.fixed,
            ignore_case=asked.ignore_case,
        )
        try:
            return _shown(query, await self._workspace.grep(query))
        except CallRejected as rejected:
            if query.fixed or rejected.kind != "schema_reject":
                raise
            # An invalid expression was most likely meant as text: `print(`, `a[0`.
            query = replace(query, fixed=True)
            note = f"Not a regular expression ({rejected}), so it was searched for as plain text.\n"
            return _shown(query, await self._workspace.grep(query), note)


def _shown(query: GrepQuery, result: GrepResult, note: str = "") -> Succeeded:
    read = tuple(dict.fromkeys(match.path for match in result.matches))
    return Succeeded(note + show_matches(query, result), trace=CallTrace(read=read))


def show_matches(query: GrepQuery, result: GrepResult) -> str:
    if not result.total:
        return f"No line matches {query.pattern!r}{_where(query)}.{_hint(query)}"
    lines = [f"{match.path}:{match.line}: {match.text}" for match in result.matches]
    shown = len(lines)
    found = f"{counted(result.total, 'matching line')} in {counted(result.files, 'file')}"
    if shown == result.total:
        return "\n".join([f"{found}:", *lines])
    return "\n".join(
        [f"The first {shown} of {found}; narrow the search with path, glob or pattern to see others:", *lines]
    )


def _where(query: GrepQuery) -> str:
    return f" in {shown_path(query.path)}" + (f" in files like {query.glob}" if query.glob else "")


def _hint(query: GrepQuery) -> str:
    if r"\|" in query.pattern and not query.fixed:
        return r" Alternatives are separated by |, not by \|."
    loosen = [] if query.ignore_case else ["ignore_case"]
    loosen += [] if query.fixed else ["a shorter pattern"]
    loosen += ["no glob"] if query.glob else []
    tries = f" Try {' or '.join(loosen)}." if loosen else ""
    return f" Files that .gitignore covers were not searched.{tries}"
