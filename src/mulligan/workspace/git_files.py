"""Stamps of the files that git reads to find a repository and its settings.

As long as none of them changes, git need not be asked again.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

Stamp = tuple[int, ...] | None


def stamps_above(folder: Path) -> tuple[Stamp, ...]:
    """Stamps of each `.git` that git may find from a folder upwards."""
    parts = str(folder).rstrip("/").split("/")
    return tuple(_stamp("/".join((*parts[:depth], ".git"))) for depth in range(len(parts), 0, -1))


def stamps_of_repository(work_tree: Path, git_dir: Path, common_dir: Path) -> tuple[Stamp, ...]:
    """Stamps of what makes a folder a repository, and of its settings."""
    folders = (f"{work_tree}", f"{git_dir}", f"{common_dir}/objects", f"{common_dir}/refs")
    files = (f"{git_dir}/commondir", f"{common_dir}/config", f"{git_dir}/config.worktree")
    there = int(os.path.exists(f"{git_dir}/HEAD"))  # noqa: PTH110  as below; it is written again whenever it moves
    return (*map(_stamp, (*folders, *files)), (there,))


def stamps_of_user(env: Mapping[str, str]) -> tuple[Stamp, ...]:
    """Stamps of git's settings files of the user and the machine."""
    home = env.get("HOME", "")
    named = (env.get("GIT_CONFIG_GLOBAL"), env.get("GIT_CONFIG_SYSTEM"))
    usual = (f"{home}/.gitconfig", f"{env.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/config", "/etc/gitconfig")
    return tuple(_stamp(file) for file in (*named, *usual) if file)


def _stamp(path: str) -> Stamp:
    """Identity, mode and owner; for a file also its size and times."""
    try:
        found = os.stat(path)  # noqa: PTH116  every checkpoint runs this, and `Path` is slower
    except (OSError, ValueError):
        return None
    same = (found.st_dev, found.st_ino, found.st_mode, found.st_uid)
    return same if stat.S_ISDIR(found.st_mode) else (*same, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
