"""Resolves a model's path if files may be staged that are not on disk yet."""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from posixpath import normpath, split

from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.paths import LINE_SUFFIX, Located, Missing, locate

StagedFiles = Mapping[str, FileState | None]
"""Staged files by path, where they differ from the disk; None for a deletion."""

StagedSource = Callable[[], Awaitable[StagedFiles]]


async def nothing_staged() -> StagedFiles:
    return {}


def find_target(root: Path, given: str, staged: StagedFiles) -> Located | Missing:
    """The file or folder including staged changes; it need not be on disk. Raises `CallRejected`."""
    if not staged:
        return locate(root, given)
    plain = _plain_path(root, given)
    if plain and staged.get(plain):
        return Located(root / plain, plain, plain)
    found = locate(root, given)
    if isinstance(found, Located):
        gone = next((path for path in (found.relative, found.asked) if _is_deleted(staged, path)), None)
        return found if gone is None else Missing(gone)
    return Located(root / plain, plain, plain) if plain and holds_staged(plain, staged) else found


def new_path(root: Path, given: str) -> str:
    """The path at which a file of this name would be created: relative to the project, without links. Raises
    `CallRejected`."""
    path = _plain_path(root, given)
    if path is None:
        raise CallRejected("exec_error", "The path names a folder, not a file. Give the file's name, too.")
    return path


def meant_paths(root: Path, given: str) -> tuple[str, ...]:
    """All paths that a tool may resolve a given one to, its target first: a rule about files applies to every
    spelling."""
    meant: list[str] = []
    with suppress(CallRejected):
        found = locate(root, given)
        meant += [found.relative, found.asked] if isinstance(found, Located) else []
    with suppress(CallRejected):
        meant.append(new_path(root, given))
    return tuple(dict.fromkeys((*meant, normpath(given.removeprefix(f"{root}/")))))


def is_there(root: Path, path: str, staged: StagedFiles) -> bool:
    """Whether something exists at this path, including staged changes."""
    if path in staged:
        return staged[path] is not None
    return holds_staged(path, staged) or os.path.lexists(root / path)


def holds_staged(folder: str, staged: StagedFiles) -> bool:
    """Whether files are staged below it."""
    return any(image and below(path, folder) for path, image in staged.items())


def below(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def file_on_the_way(root: Path, path: str, staged: StagedFiles) -> str | None:
    """A file where the path needs a folder."""
    for parent in reversed(Path(path).parents):
        folder = str(parent)
        if staged.get(folder) is not None or (folder not in staged and (root / parent).is_file()):
            return folder
    return None


def link_itself(root: Path, found: Located) -> str:
    """The path of a named link, instead of its target."""
    folder, name = os.path.split(root / found.asked)
    real = Path(os.path.realpath(folder))
    if not (real / name).is_symlink() or not real.is_relative_to(root):
        return found.relative
    return _join(str(real.relative_to(root)), name)


def _plain_path(root: Path, given: str) -> str | None:
    """The path without what models wrap around it, with links to folders resolved; None if its last part is not a
    name."""
    folder, name = split(LINE_SUFFIX.sub("", given.strip().strip("\"'`").strip().replace("\\", "/")))
    return None if name in {"", ".", ".."} else _join(_folder(root, folder), name)


def _folder(root: Path, given: str) -> str:
    """The nearest existing parent folder decides what the path means: a model may have started it with the project's
    name, or with a slash."""
    found = locate(root, given or ".")
    if isinstance(found, Located):
        return found.relative
    parent, name = split(given.rstrip("/"))
    return _join(_folder(root, parent), name) if name else _folder(root, parent)


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _is_deleted(staged: StagedFiles, path: str) -> bool:
    return path in staged and staged[path] is None
