"""A lock per file of a project, so that only one process writes it at a time."""

import asyncio
import fcntl
import hashlib
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.types.errors import CallRejected
from mulligan.workspace.changes.writing import cant_write
from mulligan.workspace.files.confined_folders import own_folder
from mulligan.workspace.files.paths import printable

TIME_LIMIT = 10.0
"""Seconds. Writing a file takes some milliseconds."""

POLL_SECONDS = 0.01


@asynccontextmanager
async def file_lock(root: Path, path: str, *, time_limit: float = TIME_LIMIT) -> AsyncGenerator[None]:
    """Hold the lock on a path of the project. Raises `CallRejected` if another process keeps it for too long.

    The lock is released when its process ends.
    """
    name = f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.lock"
    try:
        with own_folder(root, "locks") as folder:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            opened = os.open(name, flags, 0o666, dir_fd=folder)
    except OSError as error:
        raise CallRejected("exec_error", cant_write(path, error)) from error
    try:
        await _take(opened, path, time_limit)
        yield
    finally:
        os.close(opened)


async def _take(opened: int, path: str, time_limit: float) -> None:
    deadline = time.monotonic() + time_limit
    while True:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                words = f"{printable(path)} has been locked by another process for {time_limit:g} s. Try again."
                raise CallRejected("exec_error", words) from None
            await asyncio.sleep(POLL_SECONDS)
        else:
            return
