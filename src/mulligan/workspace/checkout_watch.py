"""Snapshots of the user's checkout, to find out later whether an agent wrote there.

Not proof: the user works there too, and what is ignored is not seen.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from mulligan.workspace.git import open_repository, run_both

Stamp = tuple[str, int, int]
"""Git's status of a file, its size and modification time."""

GONE = (-1, -1)


@dataclass(frozen=True, slots=True)
class CheckoutSnapshot:
    """The state of a checkout."""

    refs: dict[str, str]
    """HEAD, branches, tags and the stash, without our refs."""
    files: dict[str, Stamp]
    """Files that differ from HEAD, and untracked files."""


async def snapshot_checkout(folder: Path) -> CheckoutSnapshot:
    """The state of the checkout around a folder. Does not refresh its index. Raises `NoRepository`, `GitError`."""
    git = await open_repository(folder)
    status, refs = await run_both(
        git.run("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"),
        git.run("show-ref", "--head", accept=(0, 1)),
    )
    listed = [(field[3:], field[:2]) for field in status.fields]
    return CheckoutSnapshot(_refs(refs.text), await asyncio.to_thread(_stamps, git.work_tree, listed))


def differences(before: CheckoutSnapshot, after: CheckoutSnapshot) -> tuple[str, ...]:
    """Changed files, relative to the top of the checkout, and changed refs."""
    files = {path for path in before.files | after.files if before.files.get(path) != after.files.get(path)}
    refs = {name for name in before.refs | after.refs if before.refs.get(name) != after.refs.get(name)}
    return (*sorted(files), *sorted(refs))


def _refs(shown: str) -> dict[str, str]:
    pairs = (line.partition(" ") for line in shown.splitlines())
    return {name: oid for oid, _, name in pairs if not name.startswith("refs/mulligan/")}


def _stamps(root: Path, listed: list[tuple[str, str]]) -> dict[str, Stamp]:
    return {path: (status, *_written(root / path)) for path, status in listed}


def _written(path: Path) -> tuple[int, int]:
    try:
        found = os.lstat(path)
    except OSError:
        return GONE
    return found.st_size, found.st_mtime_ns
