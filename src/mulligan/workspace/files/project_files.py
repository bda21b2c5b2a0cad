"""One project's files, behind the `Workspace` Protocol."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from mulligan.core.globs import choose
from mulligan.core.secrets import holds_secrets
from mulligan.ports.files import DirEntry, FileText, FoundFiles, GrepQuery, GrepResult, Listing
from mulligan.runtime.regular_files import read_regular
from mulligan.types.commands import PolicyVerdict
from mulligan.types.errors import CallRejected, ReadNeedsApproval
from mulligan.workspace.files.gitignore import ignored_names, rules_base
from mulligan.workspace.files.missing_paths import nothing_there
from mulligan.workspace.files.overlay import entries_with_staged, grep_with_staged, visible, with_staged
from mulligan.workspace.files.paths import Located, is_internal, printable
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.targets import StagedFiles, StagedSource, find_target, holds_staged, nothing_staged
from mulligan.workspace.files.text_files import read_text_file, text_of
from mulligan.workspace.files.unsaved import UnsavedFiles


class ProjectFiles:
    """The part of a project that tools may see: files inside it that are not secret.

    What is staged is seen as if it were done.
    """

    def __init__(
        self,
        root: Path,
        *,
        ripgrep: Ripgrep | None = None,
        staged: StagedSource = nothing_staged,
        unsaved: UnsavedFiles | None = None,
        reading: Callable[[str], PolicyVerdict] | None = None,
    ) -> None:
        """`unsaved` updates its knowledge about a file before it is read; `staged` includes that. `reading` decides
        whether the user allows a path to be read. Searches find only what is allowed."""
        self._root = root.resolve()
        self._unsaved = unsaved
        self._reading = reading
        self._ripgrep = ripgrep or Ripgrep(self._root, hidden=self._is_hidden if reading else None)
        self._staged = staged

    async def read_text(self, path: str) -> FileText:
        staged = await self._staged()
        file = await self._find(path, staged)
        _refuse_secrets(file, secret=file.secret)
        self._refuse_denied(file)
        if self._unsaved and await self._unsaved.look(file.relative):
            staged = await self._staged()
        image = staged.get(file.relative)
        if image is None:
            return await asyncio.to_thread(read_text_file, file.real, file.shown)
        if image.mode == "120000":
            words = f"{file.shown} will be a symbolic link to {printable(os.fsdecode(image.data))}."
            raise CallRejected("exec_error", words)
        return await asyncio.to_thread(text_of, image.data, file.shown)

    async def read_bytes(self, path: str, limit: int) -> bytes:
        """A description of a file that is not text."""
        file = await self._find(path, await self._staged())
        _refuse_secrets(file, secret=file.secret)
        self._refuse_denied(file)
        try:
            return await asyncio.to_thread(read_regular, file.real, limit=limit)
        except OSError as error:
            raise CallRejected("exec_error", f"{file.shown} can't be read: {error.strerror or error}.") from error

    async def kind_of(self, path: str) -> Literal["file", "folder"] | None:
        """What a path resolves to; None if it is not in the project."""
        staged = await self._staged()
        try:
            found = await asyncio.to_thread(find_target, self._root, path, staged)
        except CallRejected:
            return None
        if not isinstance(found, Located):
            return None
        return "file" if found.relative in staged or not found.real.is_dir() else "folder"

    async def list_dir(self, path: str) -> Listing:
        staged = await self._staged()
        folder = await self._find(path, staged)
        with suppress(ReadNeedsApproval):  # like a search, it omits what needs approval
            self._refuse_denied(folder)
        hides = self._hides if self._reading else None
        return await asyncio.to_thread(_list_folder, self._root, folder, staged, hides)

    async def find_files(self, pattern: str, path: str, limit: int) -> FoundFiles:
        staged = await self._staged()
        folder = await self._find(path, staged)
        on_disk = await asyncio.to_thread(folder.real.is_dir)
        if not on_disk and not holds_staged(folder.relative, staged):
            raise CallRejected("exec_error", f"{folder.shown} is not a folder.")
        paths = await self._ripgrep.files(folder) if on_disk else []
        if staged:
            paths = with_staged(paths, await asyncio.to_thread(visible, self._root, folder, staged))
        found = await asyncio.to_thread(choose, pattern, paths, folder.relative)
        return FoundFiles(paths=tuple(printable(each) for each in found[:limit]), total=len(found))

    async def grep(self, query: GrepQuery) -> GrepResult:
        staged = await self._staged()
        target = await self._find(query.path, staged)
        is_folder = await asyncio.to_thread(target.real.is_dir) or holds_staged(target.relative, staged)
        _refuse_secrets(target, secret=holds_secrets(target.relative) if is_folder else target.secret)
        self._refuse_denied(target)
        if not staged:
            return await self._ripgrep.grep(query, target)
        return await grep_with_staged(self._ripgrep, self._root, query, target, staged)

    def _is_hidden(self, path: str) -> bool:
        return self._reading is not None and self._reading(path).decision != "allow"

    def _hides(self, path: Path) -> bool:
        """Checks its own path and the target of a link."""
        meant = (each for each in (path, Path(os.path.realpath(path))) if each.is_relative_to(self._root))
        return any(self._is_hidden(each.relative_to(self._root).as_posix()) for each in meant)

    def _refuse_denied(self, file: Located) -> None:
        verdict = self._reading(file.relative) if self._reading else None
        if verdict and verdict.decision == "deny":
            raise CallRejected("permission_denied", f"{file.shown} was not read. {verdict.reason}")
        if verdict and verdict.decision == "ask":
            raise ReadNeedsApproval(
                file.relative, f"{file.shown} was not read: it needs the user's approval. {verdict.reason}"
            )

    async def _find(self, path: str, staged: StagedFiles) -> Located:
        found = await asyncio.to_thread(find_target, self._root, path, staged)
        if isinstance(found, Located):
            return found
        raise await nothing_there(self._root, found, staged, self._ripgrep)


def _refuse_secrets(target: Located, *, secret: bool) -> None:
    if secret:
        words = f"{printable(target.asked)} may hold secrets (keys, passwords, tokens) and is not open to tools."
        raise CallRejected("permission_denied", words)


def _list_folder(root: Path, folder: Located, staged: StagedFiles, hides: Callable[[Path], bool] | None) -> Listing:
    only_staged = holds_staged(folder.relative, staged) and not folder.real.is_dir()
    entries = [] if only_staged else _entries(folder, is_file=folder.relative in staged)
    if staged:
        entries = entries_with_staged(entries, folder.relative, staged)
    if hides:
        entries = [entry for entry in entries if not hides(folder.real / entry.name)]
    ignored = ignored_names(folder.real, rules_base(root), [entry.name for entry in entries])
    listed = [DirEntry(printable(entry.name), entry.size) for entry in entries if entry.name not in ignored]
    listed.sort(key=lambda entry: (entry.size is not None, entry.name.casefold(), entry.name))
    return Listing(path=folder.shown, entries=tuple(listed), hidden=len(ignored))


def _entries(folder: Located, *, is_file: bool) -> list[DirEntry]:
    file_words = f"{folder.shown} is a file; use view_file."
    if is_file:
        raise CallRejected("exec_error", file_words)
    try:
        with os.scandir(folder.real) as scan:
            return [_entry(each) for each in scan if not is_internal(each.name)]
    except NotADirectoryError as error:
        raise CallRejected("exec_error", file_words) from error
    except OSError as error:
        raise CallRejected("exec_error", f"{folder.shown} can't be listed: {error.strerror}.") from error


def _entry(found: "os.DirEntry[str]") -> DirEntry:
    try:
        if found.is_dir():
            return DirEntry(f"{found.name}/", None)
        return DirEntry(found.name, found.stat().st_size)
    except OSError:  # a broken link, or a file that was just deleted
        return DirEntry(found.name, 0)
