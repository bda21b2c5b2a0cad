"""What a work tree, its index and HEAD look like, found out without Mulligan."""

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Photograph:
    head: str
    """The text of HEAD, and the commit."""
    status: tuple[str, ...]
    """`git status` with the branch, line by line."""
    index: tuple[str, ...]
    files: dict[str, tuple[str, bytes]]
    """Mode and content of all that is in no other repository, ignored or not."""
    folders: frozenset[str]
    ignored: frozenset[str]
    """Files that git ignores and does not track."""
    nested: frozenset[str]

    def is_nested(self, path: str) -> bool:
        return any(path == place or path.startswith(f"{place}/") for place in self.nested)


def take(root: Path) -> Photograph:
    files, folders, nested = _walk(root)
    git_dir = Path(_git(root, "rev-parse", "--absolute-git-dir")[0])
    return Photograph(
        head=(git_dir / "HEAD").read_text(),
        status=tuple(_git(root, "status", "--porcelain=v2", "--branch", "-z", "-uall", "--no-renames", nul=True)),
        index=tuple(_git(root, "ls-files", "-s", "-t", "-v", "-z", nul=True)),
        files=files,
        folders=folders,
        ignored=frozenset(_git(root, "ls-files", "-o", "-i", "--exclude-standard", "-z", nul=True)),
        nested=nested,
    )


def files_at(root: Path, commit: str) -> list[tuple[str, str]]:
    """Modes and paths of the files that a commit holds."""
    rows = (row.partition("\t") for row in _git(root, "ls-tree", "-r", "-z", commit, nul=True))
    return [(header.split(" ")[0], path) for header, _, path in rows]


def _git(root: Path, *args: str, nul: bool = False) -> list[str]:
    env = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    ran = subprocess.run(["git", *args], cwd=root, env=env, check=True, capture_output=True)
    return os.fsdecode(ran.stdout).split("\0" if nul else "\n")[:-1]


def _walk(root: Path) -> tuple[dict[str, tuple[str, bytes]], frozenset[str], frozenset[str]]:
    files: dict[str, tuple[str, bytes]] = {}
    folders: set[str] = set()
    nested: set[str] = set()
    waiting = [root]
    while waiting:
        place = waiting.pop()
        for entry in os.scandir(place):
            path = os.path.relpath(entry.path, root)
            if entry.name == ".git":
                continue
            if not entry.is_dir(follow_symlinks=False):
                files[path] = _file(Path(entry.path))
            elif Path(entry.path, ".git").exists():
                nested.add(path)
            else:
                folders.add(path)
                waiting.append(Path(entry.path))
    return files, frozenset(folders), frozenset(nested)


def _file(path: Path) -> tuple[str, bytes]:
    info = path.lstat()
    if stat.S_ISLNK(info.st_mode):
        return "link", os.fsencode(path.readlink())
    return "program" if info.st_mode & stat.S_IXUSR else "file", path.read_bytes()
