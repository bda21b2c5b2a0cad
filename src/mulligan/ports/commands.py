"""Commands in a project, and who is asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mulligan.types.sandbox import NO_EXTRA_ACCESS

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.commands import Approval, ChatCommandResult, CommandKind, CommandResult, PolicyVerdict
    from mulligan.types.sandbox import Confinement, ExtraAccess


class Commands(Protocol):
    """Runs commands in the project's folder and its sandbox, without a terminal and without secrets."""

    async def run(self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS) -> CommandResult:
        """`access` is what the command may do beyond the sandbox. Raises `CallRejected` if it can't be started."""
        ...

    async def confinement(self) -> Confinement:
        """What protects the user's files from a command."""
        ...


class ChatCommands(Protocol):
    """The commands of one chat: they see its pending changes, and their changes are tracked."""

    async def run(
        self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS, kinds: frozenset[CommandKind]
    ) -> ChatCommandResult:
        """`kinds` is the policy's classification. Raises `CallRejected` if it can't be started."""
        ...

    async def confinement(self) -> Confinement: ...


class Approve(Protocol):
    """Asks the user whether a command that the policy leaves to them may run."""

    async def __call__(self, command: str, verdict: PolicyVerdict, /) -> Approval: ...
