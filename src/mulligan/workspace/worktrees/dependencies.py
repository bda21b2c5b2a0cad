"""Copies dependency folders into a work tree, so that nothing done there affects the user's own."""

import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from threading import Event

from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.model import SkippedPath
from mulligan.workspace.checkpoints.objects import entries_at
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.git import Git
from mulligan.workspace.worktrees.copying import Copying, Measured, Moved, is_environment, measure, move_environment
from mulligan.workspace.worktrees.discarding import delete_folder

LIMIT_BYTES = 2_000_000_000
"""Most bytes to copy if the file system can't share content between copies."""

ENVIRONMENTS = (".venv", "venv", "env")

FOLDERS = {
    "package.json": ("node_modules",),
    "pyproject.toml": ENVIRONMENTS,
    "setup.py": ENVIRONMENTS,
    "setup.cfg": ENVIRONMENTS,
    "requirements.txt": ENVIRONMENTS,
    "Pipfile": ENVIRONMENTS,
    "Gemfile": (".bundle", "vendor/bundle"),
    "composer.json": ("vendor",),
    "go.mod": ("vendor",),
    "mix.exs": ("deps",),
}
"""Where each manifest's dependencies are installed. Build output (`target`, `dist`) is not included: it contains paths
and times of its original place, so a tool would rebuild it."""

ADVICE = "Install it there if it is needed"

AT_THE_TOP = (*ENVIRONMENTS, "node_modules")
"""Looked for in every project, since many have one without a manifest."""


@frozen
class Dependency:
    path: str
    """From the checkout."""
    source: Path
    """The folder itself, if the path is a link to it."""


async def find_dependencies(git: Git, tree: str) -> list[Dependency]:
    """Dependency folders of the checkout from which the snapshot's tree has no file."""
    captured = (await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)).fields
    wanted = [path for path in dependency_paths(captured) if (git.work_tree / path).is_dir()]
    held = await entries_at(git, tree, wanted)
    above = {folder for path in captured for folder in parents(path)}
    found = [path for path in wanted if path not in held and path not in above]
    return [
        Dependency(path, (git.work_tree / path).resolve())
        for path in found
        if path.rpartition("/")[2] not in ENVIRONMENTS or is_environment(git.work_tree / path)
    ]


def dependency_paths(captured: Iterable[str]) -> list[str]:
    """Where dependency folders may be, given a project's files. None is inside another."""
    places: set[str] = {*AT_THE_TOP}
    for path in captured:
        folder, _, name = path.rpartition("/")
        places.update(f"{folder}/{each}" if folder else each for each in FOLDERS.get(name, ()))
    return sorted(path for path in places if places.isdisjoint(parents(path)))


def copy_dependencies(
    checkout: Path, root: Path, found: Collection[Dependency], *, limit_bytes: int = LIMIT_BYTES, stop: Event
) -> list[SkippedPath]:
    """Copy them into the work tree at `root`, and make Python environments work there. Returns what was left out.

    Ends early if `stop` is set.
    """
    moved = Moved(checkout, root)
    copying = Copying(moved, stop)
    left_out: list[SkippedPath] = []
    left_bytes = limit_bytes
    for dependency in found:
        size = measure(dependency.source)
        shares = size.sample is not None and copying.can_share(size.sample)
        reason = None if shares else _too_large(size, left_bytes, root)
        if reason:
            left_out.append(SkippedPath(dependency.path, reason))
            continue
        left_bytes -= 0 if shares else size.bytes
        try:
            _copy(dependency, copying, moved)
        except OSError as error:
            delete_folder(root / dependency.path)
            why = f"not copied: {error.strerror or error} ({error.filename}). {ADVICE}"
            left_out.append(SkippedPath(dependency.path, why))
    return left_out


def _copy(dependency: Dependency, copying: Copying, moved: Moved) -> None:
    target = moved.to / dependency.path
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        # An empty folder from the snapshot: it contains no captured file.
        delete_folder(target)
    copying.folder(dependency.source, target, shown=moved.checkout / dependency.path)
    if is_environment(target):
        move_environment(target, moved)


def _too_large(size: Measured, left_bytes: int, root: Path) -> str | None:
    if size.bytes > left_bytes:
        return f"not copied: {size.bytes / 1e9:.1f} GB, over what is copied in all. {ADVICE}"
    if size.bytes > shutil.disk_usage(root).free:
        return f"not copied: {size.bytes / 1e9:.1f} GB, more than the disk has left. {ADVICE}"
    return None
