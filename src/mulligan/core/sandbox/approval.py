"""Which commands need the user's approval, given the sandbox they run in."""

from collections.abc import Sequence
from dataclasses import replace

from mulligan.types.commands import CommandKind, PolicyVerdict
from mulligan.types.sandbox import AccessKind, Blocked, BlockedAccess, Confinement, ExtraAccess

NETWORK_KINDS: frozenset[CommandKind] = frozenset({"network", "install"})
ALLOWED_KINDS: frozenset[CommandKind] = frozenset({"read", "test", "lint", "build", "app"})
CHANGING_KINDS: frozenset[CommandKind] = frozenset({"write", "unknown"})


NO_SANDBOX = "There is no sandbox on this machine, so it needs the user's approval."


def decide(verdict: PolicyVerdict, confinement: Confinement) -> PolicyVerdict:
    """The policy's verdict, adjusted to the sandbox. What is denied stays denied.

    In a sandbox that confines everything, only what leaves it needs approval: the network, the repository. One that
    only protects what is outside the project leaves the policy as it is. Without a sandbox, nothing runs without asking
    except what the user's own rules allow: the policy reads what a line says, not what a program does.
    """
    if verdict.decision == "deny":
        return verdict
    opens = _opens(verdict, confinement)
    opened = replace(verdict, opens=opens | {"ignored"})
    if verdict.by_rules:
        return opened
    if verdict.decision == "allow":
        if confinement.mechanism == "none":
            return replace(opened, decision="ask", reason=f"{verdict.reason} {NO_SANDBOX}")
        # Whatever the program is known for, a script that it runs can do anything: it gets only what can be undone.
        return replace(opened, decision="ask") if confinement.mode == "all" else verdict
    if confinement.opened.network and verdict.kinds <= NETWORK_KINDS | ALLOWED_KINDS and not opens:
        return replace(verdict, decision="allow", reason="The user opened the network to commands.")
    if (
        confinement.mechanism == "bubblewrap"
        and not opens
        and confinement.undoable
        and _may_go_unasked(verdict, confinement)
    ):
        return replace(verdict, decision="allow", reason="It runs in the sandbox, and a checkpoint can undo it.")
    return opened


def granted(verdict: PolicyVerdict) -> ExtraAccess:
    """What a command gets once the policy, the user or a rule of theirs allows it."""
    return ExtraAccess(
        network="network" in verdict.opens, git="git" in verdict.opens, ignored="ignored" in verdict.opens
    )


WHAT_WAS_NEEDED: dict[BlockedAccess, str] = {
    "network": "needed the network, which commands do not have",
    "git": "needed to write to the git repository, which commands only read",
    "ignored": "needed to change a file that no checkpoint brings back",
    "write": "needed to write outside the project",
    "read": "needed a file that commands do not see",
    "memory": "took more memory than commands may have",
    "processes": "started more processes than commands may have",
    "file_size": "wrote a file larger than commands may write",
}
"""Continues "The command" or "It"."""

MAX_SHOWN = 3


def blocked_lines(blocked: Sequence[Blocked]) -> list[str]:
    """A line for each thing that was blocked, for the model, the user and the log."""
    return [f"Sandbox: the command {WHAT_WAS_NEEDED[each.what]} ({each.detail})." for each in blocked[:MAX_SHOWN]]


_ON_REQUEST: dict[BlockedAccess, AccessKind] = {"network": "network", "git": "git", "ignored": "ignored"}


def second_try(verdict: PolicyVerdict, blocked: tuple[Blocked, ...]) -> PolicyVerdict | None:
    """The question whether to run a command again with what it lacked; None if that can't be opened for one run."""
    lacked = frozenset(_ON_REQUEST[each.what] for each in blocked if each.what in _ON_REQUEST) - verdict.opens
    if not lacked:
        return None
    reasons = [f"It {WHAT_WAS_NEEDED[what]}." for what, opening in _ON_REQUEST.items() if opening in lacked]
    return replace(
        verdict, decision="ask", reason=f"{' '.join(reasons)} Run it again with that?", opens=verdict.opens | lacked
    )


def _opens(verdict: PolicyVerdict, confinement: Confinement) -> frozenset[AccessKind]:
    opens: set[AccessKind] = set()
    if verdict.kinds & NETWORK_KINDS and not confinement.opened.network:
        opens.add("network")
    if "git" in verdict.kinds and not confinement.opened.git:
        opens.add("git")
    return frozenset(opens)


def _may_go_unasked(verdict: PolicyVerdict, confinement: Confinement) -> bool:
    match confinement.mode:
        case "outside":
            return True
        case "changes":
            return verdict.kinds.isdisjoint(CHANGING_KINDS)
        case "all":
            return False
