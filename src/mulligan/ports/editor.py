"""The person's editor, as far as it opens its files to us."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from mulligan.types.frozen import frozen


class EditorFiles(Protocol):
    """The project's files as the editor has them: what was typed and is not saved is only there.

    Paths are relative to the project. An editor that does not answer is no reason to stop: then the disk counts.
    """

    @property
    def reads(self) -> bool:
        """Whether it tells what it has."""
        ...

    @property
    def writes(self) -> bool:
        """Whether it takes new text for a file."""
        ...

    async def read(self, path: str) -> str | None:
        """The text of a file; None where the editor does not tell."""
        ...

    async def write(self, path: str, text: str) -> str | None:
        """Give a file new text, in the editor and on the disk. Why that failed; None if it did not."""
        ...


@frozen
class TerminalEnd:
    """How a command ended in a terminal of the editor."""

    code: int | None
    """None if it was stopped."""
    timed_out: bool
    output: bytes
    """Both streams, as they were shown."""


class EditorTerminal(Protocol):
    """A terminal of the editor, in which the person sees a command run."""

    async def run(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], time_limit: float, keep: int
    ) -> TerminalEnd:
        """With this environment and no other. Raises `CallRejected` if it can't be started."""
        ...
