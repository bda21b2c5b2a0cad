"""Finds what is left of work trees that have no row in the store."""

import os
from pathlib import Path

from mulligan.workspace.git import Git
from mulligan.workspace.worktrees.layout import (
    BASES,
    MAKING,
    WorktreeLayout,
    entries_of,
    is_away,
    names_repository,
    plain_word,
    refs_below,
)
from mulligan.workspace.worktrees.locks import is_held
from mulligan.workspace.worktrees.model import Leftover


async def find_leftovers(git: Git, parent: Path) -> list[Leftover]:
    """Folders, entries of git and refs of work trees that nobody is making or removing now.

    Those without a row are leftovers. Read the rows afterwards: a work tree finished in between has one by then.
    """
    entries = {path.name: path for path in await entries_of(git)}
    refs = await refs_below(git, BASES, MAKING)
    held_by_refs = {name.removeprefix(BASES).removeprefix(MAKING) for name in refs}
    found: dict[str, str] = {}
    for folder in _folders(parent):
        if _is_ours(folder, git, known_to_git=folder.name in entries or folder.name in held_by_refs):
            unfinished = MAKING + folder.name in refs
            found[folder.name] = "a work tree that was never finished" if unfinished else "a folder without a record"
    for name, path in entries.items():
        if path.parent == parent and is_away(path):
            found.setdefault(name, "a record in git of a folder that is gone")
    for name in held_by_refs - entries.keys():
        found.setdefault(name, "a ref of a work tree that is gone")
    return [
        Leftover(name, parent / name, what)
        for name, what in sorted(found.items())
        if not is_held(WorktreeLayout(name, parent).lock)
    ]


def _folders(parent: Path) -> list[Path]:
    try:
        return [Path(entry) for entry in os.scandir(parent) if entry.is_dir() and not entry.name.startswith(".")]
    except FileNotFoundError:
        return []


def _is_ours(folder: Path, git: Git, *, known_to_git: bool) -> bool:
    """Other projects' work trees are in the same folder. A folder that does not say whose it is counts by its name."""
    says = names_repository(folder, git)
    return known_to_git or folder.name.startswith(f"{plain_word(git.work_tree.name)}-") if says is None else says
