"""What Mulligan stores on disk, and what of it may be deleted: nothing that a user would miss.

Pending changes, chats that were not deleted, complete models, work that was not brought back and checkpoints made by
hand are never touched.
"""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.pruning import KEPT_CHECKPOINTS, UNUSED_DAYS, is_unused, old_checkpoints, unneeded_repositories
from mulligan.store.chats import KEPT_DELETED
from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from mulligan.app.session import Session


@frozen
class PrunableData:
    """One kind of stored data, and what may be deleted of it."""

    name: str
    size: int
    """Bytes on the disk."""
    items: int
    """How many may be deleted."""
    frees: int | None
    """Bytes that this frees; None if only git knows, at its next gc."""
    rule: str
    """Says which items may be deleted."""
    free: Callable[[], Awaitable[None]]


async def survey(session: "Session") -> list[PrunableData]:
    """Everything, for the session's project and for the home folder. Changes nothing."""
    home = session.settings.home
    unused = f"not used for {UNUSED_DAYS} days; rebuilt when needed"
    return [
        *await _checkpoints(session),
        *await _work_trees(session),
        await _chats(session),
        await _files("code indexes", home / "index", unused),
        await _files("sandbox caches", home / "sandbox" / "caches", unused),
        await _repositories(home),
        await _files("logs", home / "logs", f"not written for {UNUSED_DAYS} days, or rotated", also=".old.log"),
        await _files("models", home / "models", "downloads that were never finished", only=".part"),
    ]


async def _checkpoints(session: "Session") -> list[PrunableData]:
    """Checkpoints of the project's checkout; none if it is not a repository."""
    from mulligan.workspace.checkpoints import disk_use
    from mulligan.workspace.git import GitMissing, NoRepository

    try:
        here = await session.checkpoints(session.settings.project)
    except (NoRepository, GitMissing):
        return []
    now = time.time()
    recent = {each.id for each in await session.store.chats.list() if not is_unused(each.updated_at, now)}
    old = old_checkpoints(await here.all(), recent, now)

    async def free() -> None:
        await here.drop(old)

    rule = f"older than {UNUSED_DAYS} days, of no chat used since, none made by hand, not the newest {KEPT_CHECKPOINTS}"
    return [
        PrunableData("checkpoints of this project", await disk_use(here.root), len(old), None if old else 0, rule, free)
    ]


async def _work_trees(session: "Session") -> list[PrunableData]:
    from mulligan.workspace.git import GitMissing, NoRepository
    from mulligan.workspace.worktrees import WorkTreeDirty

    trees, commands = session.worktrees(), session.project_tools(session.settings.project).command_trees()
    try:
        listed, unneeded = await trees.listed(), {each.id for each in await commands.unneeded()}
    except (NoRepository, GitMissing):
        return []
    now = time.time()
    of_commands = {each.id for each in await trees.of_commands()}
    old = [
        each
        for each in listed
        if each.tree.id in unneeded
        or (each.state == "clean" and each.tree.id not in of_commands and is_unused(each.tree.created_at, now))
    ]

    async def free() -> None:
        for each in old:
            with suppress(WorkTreeDirty):  # somebody has worked in it since
                await trees.remove(each.tree.id)

    rule = f"all brought back and made over {UNUSED_DAYS} days ago, or of commands in chats where nothing is pending"
    size, frees = sum(each.size for each in listed), sum(each.size for each in old)
    return [PrunableData("work trees of this project", size, len(old), frees, rule, free)]


async def _chats(session: "Session") -> PrunableData:
    now = time.time()
    deleted = await session.store.chats.list(deleted=True)
    gone = [each for each in deleted if each.deleted_at is not None and now - each.deleted_at > KEPT_DELETED]
    size = await session.store.size()

    async def free() -> None:
        await session.store.chats.purge()
        await session.store.compact()

    days = KEPT_DELETED // (24 * 3600)
    rule = f"deleted more than {days} days ago, and what earlier ones left in the file"
    return PrunableData("chats", size.whole, len(gone), size.unused, rule, free)


async def _repositories(home: Path) -> PrunableData:
    from mulligan.workspace.repository_cache import RepositoryCache

    cache = RepositoryCache.of_home(home)
    cached = await asyncio.to_thread(cache.survey)
    old = unneeded_repositories(cached, time.time())

    async def free() -> None:
        await asyncio.to_thread(cache.delete, old)

    rule = f"not used for {UNUSED_DAYS} days; fetched again when a job needs it"
    size, frees = sum(each.size for each in cached), sum(each.size for each in old)
    return PrunableData("repositories of fleet jobs", size, len(old), frees, rule, free)


async def _files(name: str, folder: Path, rule: str, *, also: str = "", only: str = "") -> PrunableData:
    """The content of a folder. What was not used for long may be deleted: all of it or `only` names with that ending;
    and `also` those."""
    from mulligan.workspace.worktrees.discarding import disk_size

    now = time.time()
    entries = await asyncio.to_thread(_entries, folder)
    old = [
        path
        for path, used in entries
        if (is_unused(used, now) and (not only or path.name.endswith(only))) or (also and path.name.endswith(also))
    ]

    async def free() -> None:
        await asyncio.to_thread(_delete, old)

    size = await asyncio.to_thread(disk_size, folder)
    frees = sum([await asyncio.to_thread(_size, path) for path in old])
    return PrunableData(name, size, len(old), frees, rule, free)


def _entries(folder: Path) -> list[tuple[Path, float]]:
    """Paths with the time of last use: a database in use has files next to it that share its name."""
    used: dict[Path, float] = {}
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):
                stat = path.lstat()
                used[path] = max(stat.st_mtime, stat.st_atime)
    newest: dict[str, float] = {}
    for path, when in used.items():
        stem = path.name.partition(".")[0]
        newest[stem] = max(newest.get(stem, 0.0), when)
    return [(path, newest[path.name.partition(".")[0]]) for path in used]


def _size(path: Path) -> int:
    from mulligan.workspace.worktrees.discarding import disk_size

    with suppress(OSError):
        return disk_size(path) if path.is_dir() and not path.is_symlink() else path.lstat().st_blocks * 512
    return 0


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
