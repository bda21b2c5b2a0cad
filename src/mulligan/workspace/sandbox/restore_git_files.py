"""What can't be write-protected is put back: what a command plants in a repository would be run later by the user's
own git, or by Mulligan's, outside of any sandbox.

A sandbox that gives rights to whole folders can protect nothing in them. One that mounts can protect what is there, and
not what is missing: a first hook, or the `.git` of a project that is no repository yet.
"""

import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from mulligan.core.sandbox.profile import KEPT_FROM_GIT_WRITES
from mulligan.types.frozen import frozen

LARGEST = 10_000_000
"""Bytes of a file that is put back. A larger one is deleted if the command changed it: no hook is worth the risk."""
NEVER_RUN = ".sample"
"""What git ships as examples of hooks."""
KEPT_NAMES = tuple(name for name in KEPT_FROM_GIT_WRITES if "mulligan" not in name)

Sign = tuple[int, ...]
"""Tells whether a file was touched: no program can set the time of the last change to its inode."""


@frozen
class _Kept:
    sign: Sign
    mode: int
    data: bytes | None
    """Of a link, where it leads. None: it is too large, or can't be read."""


@frozen
class _Folder:
    inode: int
    files: dict[Path, _Kept]


@contextmanager
def restoring_git_files(repositories: Iterable[Path]) -> Generator[None]:
    """Hooks and settings of these are afterwards as they were, byte for byte.

    Each is a git folder or a file that names one, or is not there yet: what a command makes in its place has no hooks
    and no settings, and is no link.
    """
    before = {place: _look(place) for place in dict.fromkeys(repositories)}
    try:
        yield
    finally:
        for place, was in before.items():
            with suppress(OSError):
                _restore(place, was)


def _look(place: Path) -> _Folder | _Kept | None:
    """None if there is nothing."""
    if _is_folder(place):
        return _Folder(place.stat().st_ino, {file: kept for file in _files(place) if (kept := _read(file))})
    return _read(place)


def _restore(place: Path, was: _Folder | _Kept | None) -> None:
    if isinstance(was, _Kept):
        _write(place, was)
        return
    if not _is_folder(place):
        _delete(place)
        if was:
            _move_back(place, was.inode)
    if _is_folder(place):
        _restore_files(place, was.files if was else {})


def _move_back(place: Path, inode: int) -> None:
    """A folder that was moved aside. One that was deleted, or moved far away, is lost."""
    for each in place.parent.iterdir():
        if _is_folder(each) and each.stat().st_ino == inode:
            each.rename(place)
            return


def _restore_files(folder: Path, was: dict[Path, _Kept]) -> None:
    for file in list(_files(folder)):
        if file not in was:
            _delete(file)
    for file, kept in was.items():
        with suppress(OSError):
            _write(file, kept)


def _files(folder: Path) -> Iterator[Path]:
    for name in KEPT_NAMES:
        place = folder / name
        if not _is_folder(place):
            if os.path.lexists(place):
                yield place
            continue
        for found, folders, names in os.walk(place):
            links = (each for each in folders if Path(found, each).is_symlink())
            yield from (Path(found, each) for each in (*names, *links) if not each.endswith(NEVER_RUN))


def _is_folder(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink()


def _read(file: Path) -> _Kept | None:
    try:
        told = file.lstat()
    except OSError:
        return None
    data = None
    with suppress(OSError):
        if S_ISLNK(told.st_mode):
            data = os.fsencode(file.readlink())
        elif S_ISREG(told.st_mode) and told.st_size <= LARGEST:
            data = file.read_bytes()
    return _Kept(_sign(told), told.st_mode, data)


def _sign(told: os.stat_result) -> Sign:
    return (told.st_ino, told.st_mode, told.st_size, told.st_mtime_ns, told.st_ctime_ns)


def _write(file: Path, kept: _Kept) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if _sign(file.lstat()) == kept.sign:
            return
    _delete(file)
    if kept.data is None:
        return
    for folder in reversed(file.parents):  # a link or a file in the place of a folder
        if (folder.is_symlink() and folder.name in KEPT_NAMES) or folder.is_file():
            _delete(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    if S_ISLNK(kept.mode):
        file.symlink_to(os.fsdecode(kept.data))
    else:
        file.write_bytes(kept.data)
        file.chmod(kept.mode & 0o7777)


def _delete(place: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if S_ISDIR(place.lstat().st_mode):
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink()
