"""Restores hooks and settings of git that can't be write-protected: what a command plants in a repository would later
be run by the user's git, or by Mulligan's, outside of any sandbox.

A sandbox that grants rights to whole folders can't protect anything in them. One that mounts can protect existing
files, but not missing ones: a first hook, or the `.git` of a project that is no repository yet.
"""

import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from mulligan.core.sandbox.profile import KEPT_FROM_GIT_WRITES
from mulligan.types.frozen import frozen

MAX_FILE_BYTES = 10_000_000
"""Bytes of a file that is restored. A larger one is deleted if the command changed it: no hook is worth the risk."""
NEVER_RUN = ".sample"
"""Suffix of git's example hooks."""
KEPT_NAMES = tuple(name for name in KEPT_FROM_GIT_WRITES if "mulligan" not in name)

Sign = tuple[int, ...]
"""Detects changes of a file: no program can set the change time of its inode."""


@frozen
class _Kept:
    sign: Sign
    mode: int
    data: bytes | None
    """Content, or the target of a link. None: too large or unreadable."""


@frozen
class _Folder:
    inode: int
    files: dict[Path, _Kept]


@contextmanager
def restoring_git_files(repositories: Iterable[Path]) -> Generator[None]:
    """Restores hooks and settings of these after the block, byte for byte.

    Each is a git folder or a file that names one, or does not exist yet: what a command creates there keeps no hooks,
    no settings, and no link.
    """
    before = {place: _look(place) for place in dict.fromkeys(repositories)}
    try:
        yield
    finally:
        for place, was in before.items():
            with suppress(OSError):
                _restore(place, was)


def _look(place: Path) -> _Folder | _Kept | None:
    """The current state; None if there is nothing."""
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
    """Finds a folder that was renamed. One that was deleted, or moved elsewhere, is lost."""
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
        status = file.lstat()
    except OSError:
        return None
    data = None
    with suppress(OSError):
        if S_ISLNK(status.st_mode):
            data = os.fsencode(file.readlink())
        elif S_ISREG(status.st_mode) and status.st_size <= MAX_FILE_BYTES:
            data = file.read_bytes()
    return _Kept(_sign(status), status.st_mode, data)


def _sign(status: os.stat_result) -> Sign:
    return (status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _write(file: Path, kept: _Kept) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if _sign(file.lstat()) == kept.sign:
            return
    _delete(file)
    if kept.data is None:
        return
    for folder in reversed(file.parents):  # a link or a file instead of a folder
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
