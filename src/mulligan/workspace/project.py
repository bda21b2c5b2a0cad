"""One project's files, behind the `Workspace` Protocol."""

import asyncio
import os
from pathlib import Path

from mulligan.ports import DirEntry, FileText, Found, GrepQuery, GrepResult, Listing
from mulligan.types.errors import CallRejected, MulliganError
from mulligan.workspace.globs import choose
from mulligan.workspace.ignoring import ignored_names, rules_base
from mulligan.workspace.nearest import nearest_paths
from mulligan.workspace.paths import Located, Missing, is_internal, locate, printable
from mulligan.workspace.reading import read_text_file
from mulligan.workspace.ripgrep import Ripgrep
from mulligan.workspace.secrets import holds_secrets

LONGEST_NAME = 255
LONGEST_PATH = 4096
"""Bytes; what systems allow."""


class ProjectFiles:
    """What tools may see of a project: files inside it that hold no secrets."""

    def __init__(self, root: Path, *, ripgrep: Ripgrep | None = None) -> None:
        self._root = root.resolve()
        self._ripgrep = ripgrep or Ripgrep(self._root)

    async def read_text(self, path: str) -> FileText:
        file = await self._find(path)
        _refuse_secrets(file, secret=file.secret)
        return await asyncio.to_thread(read_text_file, file.real, file.shown)

    async def list_dir(self, path: str) -> Listing:
        folder = await self._find(path)
        return await asyncio.to_thread(_list_folder, self._root, folder)

    async def find_files(self, pattern: str, path: str, limit: int) -> Found:
        folder = await self._find_folder(path)
        paths = await self._ripgrep.files(folder)
        found = await asyncio.to_thread(choose, pattern, paths, folder.relative)
        return Found(paths=tuple(printable(each) for each in found[:limit]), total=len(found))

    async def grep(self, query: GrepQuery) -> GrepResult:
        target = await self._find(query.path)
        is_folder = await asyncio.to_thread(target.real.is_dir)
        _refuse_secrets(target, secret=holds_secrets(target.relative) if is_folder else target.secret)
        return await self._ripgrep.grep(query, target)

    async def _find(self, path: str) -> Located:
        found = await asyncio.to_thread(locate, self._root, path)
        if isinstance(found, Located):
            return found
        raise await self._nothing_there(found)

    async def _find_folder(self, path: str) -> Located:
        found = await self._find(path)
        if not await asyncio.to_thread(found.real.is_dir):
            raise CallRejected("exec_error", f"{found.shown} is not a folder.")
        return found

    async def _nothing_there(self, missing: Missing) -> CallRejected:
        encoded = os.fsencode(missing.relative)
        if len(encoded) > LONGEST_PATH or max(map(len, encoded.split(b"/"))) > LONGEST_NAME:
            return CallRejected("exec_error", "The path is longer than a path, or a name in it, can be.")
        if blocking := await asyncio.to_thread(_file_on_the_way, self._root, missing.relative):
            words = f"{missing.shown} does not exist: {printable(blocking)} is a file, not a folder."
            return CallRejected("exec_error", words)
        try:
            paths = await self._ripgrep.files(Located(self._root, ".", "."))
        except MulliganError:  # without suggestions the answer is still right
            paths = []
        siblings = await asyncio.to_thread(_siblings, self._root, missing.relative)
        near = await asyncio.to_thread(nearest_paths, missing.relative, siblings, paths)
        hint = f" Did you mean {' or '.join(map(printable, near))}?" if near else " Use find_files to look for it."
        return CallRejected("exec_error", f"{missing.shown} does not exist in the project.{hint}")


def _refuse_secrets(target: Located, *, secret: bool) -> None:
    if secret:
        words = f"{printable(target.asked)} may hold secrets (keys, passwords, tokens) and is not open to tools."
        raise CallRejected("permission_denied", words)


def _list_folder(root: Path, folder: Located) -> Listing:
    try:
        with os.scandir(folder.real) as scan:
            entries = [_entry(each) for each in scan if not is_internal(each.name)]
    except NotADirectoryError as error:
        raise CallRejected("exec_error", f"{folder.shown} is a file; use view_file.") from error
    except OSError as error:
        raise CallRejected("exec_error", f"{folder.shown} can't be listed: {error.strerror}.") from error
    ignored = ignored_names(folder.real, rules_base(root), [entry.name for entry in entries])
    visible = [DirEntry(printable(entry.name), entry.size) for entry in entries if entry.name not in ignored]
    visible.sort(key=lambda entry: (entry.size is not None, entry.name.casefold(), entry.name))
    return Listing(path=folder.shown, entries=tuple(visible), hidden=len(ignored))


def _entry(found: "os.DirEntry[str]") -> DirEntry:
    try:
        if found.is_dir():
            return DirEntry(f"{found.name}/", None)
        return DirEntry(found.name, found.stat().st_size)
    except OSError:  # a link that leads nowhere, or a file that was just deleted
        return DirEntry(found.name, 0)


def _file_on_the_way(root: Path, relative: str) -> str | None:
    for parent in reversed(Path(relative).parents):
        if (root / parent).is_file():
            return str(parent)
    return None


def _siblings(root: Path, relative: str) -> list[str]:
    folder = root / Path(relative).parent
    try:
        return [str(each.relative_to(root)) for each in folder.iterdir() if not is_internal(each.name)]
    except OSError:
        return []
