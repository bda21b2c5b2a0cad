"""Finds and reads files with instructions for models."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from mulligan.core.instructions import NAMES, PERSONAL, folders_above, names_to_read
from mulligan.core.markdown_text import without_comments
from mulligan.core.secrets import Mask
from mulligan.runtime.regular_files import read_regular
from mulligan.types.errors import CallRejected
from mulligan.types.instructions import InstructionFile
from mulligan.workspace.files.paths import Located, locate, printable
from mulligan.workspace.files.text_files import read_text_file, text_of

MAX_READ_CHARS = 64_000
"""Characters that are read. No model is given as many."""
MAX_FOLDERS = 16
"""How many folders above one file."""


class InstructionFiles:
    """The instruction files of a project, and the user's own."""

    def __init__(self, root: Path, home: Path, mask: Mask) -> None:
        self._root = root.resolve()
        self._home = home
        self._mask = mask

    async def at_top(self) -> tuple[InstructionFile, ...]:
        """The files in the project's top folder, then the user's."""
        return await asyncio.to_thread(lambda: (*self._of_folder("."), *self._personal()))

    async def on_the_way_to(self, paths: Iterable[str]) -> tuple[InstructionFile, ...]:
        """The files in the folders above these files, without the project's top folder: the nearest first. Dependencies
        that were installed have instructions for their own developers, not for this project."""
        return await asyncio.to_thread(self._above, tuple(paths))

    def _above(self, paths: tuple[str, ...]) -> tuple[InstructionFile, ...]:
        from mulligan.syntax.skipping import skip_by_path

        folders: dict[str, None] = {}
        for path in paths:
            try:
                above = folders_above(locate(self._root, path).relative)
            except CallRejected:
                continue
            folders.update(dict.fromkeys(each for each in above[:MAX_FOLDERS] if not skip_by_path(f"{each}/x", 0)))
        deepest_first = sorted(folders, key=lambda folder: -folder.count("/"))
        return tuple(file for folder in deepest_first for file in self._of_folder(folder))

    def _of_folder(self, folder: str) -> tuple[InstructionFile, ...]:
        place = self._root / folder
        present = [name for name in NAMES if os.path.lexists(place / name)]
        return tuple(self._read(name if folder == "." else f"{folder}/{name}") for name in names_to_read(present))

    def _read(self, path: str) -> InstructionFile:
        shown = printable(path)
        try:
            found = locate(self._root, path)
            if not isinstance(found, Located) or found.secret:
                return InstructionFile(shown, "", problem="it leads to a file that may hold secrets, or to none")
            return self._masked(shown, "\n".join(read_text_file(found.real, shown).lines))
        except CallRejected as rejected:
            return InstructionFile(shown, "", problem=str(rejected))

    def _personal(self) -> tuple[InstructionFile, ...]:
        file = self._home / PERSONAL
        shown = _from_home(file)
        try:
            text = "\n".join(text_of(read_regular(file), shown).lines)
        except FileNotFoundError:
            return ()
        except (OSError, CallRejected) as error:
            return (InstructionFile(shown, "", personal=True, problem=str(error)),)
        return (self._masked(shown, text, personal=True),)

    def _masked(self, path: str, text: str, *, personal: bool = False) -> InstructionFile:
        return InstructionFile(path, self._mask(without_comments(text[:MAX_READ_CHARS])).text, personal)


def _from_home(file: Path) -> str:
    """The path as the user writes it: `~/.mulligan/AGENTS.md`."""
    folder = os.path.expanduser("~")  # noqa: PTH111  `Path` raises where there is no home
    return f"~{str(file).removeprefix(folder)}" if str(file).startswith(f"{folder}/") else str(file)
