"""A finding about one part of a command."""

from mulligan.types.commands import CommandKind, Decision
from mulligan.types.frozen import frozen
from mulligan.types.permissions import PermissionRule

REVIEWABLE = (
    "what edit_file, create_file and delete_file do can be reviewed first, this can't, so it needs the user's yes."
)

WHY: dict[CommandKind, str] = {
    "read": "only reads.",
    "test": "runs tests.",
    "lint": "checks the code.",
    "build": "builds the project.",
    "app": "runs code of the project.",
    "install": "installs packages: it needs the user's yes.",
    "network": "uses the network: it needs the user's yes.",
    "write": f"changes files directly: {REVIEWABLE}",
    "git": "changes the git repository: it needs the user's yes.",
    "unknown": "is not known to be harmless: it needs the user's yes.",
}

ALLOWED_KINDS: frozenset[CommandKind] = frozenset({"read", "test", "lint", "build", "app"})


@frozen
class PolicyFinding:
    decision: Decision
    kind: CommandKind
    why: str
    """The rest of a sentence that begins with the part."""
    rule: PermissionRule | None = None
    """The user's rule that decided."""
    removes: bool = False
    """Deletes files, or overwrites them without showing."""


def of_kind(kind: CommandKind) -> PolicyFinding:
    """The default finding for a kind of command."""
    return PolicyFinding("allow" if kind in ALLOWED_KINDS else "ask", kind, WHY[kind])


def ask(why: str, kind: CommandKind = "unknown") -> PolicyFinding:
    return PolicyFinding("ask", kind, why)


def deny(why: str, kind: CommandKind = "unknown") -> PolicyFinding:
    return PolicyFinding("deny", kind, why)
