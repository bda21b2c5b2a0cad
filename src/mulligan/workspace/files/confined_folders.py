"""Opens a project's folders as descriptors, so that they can't be replaced by links that lead outside."""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from mulligan.core.secrets import is_secret
from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.file_bytes import read_file_state
from mulligan.workspace.files.paths import INTERNAL_FOLDERS, is_internal, printable

OWN_FOLDER = ".mulligan"

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4096
"""Bytes that systems allow."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def refuse_closed(path: str) -> None:
    """Raise `CallRejected` for an invalid path, or one that must not be changed."""
    shown = printable(path[:200])
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\0" in path:
        raise CallRejected("permission_denied", f"{shown} is not a path inside the project.")
    for part in parts:
        if is_internal(part):
            words = f"{part} is {INTERNAL_FOLDERS[part.casefold()]} folder and is not open to tools."
            raise CallRejected("permission_denied", words)
    if is_secret(path):
        words = f"{shown} may hold secrets (keys, passwords, tokens) and is not open to tools."
        raise CallRejected("permission_denied", words)
    try:
        too_long = is_too_long(path)
    except UnicodeEncodeError as error:
        raise CallRejected("exec_error", "The path holds a character that no file name can have.") from error
    if too_long:
        raise CallRejected("exec_error", "The path is longer than a path, or a name in it, can be.")


def is_too_long(path: str) -> bool:
    encoded = os.fsencode(path)
    return len(encoded) > MAX_PATH_BYTES or max(map(len, encoded.split(b"/"))) > MAX_NAME_BYTES


def present_file(root: Path, path: str) -> FileState | None:
    """The file at a path of the project, without following links. Raises `CallRejected`, for closed paths too."""
    refuse_closed(path)
    folders, name = split(path)
    try:
        with existing_folder(root, folders) as folder:
            return None if folder is None else read_file_state(name, folder=folder, shown=printable(path))
    except OSError as error:
        raise CallRejected("exec_error", f"{printable(path)} can't be read: {error.strerror}.") from error


def split(path: str) -> tuple[tuple[str, ...], str]:
    """The parent folders of a path, and its last name."""
    *folders, name = path.split("/")
    return tuple(folders), name


@contextmanager
def existing_folder(root: Path, folders: tuple[str, ...]) -> Generator[int | None]:
    """A descriptor of a folder, reached step by step; None if there is no such folder.

    Raises `CallRejected` for a link on the way.
    """
    descriptor = _reach(root, folders, make=False)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def made_folder(root: Path, folders: tuple[str, ...]) -> Generator[int]:
    """Like `existing_folder`, but creates missing folders. Raises `OSError` if that fails."""
    descriptor = _reach(root, folders, make=True)
    if descriptor is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def own_folder(root: Path, name: str) -> Generator[int]:
    """A folder in `.mulligan/`, created if missing. Raises `OSError` if that fails."""
    with made_folder(root, (OWN_FOLDER,)) as own:
        # Before the first folder in it is created, so that if this process is killed in between, the next one does it.
        if status_at(own, name) is None:
            _ignore_itself(own)
    with made_folder(root, (OWN_FOLDER, name)) as folder:
        yield folder


def _reach(root: Path, folders: tuple[str, ...], *, make: bool) -> int | None:
    descriptor = os.open(root, _FOLDER)
    for depth, name in enumerate(folders, 1):
        try:
            inner = _step(descriptor, name, "/".join(folders[:depth]), make=make)
        finally:
            os.close(descriptor)
        if inner is None:
            return None
        descriptor = inner
    return descriptor


def _step(parent: int, name: str, shown: str, *, make: bool) -> int | None:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            words = f"{printable(shown)} is a symbolic link; changes are not written through a link to a folder."
            raise CallRejected("permission_denied", words) from error
        if make:
            raise
        if error.errno == errno.ENOTDIR:
            return None
        raise CallRejected("exec_error", f"{printable(shown)} can't be opened: {error.strerror}.") from error


def status_at(folder: int, name: str) -> os.stat_result | None:
    """The status of an entry, without following links; None if there is none."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _ignore_itself(own: int) -> None:
    with suppress(FileExistsError):
        rules = os.open(".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=own)
        with open(rules, "wb") as file:  # noqa: PTH123  from a descriptor
            file.write(b"*\n")
