"""The work tree of a fix run: create or reopen it, work in it, bring back the result, remove it."""

import asyncio
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from posixpath import join, normpath, relpath
from secrets import token_hex

from mulligan.ports.changes import ChangeRepository
from mulligan.ports.checkpoints import CheckpointStore
from mulligan.types.changes import FileState
from mulligan.types.checkpoints import WorkTree
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement, ExtraAccess
from mulligan.workspace.changes.file_locks import file_lock
from mulligan.workspace.changes.writing import write_file_state
from mulligan.workspace.checkpoints import Snapshot, capture, diff_text, drop, read_snapshot
from mulligan.workspace.checkpoints.area import private_area
from mulligan.workspace.checkpoints.model import StepHook, no_interruption
from mulligan.workspace.checkpoints.objects import file_deltas
from mulligan.workspace.checkpoints.service import Checkpoints
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.files.confined_folders import present_file
from mulligan.workspace.files.file_bytes import decode, encode
from mulligan.workspace.files.paths import is_internal, locate, printable
from mulligan.workspace.git import open_repository
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.run_tree.returning import apply_patch, captured_paths, restore_files, return_to, with_endings_of
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.worktrees import ImportedWork, WorkTreeDirty, WorkTrees, import_work
from mulligan.workspace.worktrees.work_since import find_loss

LOGGED_BYTES = 400_000
"""Of each stream: what fits into a run's log. Callers shorten it for a model."""
NO_QUOTA = sys.maxsize
"""A run's snapshots are deleted with the run. Until then it may return to any of them."""


Confined = Callable[[Path], Sandbox]


