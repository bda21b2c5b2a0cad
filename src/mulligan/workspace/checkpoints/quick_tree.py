"""Makes a tree without writing the index: a few changed files on top of the tree that matches the index.

Writing the index twice took half the time of a checkpoint of 20,000 files. So the index is written only when many files
differ from it; until then the same few files are read again each time.
"""

import os
import stat
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from mulligan.workspace.checkpoints.area import Area
from mulligan.workspace.checkpoints.model import FILE, LINK, PROGRAM
from mulligan.workspace.checkpoints.scan import Scan

MAX_PATHS = 64
MAX_BYTES = 4_000_000

NO_WAIT_FOR_DISK = "core.fsync=-pack"
"""Git's importer syncs a pack to disk, then unpacks it into loose objects, which it would not sync."""

HEADER = b"commit refs/mulligan/quick\ncommitter Mulligan <mulligan@localhost> 1 +0000\ndata 0\n"
"""Git's importer makes trees only for commits. The same content gives the same commit; nothing refers to it."""


def remember_base(area: Area, tree: str, state: dict[str, Any]) -> None:
    """Note that the index was just written and matches this tree."""
    state["base"] = {"tree": tree, "index": _identity(area)}


async def quick_tree(area: Area, found: Scan, state: dict[str, Any]) -> str | None:
    """The tree of what the scan found; None if that needs the index to be written."""
    base = state.get("base", {})
    if base.get("index") != _identity(area) or found.drop or len(found.take) + len(found.gone) > MAX_PATHS:
        return None
    if not found.take and not found.gone:
        return base["tree"]
    changes = _changes(area, found.take)
    if changes is None:
        return None
    removals = b"".join(b"D %s\n" % _quoted(path) for path in found.gone)
    stream = b'%sM 040000 %s \n%s%sls ""\n' % (HEADER, base["tree"].encode(), removals, changes)
    git = replace(area.git, settings=(*area.git.settings, NO_WAIT_FOR_DISK))
    answer = await git.run("fast-import", "--quiet", "--force", stdin=stream)
    # `040000 tree OID<tab>`; if all files are gone, there is no tree to name.
    fields = answer.text.split()
    return fields[2] if len(fields) > 2 and fields[1] == "tree" else None


def are_few(area: Area, paths: Collection[str]) -> bool:
    """Whether it is cheaper to read these files again at each checkpoint than to write them into the index."""
    if len(paths) > MAX_PATHS:
        return False
    return sum(_size(os.path.join(area.root, path)) for path in paths) <= MAX_BYTES  # noqa: PTH118  as below


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:  # it is gone
        return 0


def _identity(area: Area) -> list[int] | None:
    """Differs after every write: git replaces the index file."""
    try:
        info = area.index.stat()
    except FileNotFoundError:
        return None
    return [info.st_ino, info.st_size, info.st_mtime_ns]


def _changes(area: Area, paths: Sequence[str]) -> bytes | None:
    out: list[bytes] = []
    budget = MAX_BYTES
    for path in paths:
        read = _read(os.path.join(area.root, path), budget)  # noqa: PTH118  `Path` would be slower, and drop nothing
        if read is None:
            return None
        mode, data = read
        budget -= len(data)
        out.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), _quoted(path), len(data), data))
    return b"".join(out)


def _read(path: str, budget: int) -> tuple[str, bytes] | None:
    """A file's mode and bytes; None if it is too large, unreadable or not a regular file or link."""
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return LINK, os.fsencode(os.readlink(path))  # noqa: PTH115  bytes are wanted
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:  # noqa: PTH123  from a descriptor
            info = os.fstat(opened)
            if not stat.S_ISREG(info.st_mode) or info.st_size > budget:
                return None
            return PROGRAM if info.st_mode & stat.S_IXUSR else FILE, file.read()
    except OSError:
        return None


def _quoted(path: str) -> bytes:
    """Quoted for the importer: quotes, line breaks and backslashes are escaped."""
    raw = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%s"' % raw
