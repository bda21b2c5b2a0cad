"""Reads files that somebody else may have created: only regular files, and only up to a limit.

A link to `/dev/zero` never ends, a named pipe waits for its other end, and a sparse file of a terabyte costs nothing to
make. The author of a repository decides what its `mulligan.toml` is.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

SMALL = 1_000_000
"""Bytes. No settings, prompt or list of rules that the user wrote is larger."""

PIECE = 1 << 20

SPECIAL_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class UnfitFile(OSError):
    """The file exists, but is not a regular file or is too large. The message says which."""


def read_regular(path: Path, *, limit: int = SMALL, follow: bool = True) -> bytes:
    """All bytes of a regular file, through links if `follow`. Raises `OSError`: `UnfitFile` if it is something else."""
    data, _ = read_checked(path, lambda info: _check(info, limit), limit=limit, follow=follow)
    if len(data) > limit:
        raise _too_large(limit)
    return data


def read_checked(
    path: Path | str, check: Callable[[os.stat_result], None], *, limit: int, follow: bool, folder: int | None = None
) -> tuple[bytes, os.stat_result]:
    """The bytes of a file, at most one more than the limit, and its stat. `check` raises if the file must not be read;
    `folder` is the descriptor that the path is relative to."""
    # Before opening: opening a device has effects, such as rewinding a tape, and a pipe waits for its other end.
    check(os.stat(path, dir_fd=folder, follow_symlinks=follow))
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    opened = os.open(path, flags, dir_fd=folder)
    try:
        info = os.fstat(opened)
        check(info)  # it may have become something else meanwhile
        return _read(opened, limit + 1), info
    finally:
        os.close(opened)


def read_regular_text(
    path: Path, encoding: str = "utf-8", errors: str = "strict", *, limit: int = SMALL, follow: bool = True
) -> str:
    """Like `read_regular`, but text, with every line ending as a newline. Raises `OSError` and `UnicodeDecodeError`."""
    text = read_regular(path, limit=limit, follow=follow).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def special_kind(mode: int) -> str | None:
    """The kind of a special file, such as "a device". None for regular files, folders and links."""
    return next((words for is_kind, words in SPECIAL_FILES if is_kind(mode)), None)


def _check(info: os.stat_result, limit: int) -> None:
    if stat.S_ISLNK(info.st_mode):
        raise UnfitFile("it is a symbolic link; put a file there")
    if stat.S_ISDIR(info.st_mode):
        raise UnfitFile("it is a folder; put a file there, or remove it")
    if not stat.S_ISREG(info.st_mode):
        raise UnfitFile(f"it is {special_kind(info.st_mode) or 'no file'}; put a file there, or remove it")
    if info.st_size > limit:
        raise _too_large(limit)


def _read(opened: int, most: int) -> bytes:
    """Doesn't trust the file's reported size: files in /proc report 0, and others grow."""
    pieces: list[bytes] = []
    left = most
    while left and (piece := os.read(opened, min(left, PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _too_large(limit: int) -> UnfitFile:
    size = f"{limit / 1e6:g} MB" if limit >= 1e6 else f"{limit:,} bytes"
    return UnfitFile(f"it is larger than {size}; make it smaller, or remove it")
