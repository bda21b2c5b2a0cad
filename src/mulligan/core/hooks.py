"""Which of the user's hooks run at an event, and what their answers mean."""

import json
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast

from mulligan.core.globs import glob_regex
from mulligan.core.safe_text import one_line
from mulligan.types.hooks import Formatter, Hook, HookAnswer, HookEvent

VETO = 2
"""The exit code by which a hook denies."""
MAX_REASON_CHARS = 2_000
MAX_COMMAND_CHARS = 80


def hooks_at(hooks: Sequence[Hook], event: HookEvent, *, tool: str = "", paths: Sequence[str] = ()) -> Iterator[Hook]:
    """The hooks for this event, in the order of the file."""
    for hook in hooks:
        if hook.event != event or (tool and not fnmatchcase(tool, hook.tool)):
            continue
        if hook.path is None or any(glob_regex(hook.path).fullmatch(path) for path in paths):
            yield hook


def formatter_for(formatters: Sequence[Formatter], path: str) -> Formatter | None:
    return next((each for each in formatters if glob_regex(each.path).fullmatch(path)), None)


def read_hook(hook: Hook, *, exit_code: int | None, timed_out: bool, stdout: str, stderr: str) -> HookAnswer:
    """A denial is exit code 2, with the reason on standard error, or JSON: `{"decision": "deny", "reason": "…"}`.

    Any other exit code except 0 is a failure of the hook itself.
    """
    name = f"the hook `{one_line(hook.command, MAX_COMMAND_CHARS)}`"
    if timed_out:
        return HookAnswer(troubles=(f"{name} took longer than {hook.timeout:g} s",))
    if exit_code == VETO:
        reason = stderr.strip() or _reason(stdout) or stdout.strip()
        return HookAnswer(veto=reason[:MAX_REASON_CHARS] or f"{name} gave no reason")
    if exit_code != 0:
        why = one_line(stderr.strip(), 200)
        return HookAnswer(troubles=(f"{name} ended with exit code {exit_code}{f': {why}' if why else ''}",))
    if reason := _reason(stdout):
        return HookAnswer(veto=reason[:MAX_REASON_CHARS])
    return HookAnswer()


def _reason(stdout: str) -> str:
    """Empty if the output denies nothing."""
    try:
        answer: Any = json.loads(stdout)
    except ValueError:
        return ""
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    if fields.get("decision") not in ("deny", "block"):
        return ""
    return str(fields.get("reason") or "it gave no reason").strip()
