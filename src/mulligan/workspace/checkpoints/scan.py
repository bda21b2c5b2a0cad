"""Finds out, path by path, how a work tree differs from the private index."""

import os
import re
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mulligan.core.secrets import is_secret
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.model import SkippedPath
from mulligan.workspace.checkpoints.user_index import UserIndex
from mulligan.workspace.git import Git, GitError, GitResult, nul_list, run_both

UNREADABLE_FOLDER = re.compile(r"warning: could not open directory '(.*)/': (.*)")
UNREADABLE_FILE = re.compile(r"(.*): (Permission denied|Input/output error|Too many levels of symbolic links)")

NESTED = "a repository of its own: only it knows its files"
SUBMODULE = "a submodule: its recorded commit is kept, its files are not"

PATHS_A_CALL = 300
"""A path may have 4096 bytes, and a command line two million."""


@frozen
class Selection:
    fields: list[str]
    stderr: str


@dataclass(slots=True)
class Scan:
    """What to change in the private index so that it matches the work tree."""

    take: list[str] = field(default_factory=list[str])
    """Capture what is there."""
    gone: list[str] = field(default_factory=list[str])
    """The path no longer exists."""
    drop: list[str] = field(default_factory=list[str])
    """Something is there that must not be captured."""
    folders: set[str] = field(default_factory=set[str])
    """Folders that git does not know, so they may have no captured file."""
    not_covered: list[SkippedPath] = field(default_factory=list[SkippedPath])
    secrets: list[str] = field(default_factory=list[str])
    """Secret files that are not tracked; they are captured separately."""
    tracked_secrets: Collection[str] = ()
    """Secret files in the user's index: they are in the repository anyway."""
    rules_touched: bool = False
    """Whether a .gitignore changed."""

    def leave_out(self, path: str, reason: str) -> None:
        """Drop the old version too, so that it is not taken for the current one."""
        self.drop.append(path)
        self.not_covered.append(SkippedPath(path, reason))


