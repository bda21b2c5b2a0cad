"""Ends orphans: processes that outlive a command, if the kernel does not end them with it.

A process can change its session, its parent and its environment, but it can't remove the filter of system calls. So
Mulligan becomes the parent of orphans (a subreaper), and ends those that have more filters than itself.
"""

import ctypes
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from mulligan.workspace.watchdog import MARK

PR_SET_CHILD_SUBREAPER = 36
MAX_ROUNDS = 100
"""Each round ends one generation."""

_running = 0


@contextmanager
def ending_orphans() -> Generator[None]:
    """Ends orphans after the block."""
    global _running  # noqa: PLW0603  a property of the whole process
    _running += 1
    _set_subreaper(yes=True)
    try:
        yield
    finally:
        for _ in range(MAX_ROUNDS):
            found = list(orphans())
            if not found:
                break
            for pid in found:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
        _running -= 1
        if not _running:
            _set_subreaper(yes=False)


def orphans() -> Iterator[int]:
    """Confined children of ours without the mark of a command's processes."""
    own = _filters(os.getpid())
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            for pid in map(int, (thread / "children").read_text(encoding="ascii").split()):
                if _filters(pid) > own and not _is_marked(pid):
                    yield pid


def _filters(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("Seccomp_filters:"):
                return int(line.split()[1])
    return 0


def _is_marked(pid: int) -> bool:
    """True for a process that has ended: its environment can't be read, and nothing needs to be done."""
    try:
        return f"{MARK}=".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return True


def _set_subreaper(*, yes: bool) -> None:
    _libc().prctl(PR_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
