"""Commands that a model wants to run: what the policy says of them, and their results."""

from typing import TYPE_CHECKING, Literal

from mulligan.types.frozen import frozen
from mulligan.types.sandbox import Blocked, Opened

if TYPE_CHECKING:
    from mulligan.types.permissions import PermissionRule

Decision = Literal["allow", "ask", "deny"]

CommandKind = Literal["read", "test", "lint", "build", "install", "app", "write", "network", "git", "unknown"]
"""What a command does, in the terms of budgets and of the user who is asked."""


MAY_WRITE: frozenset[CommandKind] = frozenset({"write", "install", "git", "unknown", "network", "build", "app"})

ABOUT_THE_PROJECT: frozenset[CommandKind] = frozenset({"git", "install"})
"""What they change is the repository or what is installed, and the user who says yes means their own: a commit in
another work tree would be on no branch."""


@frozen
class PolicyVerdict:
    """What the policy says of a whole command line: the strictest word on any part of it."""

    decision: Decision
    reason: str
    """A sentence for the user who is asked and the model that is refused. It names the part that decided."""
    kinds: frozenset[CommandKind]
    """Of all its parts."""
    by_rules: "tuple[PermissionRule, ...]" = ()
    """Rows of the user's own table that decided it, where the decision is theirs alone."""
    opens: frozenset[Opened] = frozenset()
    """What a yes gives the command beyond the sandbox."""
    removes: bool = False
    """It deletes files or overwrites them unseen."""
    is_command: bool = True
    """Not what an external agent wants to do beside running one."""
    rule: str = ""
    """The beginning of commands that the user can allow for good instead of this one alone. Empty: none fits."""


@frozen
class Approval:
    """What the user answered."""

    granted: bool
    reason: str = ""
    """What they said with a no. The model reads it."""


DENIED = Approval(granted=False)


@frozen
class CommandResult:
    """A command that was run."""

    command: str
    exit_code: int | None
    """None if it was stopped. Negative for a signal."""
    timed_out: bool
    stdout: str
    """Head and tail where it was long; how much is missing stands between them."""
    stderr: str
    seconds: float
    blocked: tuple[Blocked, ...] = ()
    """What the sandbox kept from it."""


@frozen
class ChatCommandResult:
    """A command of a chat, and what it had to do with the chat's pending changes."""

    result: CommandResult
    seen: int = 0
    """How many pending changes were applied where it ran."""
    unseen: int = 0
    """How many were not."""
    why_unseen: str = ""
    """The end of a sentence."""
    changed: tuple[str, ...] | None = ()
    """Files of the project that it changed; None where that can't be told."""
    left_out: tuple[str, ...] = ()
    """What it changed and no pending change holds, each with the reason."""
    state: str | None = None
    """The project afterwards, by content, where it changed something."""
