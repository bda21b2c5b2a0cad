"""The work trees of a checkout: creates, finds, lists and removes them without losing work."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from mulligan.ports.checkpoints import WorkTreeRepository
from mulligan.runtime.threads import run_stoppable
from mulligan.types.checkpoints import WorkTree
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.checkpoints.model import SkippedPath, Snapshot, StepHook, no_interruption
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.git import Git, GitError, NoRepository, open_repository
from mulligan.workspace.worktrees.adopting import adopt
from mulligan.workspace.worktrees.copying import copy_uncovered, fill, forget_branch
from mulligan.workspace.worktrees.dependencies import copy_dependencies, find_dependencies
from mulligan.workspace.worktrees.discarding import delete_set_aside, discard, disk_size
from mulligan.workspace.worktrees.layout import (
    WorktreeLayout,
    chat_of_commands,
    entries_of,
    is_empty,
    new_layout,
    refs_below,
    write_refs,
)
from mulligan.workspace.worktrees.leftovers import find_leftovers
from mulligan.workspace.worktrees.locks import hold_lock
from mulligan.workspace.worktrees.model import (
    Leftover,
    ListedTree,
    Loss,
    MadeTree,
    Removed,
    WorkTreeDirty,
    WorkTreeUnusable,
)
from mulligan.workspace.worktrees.work_since import find_loss, snapshot_work, work_apart

BUSY = "another process is making or removing this work tree; try again"
NO_BASE = ""
"""For a leftover whose base is not known."""


class WorkTrees:
    """The work trees made from one checkout. Its rows cover the whole checkout, whichever folder of it is the project.
    Every method raises `NoRepository` if there is no git repository."""

    def __init__(self, project: Path, store: WorkTreeRepository, *, home: Path) -> None:
        self._project = project.resolve()
        self._store = store
        self.folder = home.resolve() / "worktrees"
        """The folder of all work trees."""

    async def make(self, name: str, *, dependencies: bool = True, on_step: StepHook = no_interruption) -> MadeTree:
        """Make a work tree with the checkout's current content; `name` says for whom. Nothing is left if it fails.

        Without `dependencies`, the caller provides them.
        """
        git = await open_repository(self._project)
        if self.folder.is_relative_to(git.work_tree):
            raise ConfigurationError(
                f"work trees would lie inside the project, in {self.folder}: set MULLIGAN_HOME to a folder elsewhere"
            )
        place = new_layout(self.folder, git.work_tree.name, name)
        with translate_os_errors("No work tree was made"):
            self._make_private_folder()
            async with hold_lock(place.lock, busy=BUSY):
                try:
                    return await self._made(git, place, name, on_step, dependencies=dependencies)
                except BaseException:
                    await discard(git, place)
                    place.lock.unlink(missing_ok=True)
                    raise

    async def reuse(self, worktree_id: str) -> WorkTree:
        """The work tree with this id, or with an id that begins so, ready to work in. Raises `WorkTreeUnusable`."""
        git, tree = await open_repository(self._project), await self._row(worktree_id)
        path = self._place(tree).path
        if not path.is_dir():
            raise WorkTreeUnusable(f"the work tree {tree.id} is gone: {tree.path} was deleted")
        if not await _is_sound(git, path):
            await git.run("worktree", "repair", os.fspath(path), accept=None)
            if not await _is_sound(git, path):
                raise WorkTreeUnusable(f"the work tree {tree.id} is broken: git can't open {path} as one of its own")
        if not await commit_of(git, tree.base_commit):
            raise WorkTreeUnusable(f"the work tree {tree.id} can't be used: git has lost the content it started from")
        return replace(tree, path=str(path))

    def folder_in(self, tree: WorkTree) -> Path:
        """The project's folder in a work tree."""
        return Path(tree.path) / self._project.relative_to(tree.project)

    async def listed(self) -> list[ListedTree]:
        git = await open_repository(self._project)
        return [await self._state(git, tree) for tree in await self._store.list(str(git.work_tree))]

    async def of_commands(self) -> list[WorkTree]:
        """The work trees in which chats run commands. All their content is elsewhere too."""
        git = await open_repository(self._project)
        return [tree for tree in await self._rows(git.work_tree) if chat_of_commands(tree.path)]

    async def leftovers(self) -> list[Leftover]:
        """What has no row: a crash left it, or somebody deleted the rest."""
        git = await open_repository(self._project)
        traces = await find_leftovers(git, self.folder)
        known = {Path(tree.path).name for path in await entries_of(git) for tree in await self._rows(path)}
        return [trace for trace in traces if trace.name not in known]

    async def find(self, given: str | None) -> WorkTree:
        """Find by the beginning of an id, or by path, which may be any work tree of the repository. Without either, the
        only one there is. Raises `WorkTreeUnusable`."""
        git = await open_repository(self._project)
        rows = await self._rows(git.work_tree)
        if given is None:
            agents = [tree for tree in rows if not chat_of_commands(tree.path)]
            if len(agents) == 1:
                return await self.reuse(agents[0].id)
            there = ", ".join(tree.id for tree in agents)
            raise WorkTreeUnusable(f"name the work tree: there are {there}" if agents else "there is no work tree")
        if given and any(tree.id.startswith(given.lower()) for tree in rows):
            return await self.reuse(given)
        path = _existing_folder(given)
        own = next((tree for tree in rows if path.is_relative_to(tree.path)), None)
        return await self.reuse(own.id) if own else await adopt(git, path)

    async def remove(self, given: str, *, force: bool = False, on_step: StepHook = no_interruption) -> Removed:
        """Remove a work tree, by id, or a leftover, by name. Raises `WorkTreeDirty` if work would be lost.

        With `force`, a last checkpoint of that work is kept.
        """
        git = await open_repository(self._project)
        leftover = next((each for each in await self.leftovers() if each.name == given), None)
        row = None if leftover else await self._row(given)
        place = WorktreeLayout(given, self.folder) if row is None else self._place(row)
        with translate_os_errors("The work tree was not removed"):
            async with hold_lock(place.lock, busy=BUSY):
                if row and row.id not in {tree.id for tree in await self._rows(git.work_tree)}:
                    place.lock.unlink(missing_ok=True)
                    raise WorkTreeUnusable(f"the work tree {row.id} was removed by another process")
                removed = await self._secured(git, place, row, force=force)
                on_step("after its work is kept")
                await discard(git, place, on_step=on_step)
                if row:
                    await self._store.delete(row.id)
                on_step("after the row is gone")
                place.lock.unlink(missing_ok=True)
        await asyncio.to_thread(delete_set_aside, self.folder)
        return removed

    async def _made(
        self, git: Git, place: WorktreeLayout, name: str, on_step: StepHook, *, dependencies: bool
    ) -> MadeTree:
        on_step("before the checkout is captured")
        snapshot = await snapshot_work(git.work_tree, label=f"start of a work tree for {name}")
        await write_refs(git, [f"create {place.making} {snapshot.commit}"])
        on_step("after the checkout is captured")
        # Without a commit there is nothing to detach HEAD at, so it is the snapshot's commit for a moment.
        start = snapshot.head.commit or snapshot.commit
        await git.run("worktree", "add", "--detach", "--no-checkout", os.fspath(place.path), start)
        on_step("after git made it")
        if snapshot.head.commit is None:
            await forget_branch(await open_repository(place.path), place.branch)
        await fill(place.path, snapshot, on_step=on_step)
        apart = await self._bring_along(git, place, snapshot, dependencies=dependencies)
        on_step("after the dependencies")
        await write_refs(git, [f"create {place.base} {snapshot.commit}", f"delete {place.making} {snapshot.commit}"])
        folder = place.path / self._project.relative_to(git.work_tree)
        folder.mkdir(parents=True, exist_ok=True)
        on_step("before the row")
        tree = await self._store.add(project=str(git.work_tree), path=str(place.path), base_commit=snapshot.commit)
        on_step("after the row")
        return MadeTree(tree, folder, apart)

    async def _bring_along(
        self, git: Git, place: WorktreeLayout, snapshot: Snapshot, *, dependencies: bool
    ) -> tuple[SkippedPath, ...]:
        """Copy what no snapshot holds but the work needs. Returns what is missing."""
        left = await asyncio.to_thread(copy_uncovered, git.work_tree, place.path, snapshot)
        if not dependencies:
            return tuple(left)
        found = await find_dependencies(git, snapshot.tree)
        return (
            *left,
            *await run_stoppable(lambda stop: copy_dependencies(git.work_tree, place.path, found, stop=stop)),
        )

    async def _state(self, git: Git, tree: WorkTree) -> ListedTree:
        path = self._place(tree).path
        if not path.is_dir():
            return ListedTree(tree, "gone", Loss(), 0)
        size = await asyncio.to_thread(disk_size, path)
        try:
            if not await _is_sound(git, path):
                return ListedTree(tree, "broken", Loss(), size)
            if chat_of_commands(tree.path):
                return ListedTree(tree, "clean", Loss(), size)
            loss, _ = await find_loss(replace(tree, path=str(path)))
        except MulliganError:  # list the others even if one is broken
            return ListedTree(tree, "broken", Loss(), size)
        return ListedTree(tree, "changed" if loss else "clean", loss, size)

    async def _secured(self, git: Git, place: WorktreeLayout, row: WorkTree | None, *, force: bool) -> Removed:
        """Make sure that removing it loses no work, or with `force` keep a checkpoint of that work."""
        shown = row.id if row else place.name
        if chat_of_commands(place.name):
            return Removed(shown, None)
        refs = await refs_below(git, place.making, place.base)
        base = row.base_commit if row else refs.get(place.base, NO_BASE)
        if not place.path.exists() or place.making in refs or is_empty(place.path):
            return Removed(shown, None)
        if not base or not await _is_sound(git, place.path):
            if force:
                return Removed(shown, None, (SkippedPath(str(place.path), "it is not a valid work tree"),))
            raise WorkTreeDirty(shown, None)
        tree = WorkTree(shown, str(git.work_tree), str(place.path), base, 0.0)
        loss, now = await find_loss(tree, label=f"the end of {place.name}")
        if not loss:
            return Removed(shown, None)
        if not force:
            raise WorkTreeDirty(shown, loss)
        await write_refs(git, [f"update {place.kept} {now.commit}"])
        return Removed(shown, place.kept, tuple(work_apart(place.path, git.work_tree, now.outside_tree)))

    async def _row(self, prefix: str) -> WorkTree:
        git = await open_repository(self._project)
        typed = prefix.strip().lower()
        rows = [tree for tree in await self._rows(git.work_tree) if typed and tree.id.startswith(typed)]
        if len(rows) == 1:
            return rows[0]
        if rows:
            ids = ", ".join(tree.id for tree in rows)
            raise WorkTreeUnusable(f"{prefix!r} is the beginning of several work trees ({ids}): type more of it")
        raise WorkTreeUnusable(f"there is no work tree {prefix!r}: `mulligan worktrees list` lists them")

    async def _rows(self, checkout: Path) -> list[WorkTree]:
        return await self._store.list(str(checkout))

    def _place(self, tree: WorkTree) -> WorktreeLayout:
        """Where it was made, unless the whole home folder has moved since."""
        path = Path(tree.path)
        return WorktreeLayout(path.name, path.parent if path.is_dir() else self.folder)

    def _make_private_folder(self) -> None:
        """Only the owner may enter: private files are in there with ordinary permissions."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)


def _existing_folder(given: str) -> Path:
    path = Path(given).resolve()
    if not path.is_dir():
        raise WorkTreeUnusable(
            f"there is no work tree {given!r}, nor a folder of this name: `mulligan worktrees list` lists them"
        )
    return path


async def _is_sound(checkout: Git, path: Path) -> bool:
    try:
        git = await open_repository(path)
    except (NoRepository, GitError):
        return False
    return git.work_tree == path and git.common_dir == checkout.common_dir
