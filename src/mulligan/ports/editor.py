"""The person's editor, as far as it opens its files to us."""

from typing import Protocol


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
