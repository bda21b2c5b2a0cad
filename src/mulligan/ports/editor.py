"""The user's editor, as far as it shares its files with us."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from mulligan.types.frozen import frozen


class EditorFiles(Protocol):
    """The project's files as the editor has them, including unsaved text.

    Paths are relative to the project. If an editor does not answer, the disk counts.
    """

    @property
    def reads(self) -> bool:
        """Whether it reports its content."""
        ...

    @property
    def writes(self) -> bool:
        """Whether it accepts new text for a file."""
        ...

    async def read(self, path: str) -> str | None:
        """The text of a file; None if the editor does not report it."""
        ...

    async def write(self, path: str, text: str) -> str | None:
        """Give a file new text, in the editor and on disk. Returns why that failed; None if it did not."""
        ...


@frozen
class TerminalEnd:
    """How a command ended in a terminal of the editor."""

    code: int | None
    """None if it was stopped."""
    timed_out: bool
    output: bytes
    """Both streams, as shown."""


class EditorTerminal(Protocol):
    """A terminal of the editor, where the user sees a command run."""

    async def run(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], time_limit: float, keep: int
    ) -> TerminalEnd:
        """With this environment and no other. Raises `CallRejected` if it can't be started."""
        ...
