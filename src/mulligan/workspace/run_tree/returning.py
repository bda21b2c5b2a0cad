"""Returns a work tree to one of its snapshots: all of it, or single files."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

from mulligan.core.line_diff import changed_blocks, split_keeping_ends
from mulligan.runtime.threads import run_stoppable
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints import RestorePlan, Snapshot, WorkChanged, capture, execute_restore, plan_restore
from mulligan.workspace.checkpoints.area import private_area, scratch
from mulligan.workspace.checkpoints.heads import OPERATIONS
from mulligan.workspace.checkpoints.model import GITLINK, LINK, PROGRAM, Blob, StepHook
from mulligan.workspace.checkpoints.objects import entries_at, read_blobs
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.rules import same_rules
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.checkpoints.tree_files import TreeFiles
from mulligan.workspace.git import Git, open_repository
from mulligan.workspace.worktrees.discarding import delete_folder

ATTEMPTS = 3
"""How often to start over: something still writes there, or the restored ignore rules show more files."""

LOCKS = ("index.lock", "HEAD.lock")


async def return_to(root: Path, snapshot: Snapshot, *, on_step: StepHook) -> None:
    """Raises `CheckpointRefused` if it can't be done; it can be run again after that."""
    git_dir = (await open_repository(root)).git_dir
    for attempt in range(ATTEMPTS):
        with translate_os_errors("The work tree was not set back"):
            _end_operations(git_dir, snapshot)
        now = await capture(root, checkpoint_id=None, before=snapshot)
        plan = _discarded(await plan_restore(root, snapshot, now, restore_id="run"))
        try:
            await execute_restore(root, plan, on_step=on_step)
        except WorkChanged:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        if same_rules(now, snapshot, [move.path for move in (*plan.writes, *plan.deletes)]):
            return
        # Files that the current rules hid may be visible under the restored ones: go round again. In the user's
        # checkout they would be left alone.


def _end_operations(git_dir: Path, snapshot: Snapshot) -> None:
    """Remove locks and unfinished rebases that stopped commands left. Nobody else works here."""
    for name in LOCKS:
        (git_dir / name).unlink(missing_ok=True)
    if snapshot.operation:
        return
    for name in OPERATIONS:
        if (git_dir / name).is_dir():
            shutil.rmtree(git_dir / name)
        else:
            (git_dir / name).unlink(missing_ok=True)


def _discarded(plan: RestorePlan) -> RestorePlan:
    """The plan without the refs that would keep the commits made since."""
    return replace(plan, refs=tuple(replace(move, kept_under=None) for move in plan.refs))


async def captured_paths(git: Git, snapshot: Snapshot) -> list[str]:
    """All files of a snapshot, relative to the work tree."""
    return (await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", snapshot.tree)).fields


async def apply_patch(root: Path, patch: bytes) -> None:
    """Changes only the files, not the index. Raises `GitError`."""
    if patch:
        async with private_area(root) as area:
            await area.git.run("apply", "--whitespace=nowarn", "-", stdin=patch)


async def restore_files(root: Path, snapshot: Snapshot, paths: Collection[str]) -> None:
    """Paths are relative to the work tree. Files that it does not cover are left alone. Raises `CheckpointRefused`.

    If run again after a crash, it finishes.
    """
    with translate_os_errors("Not all files could be restored"):
        async with private_area(root) as area:
            held = await entries_at(area.git, snapshot.tree, paths)
            apart = {each.path for each in snapshot.not_covered}
            apart |= {path for path, blob in held.items() if blob.mode == GITLINK}
            wanted = {path: held.get(path) for path in sorted(paths) if apart.isdisjoint((path, *parents(path)))}
            contents = await read_blobs(area.git, (blob.oid for blob in wanted.values() if blob))
            folders = {folder for path in await captured_paths(area.git, snapshot) for folder in parents(path)}
            folders |= {*snapshot.folders}
            work = FileSetter(
                root=root,
                files=TreeFiles(root, area.repository.object_format),
                contents=contents,
                keeps=folders.__contains__,
                source=scratch(area) / "restored",
            )
            await run_stoppable(lambda stop: work.run(wanted, stop))


@frozen
class FileSetter:
    """Writes and deletes files of a work tree to which nobody else writes."""

    root: Path
    files: TreeFiles
    contents: Mapping[str, bytes]
    """By blob id."""
    keeps: Callable[[str], bool]
    """Whether to keep a folder that became empty."""
    source: Path
    """Where a file is prepared before it is moved to its place."""

    def run(self, wanted: Mapping[str, Blob | None], stop: Event) -> None:
        # Deletions first: they may make room for a write.
        for path, blob in sorted(wanted.items(), key=lambda each: each[1] is not None):
            if stop.is_set():
                return
            if blob is None:
                self._delete(path)
            elif self.files.look(path).blob != blob:
                self._write(path, blob)

    def _delete(self, path: str) -> None:
        place = self.root / path
        if place.is_dir() and not place.is_symlink():
            return
        self.files.remove(path)
        for folder in parents(path):
            if not self.keeps(folder):
                self.files.remove_folder(folder)

    def _write(self, path: str, blob: Blob) -> None:
        for folder in reversed(parents(path)):
            place = self.root / folder
            if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
                self.files.remove(folder)
        place = self.root / path
        if place.is_dir() and not place.is_symlink():
            delete_folder(place)
        self._make_ready(blob)
        self.files.put(path, self.source, blob.mode)

    def _make_ready(self, blob: Blob) -> None:
        data = self.contents[blob.oid]
        self.source.unlink(missing_ok=True)
        if blob.mode == LINK:
            self.source.symlink_to(os.fsdecode(data))
            return
        opened = os.open(self.source, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777 if blob.mode == PROGRAM else 0o666)
        with open(opened, "wb") as file:  # noqa: PTH123  from a descriptor
            file.write(data)


def with_endings_of(text: str, lines: Sequence[str]) -> str:
    """Join the lines. An unchanged line keeps its ending, a changed one takes that of the line it replaces, a new one
    takes the most frequent. The text ends as before: with a line ending or without."""
    old = split_keeping_ends(text)
    shown_lines = [line.rstrip("\r\n") for line in old]
    had = [line[len(shown) :] for line, shown in zip(old, shown_lines, strict=True)]
    usual = Counter(filter(None, had)).most_common(1)
    ending = usual[0][0] if usual else "\n"
    endings = _carried_over(shown_lines, had, lines)
    inner = [f"{line}{kept or ending}" for line, kept in zip(lines[:-1], endings[:-1], strict=True)]
    return "".join([*inner, *lines[-1:], had[-1] if had else ""])


def _carried_over(old: Sequence[str], had: Sequence[str], lines: Sequence[str]) -> list[str]:
    """For each line the ending of the old line that it equals or replaces; empty if there is none."""
    endings: list[str] = []
    place = 0
    for block in changed_blocks(old, lines):
        endings += had[place : block.a_start]
        replaced, count = had[block.a_start : block.a_end], block.b_end - block.b_start
        endings += [*replaced[:count], *[""] * (count - len(replaced))]
        place = block.a_end
    return [*endings, *had[place:]]
