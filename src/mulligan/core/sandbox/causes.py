"""What the sandbox blocked: from the kernel's counts and error codes, checked against the profile."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mulligan.core.sandbox.profile import holds_any, within
from mulligan.types.sandbox import Blocked, BlockedAccess, SandboxProfile

FILE_TOO_LARGE_EXITS = frozenset({128 + 25, -25})
"""SIGXFSZ."""
NO_SOCKET = (
    "Network is down", "ENETDOWN", "Temporary failure in name resolution", "EAI_AGAIN", "Could not resolve host",
)  # fmt: skip
"""With system calls filtered no socket can be made, so these messages can have no other cause."""
READ_ONLY = ("Read-only file system", "EROFS", "[Errno 30]", "Device or resource busy", "EBUSY", "[Errno 16]")
"""The last ones for mount points: they can't be renamed or deleted."""
NOT_THERE = ("No such file or directory", "ENOENT", "[Errno 2]", "Permission denied", "EACCES", "[Errno 13]")
TOO_LARGE = ("File too large", "EFBIG", "[Errno 27]")
QUOTED = re.compile(r"'([^'\n]{1,400})'|\"([^\"\n]{1,400})\"|\u2018([^\u2019\n]{1,400})\u2019")
LINES_LOOKED_AT = 400
MAX_LINE_CHARS = 2000


def find_causes(
    profile: SandboxProfile,
    folder: Path,
    *,
    exit_code: int | None,
    output: str,
    unreachable: int,
    exists: Callable[[Path], bool],
) -> tuple[Blocked, ...]:
    """Why a failed command could not do its work. Empty for one that succeeded.

    `folder` is where it ran, `unreachable` is how often the kernel found no route to an address. `exists` checks
    outside of the sandbox: a path that does not exist was not blocked.
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
        shown = line[:MAX_LINE_CHARS]
        read_only = any(sign in shown for sign in READ_ONLY)
        if not read_only and not any(sign in shown for sign in NOT_THERE):
            continue
        for named in _paths_in(shown):
            path = folder / named
            if read_only and not _may_write(profile, path):
                yield Blocked(_kind_of_write(profile, path), str(path))
            elif not read_only and _is_hidden(profile, path) and exists(path):
                yield Blocked("read", str(path))


def _paths_in(line: str) -> list[str]:
    """The paths in an error message: those it quotes, else those before its reason. `sh: 1: PATH: reason`."""
    quoted = ["".join(groups) for groups in QUOTED.findall(line)]
    if quoted:
        return quoted
    end = min((at for sign in (*READ_ONLY, *NOT_THERE) if (at := line.find(sign)) >= 0), default=0)
    field = line[:end].rstrip(" :([").rpartition(": ")[2]
    return [field.split()[-1]] if field.split() else []


def _may_write(profile: SandboxProfile, path: Path) -> bool:
    if not within(path, profile.writable) or within(path, (*profile.protected, *profile.kept)):
        return False
    return not holds_any(path, profile.kept)  # nor may their folder be moved away


def _kind_of_write(profile: SandboxProfile, path: Path) -> BlockedAccess:
    if within(path, profile.kept) or holds_any(path, profile.kept):
        return "ignored"
    return "git" if ".git" in path.parts and within(path, profile.protected) else "write"


def _is_hidden(profile: SandboxProfile, path: Path) -> bool:
    if within(path, profile.masked):
        return True
    return within(path, profile.hidden) and not within(path, (*profile.readable, *profile.writable))
