"""Hides the keys and passwords that Mulligan was started with from the processes that it starts.

A process's initial environment stays readable in `/proc/PID/environ` for its user, and so for every command that an
agent runs, whatever that command's own environment is. Therefore, before anything else:

- Mulligan's own secrets are removed from the environment. No child inherits them.
- Other variables that look like secrets stay, because external agents need them, but are moved to memory that `/proc`
  does not show, not even to root's processes.
- No other process of the same user may read this one's memory (Linux). Root's may.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

OWN = ("MULLIGAN_API_KEY", "MULLIGAN_DATABASE_URL")

_IN_NAMES = (
    "KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH", "COOKIE", "_PAT", "DSN", "WEBHOOK", "URL", "URI", "CONNECT",
)  # fmt: skip
"""Broad, because a false match does no harm. Compiling a pattern would take longer than everything else here."""

_PR_SET_DUMPABLE = 4

_taken: dict[str, str] = {}


def hide_secrets() -> None:
    """To call at the start of a process, before it starts others."""
    for name in OWN:
        if name in os.environ:
            _taken[name] = os.environ[name]
    secret = [name for name, value in os.environ.items() if _is_secret(name, value)]
    for name in secret:
        os.environ[name] = os.environ.pop(name)  # moves it to other memory
    for name in _taken:
        os.environ.pop(name, None)
    if sys.platform == "linux":
        with suppress(OSError, ValueError, IndexError):  # if `/proc` shows less, there is less to hide
            _overwrite({os.fsencode(name) for name in secret})
        _refuse_to_be_read()


def whole_environment() -> Mapping[str, str]:
    """The environment, including Mulligan's own secrets."""
    return {**os.environ, **_taken}


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process of our own that needs no secrets."""
    return {name: value for name, value in environ.items() if not _is_secret(name, value)}


def _is_secret(name: str, value: str) -> bool:
    upper = name.upper().replace("_PATH", "")  # not `_PAT`, a personal access token
    return any(part in upper for part in _IN_NAMES) or ("://" in value and "@" in value) or "PRIVATE KEY" in value


def _overwrite(names: set[bytes]) -> None:
    """Overwrite the values with stars in the memory that the kernel shows as this process's environment."""
    # The program's name, in parentheses, may contain anything; field 3 follows it.
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[47]), int(fields[48])
    with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
        memory.seek(start)
        place = start
        for entry in memory.read(end - start).split(b"\0"):
            name, _, value = entry.partition(b"=")
            if name in names:
                memory.seek(place + len(name) + 1)
                memory.write(b"*" * len(value))
            place += len(entry) + 1


def _refuse_to_be_read() -> None:
    import ctypes  # 3 ms of processor time

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
