"""The work tree for a chat's commands: creates it, keeps it equal to the checkout plus pending changes, removes it."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from mulligan.runtime.threads import run_stoppable
from mulligan.types.changes import FileState
from mulligan.types.checkpoints import WorkTree
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.checkpoints.model import Blob, SkippedPath
from mulligan.workspace.checkpoints.objects import file_deltas
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.scan import passes_link
from mulligan.workspace.checkpoints.tree_files import TreeFiles
from mulligan.workspace.command_tree.links import LinkedFolders
from mulligan.workspace.commands import SHOWN_BYTES, ProjectCommands
from mulligan.workspace.files.confined_folders import existing_folder, split
from mulligan.workspace.files.file_bytes import read_file_state
from mulligan.workspace.files.paths import printable
from mulligan.workspace.files.targets import StagedFiles
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.run_tree.returning import LOCKS, FileSetter
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.work_tree_watch import Differing, WorkTreeSnapshot, WorkTreeWatch
from mulligan.workspace.worktrees import WorkTrees, WorkTreeUnusable
from mulligan.workspace.worktrees.copying import Moved, copy_uncovered
from mulligan.workspace.worktrees.dependencies import find_dependencies
from mulligan.workspace.worktrees.layout import chat_of_commands, commands_name
from mulligan.workspace.worktrees.work_since import snapshot_work

Confined = Callable[[Path, tuple[Path, ...]], Sandbox]
"""Makes the sandbox of a folder, in which the other folders can be read."""

CHANGED_MEANWHILE = "it was changed in the project while the command ran, so what the command made of it was left out"


@dataclass(slots=True)
class CommandTree:
    """The work tree of one chat. Commands run in it one at a time."""

    tree: WorkTree
    folder: Path
    """The project's folder in the work tree."""
    apart: tuple[SkippedPath, ...]
    """What the checkout has and the work tree lacks, and why."""
    checkout: WorkTreeWatch
    watch: WorkTreeWatch
    links: LinkedFolders
    sandbox: Sandbox
    copied_from: WorkTreeSnapshot | None = None
    """The checkout when it was last copied here; None if that is unknown, or a command was stopped."""
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    in_use: bool = False
    """The current turn needs it, even if nothing is pending."""
    _held: WorkTreeSnapshot | None = None
    """The work tree as we last left it."""
    _applied: Mapping[str, FileState | None] = field(default_factory=dict[str, FileState | None])
    """The pending changes that were last applied here, by path from the top."""
    _touched: frozenset[str] = frozenset()
    """Files that commands changed since then."""

    @property
    def inner(self) -> str:
        """The project's path relative to the top of the work tree, as a prefix."""
        inner = self.folder.relative_to(self.tree.path).as_posix()
        return "" if inner == "." else f"{inner}/"

    async def bring_up_to_date(self, pending: StagedFiles) -> None:
        """Make it equal to the checkout plus the chat's pending changes. Raises `MulliganError`."""
        with translate_os_errors("The work tree for commands was not brought up to date"):
            now = await self.checkout.snapshot()
            wanted = {self.inner + path: image for path, image in pending.items()}
            paths = {*await self._changed_since(now), *self._touched, *_differing(self._applied, wanted)}
            # Unknown until everything is written: if this is stopped in between, the next call starts over.
            self.copied_from = None
            written = await run_stoppable(lambda stop: self._write(paths, wanted, stop))
            if await self._follow_head(now.head) or self._held is None:
                self._held = await self.watch.snapshot()
            else:
                self._held = replace(self._held, files={**self._held.files, **written})
            self.copied_from, self._applied, self._touched = now, wanted, frozenset()

    async def run(
        self, command: str, *, time_limit: float, access: ExtraAccess, shown_bytes: int = SHOWN_BYTES
    ) -> CommandResult:
        """Run a command in the project's folder of the work tree. The checkout's path is translated to the work tree's
        in the command, and back in its output. Raises `CallRejected`."""
        copied_from, self.copied_from = self.copied_from, None
        environ = await asyncio.to_thread(run_environment, os.environ, self.folder)
        commands = ProjectCommands(self.folder, self.sandbox, environ=environ, shown_bytes=shown_bytes)
        there = Moved(Path(self.tree.project), Path(self.tree.path))
        result = await commands.run(_said(command, there), time_limit=time_limit, access=access)
        self.copied_from = copied_from
        back = Moved(there.to, there.checkout)
        return replace(result, command=command, stdout=_said(result.stdout, back), stderr=_said(result.stderr, back))

    async def changed(self) -> dict[str, FileState | str | None]:
        """Files that the last command changed, by path from the top: the new content, None if deleted, or why it can't
        be staged."""
        if self._held is None:
            return {}
        after = await self.watch.snapshot()
        paths = [move.path for move in await self.watch.moves(self._held, after)]
        self._held = after
        self._touched |= {*paths}
        images = await asyncio.to_thread(_images, Path(self.tree.path), paths)
        return images | dict.fromkeys(await self._changed_meanwhile(paths), CHANGED_MEANWHILE)

    async def _changed_meanwhile(self, paths: Collection[str]) -> Collection[str]:
        """The files among these that somebody changed in the checkout since they were copied here: the command's
        version does not include those changes."""
        if not paths or not self.copied_from:
            return ()
        moves = await self.checkout.moves(self.copied_from, await self.checkout.snapshot())
        return {move.path for move in moves}.intersection(paths)

    async def _changed_since(self, now: WorkTreeSnapshot) -> Collection[str]:
        """Paths where the checkout may differ from what was copied here."""
        if self.copied_from:
            return [move.path for move in await self.checkout.moves(self.copied_from, now)]
        git, self._held, self._applied = self.watch.git, None, {}
        theirs, ours = await snapshot_work(self.checkout.git.work_tree), await snapshot_work(git.work_tree)
        await asyncio.to_thread(copy_uncovered, self.checkout.git.work_tree, git.work_tree, theirs)
        return [move.path for move in await file_deltas(git, theirs.tree, ours.tree)]

    def _write(
        self, paths: Collection[str], wanted: Mapping[str, FileState | None], stop: Event
    ) -> dict[str, Differing]:
        """Returns what `WorkTreeSnapshot` would list for the files that had to be written."""
        root, checkout = self.watch.git.work_tree, self.checkout.git.work_tree
        ours, theirs = (TreeFiles(each, self.checkout.git.object_format) for each in (root, checkout))
        contents: dict[str, bytes] = {}
        to_set: dict[str, Blob | None] = {}
        written: dict[str, Differing] = {}
        known: Mapping[str, Differing] = self._held.files if self._held else {}
        for path in paths:
            image = wanted[path] if path in wanted else _image(checkout, path)
            if isinstance(image, str):  # for example too large: the file here stays as it is
                continue
            blob = theirs.blob_of(image.mode, image.data) if image else None
            present = ours.look(path).blob
            if present != blob:
                to_set[path] = blob
                # A file that was not listed is as in HEAD.
                written[path] = Differing(blob, known[path].head if path in known else present)
                contents |= {blob.oid: image.data} if image and blob else {}
        source = self.watch.git.git_dir / "mulligan" / "commands-put"
        source.parent.mkdir(exist_ok=True)
        setter = FileSetter(root, ours, contents, lambda folder: (checkout / folder).is_dir(), source)
        setter.run(to_set, stop)
        self.links.refresh()
        return written

    async def _follow_head(self, head: str | None) -> bool:
        """Set HEAD to the checkout's, so that `git log` and `git diff` show the same in both."""
        git = self.watch.git
        own = self._held.head if self._held else (await self.watch.snapshot()).head
        if head is None or head == own:
            return False
        for name in LOCKS:
            (git.git_dir / name).unlink(missing_ok=True)
        await git.run("update-ref", "--no-deref", "HEAD", head)
        await git.run("reset", "--quiet", "--mixed")
        return True


