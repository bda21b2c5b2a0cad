"""A finding about one part of a command."""

from mulligan.types.commands import CommandKind, Decision
from mulligan.types.frozen import frozen
from mulligan.types.permissions import PermissionRule

APPROVAL = "it needs the user's approval."

WHY: dict[CommandKind, str] = {
    "read": "only reads.",
    "test": "runs tests.",
    "lint": "checks the code.",
    "build": "builds the project.",
    "app": "runs code of the project.",
    "install": f"installs packages: {APPROVAL}",
    "network": f"uses the network: {APPROVAL}",
    "write": "changes files directly: what edit_file, create_file and delete_file do can be reviewed first, "
    f"this can't, so {APPROVAL}",
    "git": f"changes the git repository: {APPROVAL}",
    "unknown": f"is not known to be harmless: {APPROVAL}",
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
    """`why` is a part of a sentence, which here gets its end."""
    return PolicyFinding("ask", kind, f"{why}: {APPROVAL}")


def deny(why: str, kind: CommandKind = "unknown") -> PolicyFinding:
    return PolicyFinding("deny", kind, why)
