"""What the sandbox kept from a command: told by the kernel's counts and error codes, checked against the profile."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mulligan.types.sandbox import Blocked, SandboxProfile, Withheld

FILE_TOO_LARGE_EXITS = frozenset({128 + 25, -25})
"""SIGXFSZ."""
NO_SOCKET = (
    "Network is down", "ENETDOWN", "Temporary failure in name resolution", "EAI_AGAIN", "Could not resolve host",
)  # fmt: skip
"""What follows where system calls are filtered: no socket can be made, so nothing else can be behind these words."""
READ_ONLY = ("Read-only file system", "EROFS", "[Errno 30]")
NOT_THERE = ("No such file or directory", "ENOENT", "[Errno 2]", "Permission denied", "EACCES", "[Errno 13]")
TOO_LARGE = ("File too large", "EFBIG", "[Errno 27]")
PATH_IN_LINE = re.compile(r"(?<![\w/.])/[^\s:;,'\"`()<>|]{1,400}|(?<=')[^'\s]{1,400}(?=')")
"""An absolute path, or any that is quoted."""
LINES_LOOKED_AT = 400
LONGEST_LINE = 2000


def find_causes(
    profile: SandboxProfile,
    folder: Path,
    *,
    exit_code: int | None,
    output: str,
    unreachable: int,
    exists: Callable[[Path], bool],
) -> tuple[Blocked, ...]:
    """Why a command that failed could not do its work. Nothing is said of one that succeeded.

    `folder` is where it ran, `unreachable` is how often the kernel found no way to an address. `exists` looks outside
    of the sandbox: a path that is nowhere was not kept from the command.
    """
    if exit_code == 0:
        return ()
    found = [
        *_network(profile, output, unreachable),
        *_file_size(exit_code, output, profile),
        *_paths(profile, folder, output, exists),
    ]
    return tuple(dict.fromkeys(found))


def _network(profile: SandboxProfile, output: str, unreachable: int) -> Iterator[Blocked]:
    if profile.network:
        return
    if unreachable:
        yield Blocked("network", f"{unreachable} attempt{'s' if unreachable > 1 else ''}")
    elif any(sign in output for sign in NO_SOCKET):
        yield Blocked("network", "a socket was refused")


def _file_size(exit_code: int | None, output: str, profile: SandboxProfile) -> Iterator[Blocked]:
    if exit_code in FILE_TOO_LARGE_EXITS or any(sign in output for sign in TOO_LARGE):
        yield Blocked("file_size", f"{profile.limits.file_bytes:,} bytes")


def _paths(profile: SandboxProfile, folder: Path, output: str, exists: Callable[[Path], bool]) -> Iterator[Blocked]:
    for line in output.splitlines()[-LINES_LOOKED_AT:]:
        shown = line[:LONGEST_LINE]
        read_only = any(sign in shown for sign in READ_ONLY)
        if not read_only and not any(sign in shown for sign in NOT_THERE):
            continue
        for match in PATH_IN_LINE.finditer(shown):
            path = folder / match[0].rstrip(".")
            if read_only and not _may_write(profile, path):
                yield Blocked(_kind_of_write(profile, path), str(path))
            elif not read_only and _is_hidden(profile, path) and exists(path):
                yield Blocked("read", str(path))


def _may_write(profile: SandboxProfile, path: Path) -> bool:
    return _within(path, profile.writable) and not _within(path, (*profile.protected, *profile.kept))


def _kind_of_write(profile: SandboxProfile, path: Path) -> Withheld:
    if _within(path, profile.kept):
        return "ignored"
    return "git" if ".git" in path.parts and _within(path, profile.protected) else "write"


def _is_hidden(profile: SandboxProfile, path: Path) -> bool:
    if _within(path, profile.masked):
        return True
    return _within(path, profile.hidden) and not _within(path, (*profile.readable, *profile.writable))


def _within(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