async def list_differences(git: Git) -> tuple[GitResult, GitResult]:
    """Paths whose content differs from the index, and paths that the index does not have."""
    return await run_both(
        git.run("diff-files", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty"),
        git.run("ls-files", "-z", "--others", "--directory", "--exclude-standard"),
    )


async def scan(git: Git, listing: tuple[GitResult, GitResult], *, limit_bytes: int, user_index: UserIndex) -> Scan:
    changed, others = listing
    submodules = user_index.submodules
    found = Scan(tracked_secrets=user_index.secrets)
    beyond = {path for path in changed.fields if passes_link(git.work_tree, path)}
    found.drop += beyond
    closed = [path[:-1] for path in others.fields if path.endswith("/")]
    paths = [path for path in changed.fields if path not in beyond]
    closed += await _were_files(git, [path for path in paths if path not in submodules])
    paths += [path for path in others.fields if not path.endswith("/")]
    paths += [folder for folder in closed if folder in submodules]
    paths += await _look_inside(git, [folder for folder in closed if folder not in submodules], found)
    for path in paths:
        examine(git.work_tree, path, found, limit_bytes=limit_bytes, submodules=submodules)
    # Secret files that the index still has: when captured last, they were tracked, or not regular files.
    found.drop += {*changed.fields}.intersection(found.secrets)
    found.rules_touched = any(path.rpartition("/")[2] == ".gitignore" for path in paths)
    _note_unreadable(changed.stderr, others.stderr, found)
    found.not_covered += [SkippedPath(path, SUBMODULE) for path in submodules]
    return found


def examine(root: Path, path: str, found: Scan, *, limit_bytes: int, submodules: Collection[str] = ()) -> None:
    """Sort one path into `found`."""
    if path.endswith("/"):
        found.not_covered.append(SkippedPath(path[:-1], NESTED))
        return
    full = root / path
    try:
        info = full.lstat()
    except (FileNotFoundError, NotADirectoryError):
        found.gone.append(path)
        return
    except OSError as error:
        found.leave_out(path, f"it can't be read: {error.strerror}")
        return
    if path in submodules and stat.S_ISDIR(info.st_mode):
        found.take.append(path)
    elif stat.S_ISDIR(info.st_mode):
        found.drop.append(path)
    elif reason := _obstacle(full, info, limit_bytes):
        found.leave_out(path, reason)
    elif stat.S_ISREG(info.st_mode) and is_secret(path) and path not in found.tracked_secrets:
        found.secrets.append(path)
    else:
        found.take.append(path)


def passes_link(root: Path, path: str) -> bool:
    """Whether a parent folder is a symbolic link, so that the path leads elsewhere."""
    return any((root / folder).is_symlink() for folder in parents(path))


def parents(path: str) -> list[str]:
    """The parent folders of a path, innermost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)]


async def select(git: Git, *args: str, paths: Iterable[str]) -> Selection:
    """What a git command lists for these paths, which it takes as arguments."""
    given = list(paths)
    chunks = [given[start : start + PATHS_A_CALL] for start in range(0, len(given), PATHS_A_CALL)]
    answers = [await git.run(*args, "--", *chunk) for chunk in chunks]
    return Selection(
        [field for answer in answers for field in answer.fields], "".join(answer.stderr for answer in answers)
    )


async def ignored(git: Git, paths: Iterable[str]) -> set[str]:
    """The paths that the ignore rules cover, tracked or not."""
    # Only this command can't take paths literally; `./` keeps it from interpreting them.
    given = nul_list(f"./{path}" for path in paths)
    if not given:
        return set()
    args, env = ("check-ignore", "-z", "--stdin", "--no-index"), {"GIT_LITERAL_PATHSPECS": "0"}
    asked = await git.run(*args, stdin=given, accept=(0, 1), env=env)
    return {path.removeprefix("./") for path in asked.fields}


async def _were_files(git: Git, changed: Iterable[str]) -> list[str]:
    """Folders where the index has a file: git does not list them until that entry is removed."""
    swapped = [path for path in changed if (git.work_tree / path).is_dir() and not (git.work_tree / path).is_symlink()]
    if not swapped:
        return []
    await git.run("update-index", "--force-remove", "-z", "--stdin", stdin=nul_list(swapped))
    covered = await ignored(git, swapped)
    return [path for path in swapped if path not in covered]


async def _look_inside(git: Git, folders: list[str], found: Scan) -> list[str]:
    """The files in folders that git lists without their content; their subfolders go to `found`."""
    if not folders:
        return []
    listed = ("ls-files", "-z", "--others", "--exclude-standard")
    files, closed = await run_both(
        select(git, *listed, paths=folders), select(git, *listed, "--ignored", "--directory", paths=folders)
    )
    _note_unreadable_folders(files.stderr, found)
    # Git also lists a folder as ignored if it is not, but everything in it is.
    stop = await ignored(git, {path.rstrip("/") for path in closed.fields} - set(folders))
    stop |= {path.rstrip("/") for path in files.fields if path.endswith("/")}
    for folder in folders:
        if folder not in stop:
            found.folders.update(_folders_in(git.work_tree, folder, stop))
    return files.fields


def _folders_in(root: Path, top: str, stop: Collection[str]) -> list[str]:
    collected: list[str] = []
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        collected.append(folder)
        try:
            inner = [
                f"{folder}/{entry.name}" for entry in os.scandir(root / folder) if entry.is_dir(follow_symlinks=False)
            ]
        except OSError:
            continue
        waiting += [path for path in inner if path not in stop and not path.endswith("/.git")]
    return collected


def _obstacle(full: Path, info: os.stat_result, limit_bytes: int) -> str | None:
    if stat.S_ISLNK(info.st_mode):
        return None
    if not stat.S_ISREG(info.st_mode):
        return "neither a file, a folder nor a link"
    if info.st_size > limit_bytes:
        return f"{info.st_size} bytes, over the limit of {limit_bytes}"
    return None if os.access(full, os.R_OK) else "it can't be read: permission denied"


def _note_unreadable(from_index: str, from_walk: str, found: Scan) -> None:
    """Git skips what it can't read; an old version of it must not be in the checkpoint."""
    _note_unreadable_folders(from_walk, found)
    for line in from_index.splitlines():
        match = UNREADABLE_FILE.fullmatch(line)
        if match is None:
            raise GitError("diff-files", 0, line)
        found.leave_out(match[1], f"it can't be read: {match[2]}")


def _note_unreadable_folders(stderr: str, found: Scan) -> None:
    for line in stderr.splitlines():
        if match := UNREADABLE_FOLDER.fullmatch(line):
            found.not_covered.append(SkippedPath(match[1], f"it can't be read: {match[2]}"))
