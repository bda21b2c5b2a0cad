"""An agent's permission requests, and which of its own options to choose. Imports the SDK."""

import shlex
from collections.abc import Sequence

from acp.schema import AllowedOutcome, DeniedOutcome, PermissionOption, RequestPermissionResponse

from mulligan.backends.acp.updates import SeenCall
from mulligan.runtime.lenient_json import as_object
from mulligan.types.agents import PermissionRequest
from mulligan.types.tool_calls import JsonObject

COMMAND_NAMES = ("command", "cmd", "script")
PATH_NAMES = ("file_path", "filePath", "path", "abs_path", "filepath", "notebook_path")
EDITING = frozenset({"edit", "write", "create", "str_replace", "apply_patch"})
"""Tools that change files."""


def as_request(call: SeenCall) -> PermissionRequest:
    """The question for the user, from everything that the agent said about the call."""
    arguments = as_object(call.arguments)
    named = [arguments[name] for name in PATH_NAMES if isinstance(arguments.get(name), str)]
    return PermissionRequest(
        title=call.title or call.kind or "a tool",
        kind=_kind(call, named),
        command=_command(arguments),
        paths=tuple(dict.fromkeys((*call.paths, *named))),
    )


def answer(options: Sequence[PermissionOption], *, allowed: bool | None) -> RequestPermissionResponse:
    """The option to choose, by its kind since ids differ. None: the question is withdrawn.

    Never a permanent one: the next call may be different. If the matching one is not offered, `cancelled` is the
    protocol's no.
    """
    wanted = {True: "allow_once", False: "reject_once", None: None}[allowed]
    for option in options:
        if option.kind == wanted:
            return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option.option_id))
    return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))


def _command(arguments: JsonObject) -> str | None:
    for name in COMMAND_NAMES:
        match arguments.get(name):
            case str() as line if line:
                return line
            case [*words] if words and all(isinstance(word, str) for word in words):
                return shlex.join(words)
            case _:
                continue
    return None


def _kind(call: SeenCall, named: Sequence[str]) -> str:
    """goose reports `other` for every tool; the first word of the title is the kind: `edit · PATH`."""
    if call.kind in {"", "other"} and named and call.title.partition(" ")[0] in EDITING:
        return "edit"
    return call.kind
