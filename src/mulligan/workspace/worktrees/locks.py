"""A lock between processes, released when its holder ends."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from mulligan.workspace.worktrees.model import WorkTreeUnusable

LOCK_SECONDS = 60.0
POLL_SECONDS = 0.02


@asynccontextmanager
async def hold_lock(lock: Path, *, busy: str, time_limit: float = LOCK_SECONDS) -> AsyncGenerator[None]:
    """Hold a lock file, created if missing. Raises `WorkTreeUnusable` with the message `busy` if it stays taken."""
    deadline = time.monotonic() + time_limit
    while (opened := take_lock(lock)) is None:
        if time.monotonic() >= deadline:
            raise WorkTreeUnusable(busy)
        await asyncio.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        os.close(opened)


def is_held(lock: Path) -> bool:
    try:
        opened = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False


def take_lock(lock: Path, way: int = fcntl.LOCK_EX | fcntl.LOCK_NB) -> int | None:
    """Held until closed; None if somebody else holds it, or deleted it meanwhile."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, way)
        # The last holder may have deleted the file: then another file has its name, or none.
        if os.path.samestat(os.fstat(opened), lock.stat()):
            return opened
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(opened)
    return None
