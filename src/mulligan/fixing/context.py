"""What a fix run works with. Everything real behind it is put there by `app.fix_runs`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from mulligan.core.secrets import Mask
from mulligan.fixing.report import RunFolder
from mulligan.ports.changes import ChangeStore
from mulligan.ports.code import OpenIndex, SyntaxCheck
from mulligan.ports.commands import Commands
from mulligan.ports.outlets import Log
from mulligan.ports.runs import RunEmit, RunStore
from mulligan.ports.tools import Tool
from mulligan.types.fixing import Profile
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import ModelRequest, Usage
from mulligan.workspace.run_tree import RunTree

Ask = Callable[[ModelRequest], Awaitable[tuple[str, Usage]]]
"""One question, its answer and what it cost. Raises `ModelError`."""


class CoderTurn(Protocol):
    """One turn of the coder in the run's work tree."""

    async def __call__(
        self, chat_id: str | None, prompt: str, *, steps: int, commands: Commands, limited: Callable[[Tool], Tool]
    ) -> TurnEnd:
        """`limited` is put around each tool. Without a chat a new one is made."""
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """The work tree, the stores, the model, and whoever watches."""

    store: RunStore
    changes: ChangeStore
    tree: RunTree
    folder: RunFolder
    profile: Profile
    ask: Ask
    mask: Mask
    """Put on everything that is read for the model."""
    coder_turn: CoderTurn
    index: OpenIndex
    syntax: SyntaxCheck
    brief_tokens: int
    """How much of the model's context the coder's brief may take."""
    chars_per_token: float
    emit: RunEmit
    log: Log
    clock: Callable[[], float]