class CommandTrees:
    """The work trees of a project's chats, by chat; each is created when first needed."""

    def __init__(
        self, trees: WorkTrees, project: Path, confined: Confined, needed: Callable[[str], Awaitable[bool]]
    ) -> None:
        """`needed` tells whether a chat has pending changes."""
        self._needed = needed
        self._trees = trees
        self._project = project
        self._confined = confined
        self._open: dict[str, CommandTree] = {}
        self._opening = asyncio.Lock()

    async def of(self, chat_id: str) -> CommandTree:
        """Raises `NoRepository`, `GitMissing` or another `MulliganError` if there can't be one."""
        async with self._opening:
            known = self._open.get(chat_id)
            if known is None or not known.folder.is_dir():
                self._open[chat_id] = known = await self._opened(chat_id)
            return known

    async def unneeded(self) -> list[WorkTree]:
        """The work trees of chats without pending changes."""
        found: list[WorkTree] = []
        for tree in await self._trees.of_commands():
            chat_id = chat_of_commands(tree.path) or ""
            known = self._open.get(chat_id)
            busy = known and (known.alone.locked() or known.in_use)
            if not busy and not await self._needed(chat_id):
                found.append(tree)
        return found

    async def sweep(self) -> None:
        """Remove the work trees of chats without pending changes, and what killed processes left of others."""
        if not await asyncio.to_thread(self._has_any):
            return
        for tree in await self.unneeded():
            self._open.pop(chat_of_commands(tree.path) or "", None)
            await self._trees.remove(tree.id)
        for leftover in await self._trees.leftovers():
            if chat_of_commands(leftover.name):
                await self._trees.remove(leftover.name)

    def _has_any(self) -> bool:
        """Checked in the file system, which is faster than asking git."""
        with suppress(FileNotFoundError), os.scandir(self._trees.folder) as entries:
            return any(chat_of_commands(entry.name) for entry in entries)
        return False

    async def _opened(self, chat_id: str) -> CommandTree:
        checkout = await WorkTreeWatch.open(self._project)
        seen = await checkout.snapshot()
        for row in await self._trees.of_commands():
            if chat_of_commands(row.path) == chat_id:
                try:
                    return await self._with_links(await self._trees.reuse(row.id), checkout)
                except WorkTreeUnusable:
                    await self._trees.remove(row.id)
        await self.sweep()
        made = await self._trees.make(commands_name(chat_id), dependencies=False)
        tree = await self._with_links(made.tree, checkout, made.skipped)
        tree.copied_from = seen  # taken before the copy, so that later changes are noticed
        return tree

    async def _with_links(
        self, tree: WorkTree, checkout: WorkTreeWatch, apart: tuple[SkippedPath, ...] = ()
    ) -> CommandTree:
        found = await find_dependencies(checkout.git, tree.base_commit)
        links = LinkedFolders(Moved(checkout.git.work_tree, Path(tree.path)), found)
        watch = await WorkTreeWatch.open(Path(tree.path))
        sandbox = self._confined(Path(tree.path), links.sources)
        return CommandTree(tree, self._trees.folder_in(tree), apart, checkout, watch, links, sandbox)


def _differing(one: Mapping[str, FileState | None], other: Mapping[str, FileState | None]) -> set[str]:
    """The paths where the two differ."""
    return {
        path for path in one.keys() | other.keys() if (path in one, one.get(path)) != (path in other, other.get(path))
    }


def _images(root: Path, paths: Collection[str]) -> dict[str, FileState | str | None]:
    return {path: _image(root, path) for path in paths}


def _image(root: Path, path: str) -> FileState | str | None:
    """The file at a path, None for nothing or a folder, or why an image can't hold it."""
    folders, name = split(path)
    try:
        with existing_folder(root, folders) as folder:
            return None if folder is None else read_file_state(name, folder=folder, shown=printable(path))
    except CallRejected as rejected:
        return None if (root / path).is_dir() or passes_link(root, path) else str(rejected)


def _said(text: str, moved: Moved) -> str:
    return os.fsdecode(moved.text(os.fsencode(text)))
