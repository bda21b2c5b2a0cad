"""What a model means by a path, where files may be staged that are not on the disk yet."""

import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from posixpath import normpath, split

from mulligan.types.changes import FileImage
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.paths import LINE_SUFFIX, Located, Missing, locate

StagedImages = Mapping[str, FileImage | None]
"""Paths at which something else is staged than is on the disk; None where a file is to be deleted."""

StagedSource = Callable[[], Awaitable[StagedImages]]


async def nothing_staged() -> StagedImages:
    return {}


def find_target(root: Path, given: str, staged: StagedImages) -> Located | Missing:
    """What is there once the staged changes are done; it need not be on the disk. Raises `CallRejected`."""
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
    """Where a file of this name would be made: from the project, through no links. Raises `CallRejected`."""
    path = _plain_path(root, given)
    if path is None:
        raise CallRejected("exec_error", "The path names a folder, not a file. Give the file's name, too.")
    return path


def meant_paths(root: Path, given: str) -> tuple[str, ...]:
    """All paths that a tool may take a given one for, where it leads first: a rule about files holds for every
    spelling."""
    meant: list[str] = []
    with suppress(CallRejected):
        found = locate(root, given)
        meant += [found.relative, found.asked] if isinstance(found, Located) else []
    with suppress(CallRejected):
        meant.append(new_path(root, given))
    return tuple(dict.fromkeys((*meant, normpath(given.removeprefix(f"{root}/")))))


def is_there(root: Path, path: str, staged: StagedImages) -> bool:
    """Whether something has this very path, once the staged changes are done."""
    if path in staged:
        return staged[path] is not None
    return holds_staged(path, staged) or os.path.lexists(root / path)


def holds_staged(folder: str, staged: StagedImages) -> bool:
    """Whether files are staged below it."""
    return any(image and below(path, folder) for path, image in staged.items())


def below(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def file_on_the_way(root: Path, path: str, staged: StagedImages) -> str | None:
    """A file that stands where the path needs a folder."""
    for parent in reversed(Path(path).parents):
        folder = str(parent)
        if staged.get(folder) is not None or (folder not in staged and (root / parent).is_file()):
            return folder
    return None


def link_itself(root: Path, found: Located) -> str:
    """The path of a link that was named, instead of what it leads to."""
    folder, name = os.path.split(root / found.asked)
    real = Path(os.path.realpath(folder))
    if not (real / name).is_symlink() or not real.is_relative_to(root):
        return found.relative
    return _join(str(real.relative_to(root)), name)


def _plain_path(root: Path, given: str) -> str | None:
    """The path without what models wrap around it, links to folders followed; None if its last part is no name."""
    folder, name = split(LINE_SUFFIX.sub("", given.strip().strip("\"'`").strip().replace("\\", "/")))
    return None if name in {"", ".", ".."} else _join(_folder(root, folder), name)


def _folder(root: Path, given: str) -> str:
    """The nearest folder on the way that is there decides what the path means: a model may have begun it with the
    project's own name, or with a slash."""
    found = locate(root, given or ".")
    if isinstance(found, Located):
        return found.relative
    parent, name = split(given.rstrip("/"))
    return _join(_folder(root, parent), name) if name else _folder(root, parent)


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _is_deleted(staged: StagedImages, path: str) -> bool:
    return path in staged and staged[path] is None
