"""The result of a tool that changed a file."""

from mulligan.core.line_diff import unified_diff
from mulligan.ports.changes import Staged
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.diagnostics import Diagnostics
from mulligan.types.tool_calls import Succeeded

MAX_DIFF_LINES = 60

_DONE = {"create": "Created", "edit": "Edited", "delete": "Deleted"}


async def staged_outcome(staged: Staged, syntax: SyntaxCheck, diagnostics: Diagnostics | None) -> Succeeded:
    """What changed, as a diff, and what it broke."""
    change = staged.change
    lines = [f"{_DONE[change.kind]} {change.path}" + (":" if change.kind == "edit" else ".")]
    if change.status != "applied":
        lines[0] = f"Staged: {lines[0][0].lower()}{lines[0][1:]}"
    lines += [*([_diff(staged)] if change.kind == "edit" else []), *staged.notes]
    broken = [] if staged.after is None else _broken(staged.before, staged.after, change.path, syntax)
    if diagnostics and not broken:  # for a file that can't be parsed, checkers say the same in more words
        broken += await diagnostics.after_edit(change.path, deleted=change.kind == "delete")
    lines += broken
    return Succeeded("\n".join(lines), state=staged.state)


def _diff(staged: Staged) -> str:
    lines = unified_diff(staged.before, staged.after, staged.change.path, context=1).splitlines()[2:]
    over = len(lines) - MAX_DIFF_LINES
    return "\n".join(lines if over <= 0 else [*lines[:MAX_DIFF_LINES], f"[{over} more lines of the diff]"])


def _broken(before: str | None, after: str, path: str, syntax: SyntaxCheck) -> list[str]:
    problems = syntax.new_problems(path, before, after)
    if not problems:
        return []
    return [
        f"But {path} has a syntax error now that it did not have before. Look at these lines and fix them:",
        *(f"line {problem.line}: {problem.text.strip()}" for problem in problems),
    ]
