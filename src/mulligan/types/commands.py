"""Commands that a model wants to run: the policy's verdicts, and results."""

from typing import TYPE_CHECKING, Literal

from mulligan.types.frozen import frozen
from mulligan.types.sandbox import AccessKind, Blocked

if TYPE_CHECKING:
    from mulligan.types.permissions import PermissionRule

Decision = Literal["allow", "ask", "deny"]

CommandKind = Literal["read", "test", "lint", "build", "install", "app", "write", "network", "git", "unknown"]
"""What a command does, as budgets count it and as the user is asked about it."""


MAY_WRITE: frozenset[CommandKind] = frozenset({"write", "install", "git", "unknown", "network", "build", "app"})

ABOUT_THE_PROJECT: frozenset[CommandKind] = frozenset({"git", "install"})
"""Kinds that change the repository or what is installed. If the user approves, they mean their own: a commit in another
work tree would be on no branch."""


@frozen
class PolicyVerdict:
    """The policy's verdict on a whole command line: the strictest verdict on any part of it."""

    decision: Decision
    reason: str
    """A sentence for the user or the model. It names the part that decided."""
    kinds: frozenset[CommandKind]
    """The kinds of all its parts."""
    by_rules: "tuple[PermissionRule, ...]" = ()
    """Rows of the user's table that decided it, if only they did."""
    opens: frozenset[AccessKind] = frozenset()
    """Access beyond the sandbox that the command gets if it is approved."""
    removes: bool = False
    """Whether it deletes files, or overwrites them without showing their content."""
    is_command: bool = True
    """False for other actions that an external agent asks for."""
    rule: str = ""
    """The beginning of commands that the user could allow permanently instead of this one alone. Empty: none fits."""


@frozen
class Approval:
    """The user's answer."""

    granted: bool
    reason: str = ""
    """Why not, in the user's words. The model reads it."""


DENIED = Approval(granted=False)


@frozen
class CommandResult:
    """The result of a command."""

    command: str
    exit_code: int | None
    """None if it was stopped. Negative for a signal."""
    timed_out: bool
    stdout: str
    """Head and tail of a long output, with a note between them about how much is missing."""
    stderr: str
    seconds: float
    blocked: tuple[Blocked, ...] = ()
    """What the sandbox blocked."""


@frozen
class ChatCommandResult:
    """The result of a chat's command, and how it relates to the chat's pending changes."""

    result: CommandResult
    seen: int = 0
    """How many pending changes were applied where it ran."""
    unseen: int = 0
    """How many were not applied."""
    why_unseen: str = ""
    """Why not, as the end of a sentence."""
    changed: tuple[str, ...] | None = ()
    """Files of the project that it changed; None if unknown."""
    left_out: tuple[str, ...] = ()
    """Changed files that no pending change contains, each with the reason."""
    state: str | None = None
    """Hash of the project's content afterwards, if it changed something."""
