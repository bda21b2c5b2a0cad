"""Single files of a work tree as they were at a moment, whatever stands there now."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from mulligan.runtime.threads import run_stoppable
from mulligan.workspace.checkpoints import Snapshot
from mulligan.workspace.checkpoints.area import private_area, scratch
from mulligan.workspace.checkpoints.model import GITLINK, LINK, PROGRAM, Blob
from mulligan.workspace.checkpoints.objects import entries_at, read_blobs
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.checkpoints.tree_files import TreeFiles
from mulligan.workspace.git import Git
from mulligan.workspace.worktrees.discarding import delete_folder


async def captured_paths(git: Git, moment: Snapshot) -> list[str]:
    """All that a moment holds, from the work tree."""
    return (await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", moment.tree)).fields


async def take_back(root: Path, moment: Snapshot, paths: Collection[str]) -> None:
    """Paths are from the work tree. What the moment does not cover is left alone. Raises `CheckpointRefused`.

    Run again after a crash, it finishes.
    """
    with translate_os_errors("Not all files could be taken back"):
        async with private_area(root) as area:
            held = await entries_at(area.git, moment.tree, paths)
            apart = {each.path for each in moment.not_covered}
            apart |= {path for path, blob in held.items() if blob.mode == GITLINK}
            wanted = {path: held.get(path) for path in sorted(paths) if apart.isdisjoint((path, *parents(path)))}
            contents = await read_blobs(area.git, (blob.oid for blob in wanted.values() if blob))
            folders = {folder for path in await captured_paths(area.git, moment) for folder in parents(path)}
            work = _TakingBack(
                root=root,
                files=TreeFiles(root, area.repository.object_format),
                contents=contents,
                folders=folders | {*moment.folders},
                source=scratch(area) / "taken-back",
            )
            await run_stoppable(lambda stop: work.run(wanted, stop))


@dataclass(frozen=True, slots=True)
class _TakingBack:
    root: Path
    files: TreeFiles
    contents: Mapping[str, bytes]
    folders: Collection[str]
    """Those that there were then."""
    source: Path
    """Where contents are made ready."""

    def run(self, wanted: Mapping[str, Blob | None], stop: Event) -> None:
        # What was not there goes first: it may be in the way.
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
            if folder not in self.folders:
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
