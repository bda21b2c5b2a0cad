"""Removes a work tree: its folder, git's entry and its refs, in an order that is safe if a crash interrupts it."""

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mulligan.workspace.checkpoints.model import StepHook, no_interruption
from mulligan.workspace.git import Git
from mulligan.workspace.worktrees.layout import WorktreeLayout, entries_of, is_away, refs_below, write_refs


async def discard(git: Git, place: WorktreeLayout, *, on_step: StepHook = no_interruption) -> None:
    """Remove everything that exists of it. If run again after a crash, it finishes. The caller holds its lock."""
    await asyncio.to_thread(_put_in_bin, place)
    on_step("after the folder is set aside")
    for path in await entries_of(git):
        if path.name == place.name and is_away(path):
            # The folder is gone, so this removes only git's record of it; forced twice, in case it is locked.
            await git.run("worktree", "remove", "--force", "--force", os.fspath(path))
    on_step("after git forgot it")
    refs = await refs_below(git, place.base, place.making, place.branch)
    if refs:
        await write_refs(git, [f"delete {name} {commit}" for name, commit in refs.items()])
    on_step("after its refs are gone")
    await asyncio.to_thread(delete_folder, place.discarded)


def delete_set_aside(parent: Path) -> None:
    """Delete the folders that killed processes had set aside."""
    with suppress(FileNotFoundError):
        for folder in (parent / ".removing").iterdir():
            delete_folder(folder)


def disk_size(folder: Path) -> int:
    total, waiting = 0, [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as inside:
            for entry in inside:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry))
    return total


def _put_in_bin(place: WorktreeLayout) -> None:
    if is_away(place.path):
        return
    delete_folder(place.discarded)
    place.discarded.parent.mkdir(parents=True, exist_ok=True)
    place.path.rename(place.discarded)


def delete_folder(folder: Path) -> None:
    """Works even if another process is deleting it too."""

    def open_up(function: Callable[..., Any], path: str, _error: object) -> None:
        with suppress(OSError):  # package managers create read-only folders
            Path(path).parent.chmod(0o700)
            if function in {os.scandir, os.open}:
                Path(path).chmod(0o700)
                shutil.rmtree(path, ignore_errors=True)
            else:
                function(path)

    if folder.is_symlink() or folder.is_file():
        folder.unlink(missing_ok=True)
    else:
        shutil.rmtree(folder, onerror=open_up)
