"""What an external agent may do in its work tree without the user's approval, and what it may not do even with it."""

from mulligan.core.command_policy.places import Folder
from mulligan.core.permissions import READS, ToolUse, judge_use
from mulligan.types.agents import PermissionRequest
from mulligan.types.commands import CommandKind, PolicyVerdict
from mulligan.types.permissions import COMMAND_TOOL, NO_PERMISSIONS, Permissions

CHANGES = frozenset({"edit", "delete", "move"})
"""Kinds of requests that change files, as named by the Agent Client Protocol."""
READ_KINDS = frozenset({"read", "search"})

_TOOLS = {"edit": "edit_file", "move": "edit_file", "delete": "delete_file"}
"""Our tool that does the same: the user's rules name our tools."""
_KINDS: dict[str, CommandKind] = {"fetch": "network", "execute": "unknown"}


def judge_request(
    request: PermissionRequest, *, folder: str, permissions: Permissions = NO_PERMISSIONS
) -> PolicyVerdict:
    """Whether a request is granted, needs the user's answer, or is denied. `folder` is the agent's folder, absolute.

    Paths are judged as text: the caller resolves links first.
    """
    if request.command is not None:
        return judge_use(ToolUse(COMMAND_TOOL, request.command), permissions, project=folder)
    kind, project = request.kind.casefold(), Folder.at_start(folder)
    paths = tuple(each for path in request.paths for each in project.inside(path))
    ruled = judge_use(ToolUse(_TOOLS.get(kind, READS), paths=paths), permissions)
    if ruled.by_rules and ruled.decision != "allow":
        return ruled
    if request.paths and (kind in CHANGES or (kind not in READ_KINDS and not _all_inside(request.paths, project))):
        return _judge_changes(request.paths, project)
    if (
        kind in READ_KINDS
        and request.paths
        and all(project.where(path) in {"inside", "project"} for path in request.paths)
    ):
        return PolicyVerdict("allow", "It looks at files of its own work tree.", frozenset({"read"}))
    reason = f"The agent wants to {_KNOWN.get(kind, 'do something that Mulligan can not judge')}."
    return PolicyVerdict("ask", reason, frozenset({_KINDS.get(kind, "unknown")}), is_command=False)


def _judge_changes(paths: tuple[str, ...], project: Folder) -> PolicyVerdict:
    for path in paths:
        if project.where(path) != "inside":
            return PolicyVerdict("deny", f"{path} is outside the agent's work tree.", frozenset({"write"}))
        if project.is_internal(path):
            return PolicyVerdict("deny", f"{path} belongs to git or to Mulligan.", frozenset({"write"}))
    return PolicyVerdict("allow", "It changes files of its own work tree.", frozenset({"write"}))


_KNOWN = {
    "read": "read files outside of its work tree",
    "search": "search outside of its work tree",
    "edit": "change files, and does not say which",
    "delete": "delete files, and does not say which",
    "move": "move files, and does not say which",
    "execute": "run a command, and does not say which",
    "fetch": "fetch something from the network",
    "switch_mode": "work in another mode, in which it may ask for less",
}


def _all_inside(paths: tuple[str, ...], project: Folder) -> bool:
    return all(project.where(path) in {"inside", "project"} for path in paths)