class RunTree:
    """A work tree for one run. Paths are relative to `folder`; those that begin with `../` are in the same work tree,
    outside the project. Snapshots are named by the ids of checkpoints."""

    @classmethod
    async def make(cls, trees: WorkTrees, store: CheckpointStore, run_id: str, confined: Confined) -> "RunTree":
        """Starts with the checkout's current content. Raises what `WorkTrees.make` raises."""
        made = await trees.make(f"fix-{run_id}")
        return cls(trees, store, made.tree, confined)

    @classmethod
    async def reopen(cls, trees: WorkTrees, store: CheckpointStore, worktree_id: str, confined: Confined) -> "RunTree":
        """As the run left it. Raises what `WorkTrees.reuse` raises."""
        return cls(trees, store, await trees.reuse(worktree_id), confined)

    def __init__(self, trees: WorkTrees, store: CheckpointStore, tree: WorkTree, confined: Confined) -> None:
        """`confined` makes the sandbox of a folder."""
        self.tree = tree
        self.folder = trees.folder_in(tree)
        """The project's folder in the work tree."""
        self._root = Path(tree.path)
        self._trees = trees
        self._store = store
        # The whole work tree: what is made there is discarded, or checked before it comes back.
        self._sandbox = confined(self._root)
        self._inner = self.folder.relative_to(self._root).as_posix()

    async def keep(self, label: str) -> str:
        """Record the current state as a snapshot, and return its id."""
        await self._make_sound()
        made = await self._checkpoints().create(label=label, kind="turn", worktree_id=self.tree.id)
        return made.checkpoint.id

    async def return_to(self, snapshot: str, *, on_step: StepHook = no_interruption) -> None:
        """Restore files, HEAD and index of a snapshot; the current state is lost, except for ignored files.

        If run again after a crash, it finishes.
        """
        await self._make_sound()
        await return_to(self._root, await self._at(snapshot), on_step=on_step)

    async def paths_at(self, snapshot: str) -> frozenset[str]:
        """All files of the snapshot."""
        git = await open_repository(self._root)
        paths = await captured_paths(git, await self._at(snapshot))
        return frozenset(self._from_folder(path) for path in paths)

    async def changed_since(self, snapshot: str) -> tuple[str, ...]:
        """Files that were created, changed or deleted."""
        then = await self._at(snapshot)
        now = await self._now(then)
        moves = await file_deltas(await open_repository(self._root), then.tree, now.tree)
        return tuple(sorted(self._from_folder(move.path) for move in moves))

    async def diff_since(self, snapshot: str) -> str:
        """A unified diff, with paths relative to the repository."""
        then = await self._at(snapshot)
        return await diff_text(self._root, then, await self._now(then))

    async def patch_between(self, earlier: str, later: str) -> bytes:
        """The changes from one snapshot to another as a patch for `git apply`, including binary files."""
        before, after = await self._at(earlier), await self._at(later)
        options = ("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color")
        async with private_area(self._root) as area:
            return (await area.git.run("diff-tree", *options, before.tree, after.tree)).stdout

    async def apply_patch(self, patch: bytes) -> None:
        """Apply a patch to the files, all of it or nothing. Raises `GitError`."""
        await apply_patch(self._root, patch)

    async def restore_files(self, snapshot: str, paths: Collection[str]) -> None:
        """Restore bytes and mode of these files; one that is not in the snapshot is deleted."""
        await self._make_sound()
        await restore_files(self._root, await self._at(snapshot), [self._from_root(path) for path in paths])

    def without_folder(self, text: str) -> str:
        """A command's output, with paths inside `folder` made relative to it."""
        for root in dict.fromkeys((str(self.folder), str(self.folder.resolve()))):
            text = text.replace(f"file://{root}/", "").replace(f"{root}/", "")
        return text

    async def run(self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS) -> CommandResult:
        """Run a command in the project's folder, with the work tree's own tools and code. Raises `CallRejected`."""
        # Computed each time: a command may have installed something.
        environ = await asyncio.to_thread(run_environment, os.environ, self.folder)
        commands = ProjectCommands(self.folder, self._sandbox, environ=environ, shown_bytes=LOGGED_BYTES)
        return await commands.run(command, time_limit=time_limit, access=access)

    async def confinement(self) -> Confinement:
        return await self._sandbox.confinement()

    async def write_text(self, path: str, text: str) -> None:
        r"""Give a file new lines, joined by \n. Its encoding, mode and line endings stay, including that of the last
        line. A new file, and one that was empty, ends in a line ending.

        Raises `CallRejected` for a path outside the project or closed to tools, and for a file that is not text.
        """
        relative = (await asyncio.to_thread(locate, self.folder, path)).relative
        async with file_lock(self.folder, relative):
            await asyncio.to_thread(_write_text, self.folder, relative, text)

    async def file_state(self, path: str) -> FileState | None:
        """Raises `CallRejected` for a path outside the project or closed to tools."""
        relative = (await asyncio.to_thread(locate, self.folder, path)).relative
        return await asyncio.to_thread(present_file, self.folder, relative)

    async def put_back(self, path: str, state: FileState | None) -> None:
        """Give a file its earlier bytes and mode; None deletes it. Raises what `file_state` raises."""
        relative = (await asyncio.to_thread(locate, self.folder, path)).relative
        async with file_lock(self.folder, relative):
            await asyncio.to_thread(_put_back, self.folder, relative, state)

    async def has_file(self, path: str) -> bool:
        """Also one that can't be read. Raises `CallRejected` for a path outside the project or closed to tools."""
        place = await asyncio.to_thread(locate, self.folder, path)
        return await asyncio.to_thread((self.folder / place.relative).is_file)

    async def data_with(self, path: str, text: str) -> bytes:
        """The file's bytes as `write_text` would write them. Raises what it raises."""
        relative = (await asyncio.to_thread(locate, self.folder, path)).relative
        present = await asyncio.to_thread(present_file, self.folder, relative)
        return _with_lines(present, relative, text).data

    async def import_work(self, changes: ChangeRepository, project: str, chat_id: str | None) -> ImportedWork:
        """Stage each difference from the checkout that the tree was made from, once."""
        return await import_work(self.tree, changes, project=project, chat_id=chat_id)

    async def remove(self) -> bool:
        """Remove the tree with all its snapshots. Returns False, having done nothing, if work would be lost."""
        await self._make_sound()
        loss, _ = await find_loss(self.tree)
        if loss:
            return False
        # Checkpoints first, since they are found through the work tree: if killed in between, this can be called again.
        kept = await self._store.checkpoints.list(root=str(self._root))
        await drop(self._root, await self._store.checkpoints.delete([each.id for each in kept]))
        try:
            await self._trees.remove(self.tree.id)
        except WorkTreeDirty:
            return False
        return True

    async def _make_sound(self) -> None:
        """Repair it if a command deleted its `.git` file: git would then use a repository around it."""
        await self._trees.reuse(self.tree.id)

    def _checkpoints(self) -> Checkpoints:
        return Checkpoints(self._root, self._store, new_id=lambda: token_hex(8), quota_bytes=NO_QUOTA)

    async def _at(self, snapshot: str) -> Snapshot:
        return await read_snapshot(self._root, snapshot)

    async def _now(self, then: Snapshot) -> Snapshot:
        """With `before`, a file that was captured then and is now ignored does not look deleted."""
        return await capture(self._root, checkpoint_id=None, before=then)

    def _from_folder(self, path: str) -> str:
        return relpath(f"/{path}", f"/{self._inner}")

    def _from_root(self, path: str) -> str:
        place = normpath(join(self._inner, path))
        if place.startswith("/") or any(part in {".", ".."} or is_internal(part) for part in place.split("/")):
            raise CallRejected("permission_denied", f"{printable(path)} is no file of the work tree.")
        return place


def _write_text(folder: Path, path: str, text: str) -> None:
    present = present_file(folder, path)
    changed = _with_lines(present, path, text)
    if present is None or changed.data != present.data:
        write_file_state(folder, path, expected=present, image=changed)


def _put_back(folder: Path, path: str, state: FileState | None) -> None:
    present = present_file(folder, path)
    if present != state:
        write_file_state(folder, path, expected=present, image=state)


def _with_lines(present: FileState | None, path: str, text: str) -> FileState:
    if present is None:
        return FileState(encode(text if text.endswith("\n") else f"{text}\n", None))
    decoded = decode(present)
    if decoded is None:
        raise CallRejected("exec_error", f"{printable(path)} is no text.")
    # An empty file has no line ending to keep, and is empty again when its text is taken back.
    kept = with_endings_of(decoded.text, text.split("\n")) if decoded.text and text else text + "\n" * bool(text)
    return FileState(encode(kept, decoded), present.mode)
