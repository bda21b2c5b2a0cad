"""Carries out a restore in steps. A process may be killed after any step; running it again repeats what is missing."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.workspace.checkpoints.area import (
    Area,
    forget_sweep,
    private_area,
    release_index,
    replace_file,
    scratch,
    seize_index,
)
from mulligan.workspace.checkpoints.heads import MERGE_FILES, read_head
from mulligan.workspace.checkpoints.index_restore import restore_index
from mulligan.workspace.checkpoints.model import (
    Blob,
    CheckpointRefused,
    FileDelta,
    RestorePlan,
    SecretFile,
    StepHook,
    WorkChanged,
    no_interruption,
)
from mulligan.workspace.checkpoints.quick_tree import are_few
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.rules import same_rules
from mulligan.workspace.checkpoints.scan import parents
from mulligan.workspace.checkpoints.secret_files import read_secret
from mulligan.workspace.checkpoints.tree_files import Signature, TreeFiles
from mulligan.workspace.checkpoints.user_index import record_index
from mulligan.workspace.git import Git, GitError, nul_list, run_both

REASON = "mulligan: restore"

Waiting = dict[FileDelta, Signature | None]
"""Files that still have to move, each with its signature, to notice if it changes before that."""


async def execute_restore(root: Path, plan: RestorePlan, *, on_step: StepHook = no_interruption) -> None:
    """Bring files, HEAD, branches and index to the plan's target. If run again after a crash, it finishes.

    Raises `WorkChanged` if somebody changed something since `plan.now` was captured, before touching it, and
    `CheckpointRefused` if it can't be done now. It can be run again after both.
    """
    with translate_os_errors("The restore is not finished"):
        async with private_area(root) as area:
            seize_index(area)
            try:
                await _Restore(area, plan, on_step).run()
            finally:
                release_index(area)


class _Restore:
    def __init__(self, area: Area, plan: RestorePlan, on_step: StepHook) -> None:
        self._area = area
        self._plan = plan
        self._on_step = on_step
        self._files = TreeFiles(area.root, area.repository.object_format)

    async def run(self) -> None:
        self._on_step("before the check")
        index_commit, waiting = await self._check()
        self._on_step("before contents are made ready")
        ready = await _make_ready(self._area, [move for move in waiting if move.after], self._plan.target.secrets)
        self._on_step("after contents are made ready")
        await self._move_refs()
        await finish_despite_cancel(asyncio.to_thread(self._move_files, waiting, ready))
        self._on_step("before the index")
        await run_both(restore_index(self._area, self._plan, index_commit), self._learn())
        self._on_step("after the index")
        self._write_merge_files()
        self._on_step("after the merge files")

    async def _check(self) -> tuple[str, Waiting]:
        """Check that everything is as in the safety checkpoint or as in the target.

        Returns the index's content as a commit, and the files that still have to move.
        """
        changed, user_index = await run_both(self._changed_refs(), record_index(self._area, self._area.read_state()))
        if user_index.record.commit not in {self._plan.now.index.commit, self._plan.target.index.commit}:
            changed.append("the index")
        # Runs to its end even if cancelled, since it needs the lock, which is released afterwards.
        waiting, other = await finish_despite_cancel(asyncio.to_thread(self._look_at_files))
        if changed or other:
            raise WorkChanged((*changed, *other))
        return user_index.record.commit, waiting

    def _look_at_files(self) -> tuple[Waiting, list[str]]:
        waiting: Waiting = {}
        changed: list[str] = []
        for move in (*self._plan.writes, *self._plan.deletes):
            found = self._files.look(move.path)
            if found.blob not in {move.before, move.after}:
                changed.append(move.path)
            elif found.blob != move.after:
                waiting[move] = found.signature
        return waiting, changed

    async def _changed_refs(self) -> list[str]:
        plan, git = self._plan, self._area.repository
        expected = {
            ref: {side.branches.get(ref, plan.now.branches.get(ref)) for side in (plan.now, plan.target)}
            for ref in plan.now.branches
        }
        head, branches = await run_both(read_head(git), _read_branches(git, [*expected]))
        wrong = [ref for ref, commits in expected.items() if branches.get(ref) not in commits]
        sides = (plan.now.head, plan.target.head)
        if head not in sides and (head.branch is None or all(head.branch != side.branch for side in sides)):
            wrong.append("HEAD")
        return wrong

    async def _move_refs(self) -> None:
        git, target = self._area.repository, self._plan.target.head
        present = await _read_branches(git, [move.ref for move in self._plan.refs])
        lines = [f"update {move.kept_under} {move.before}" for move in self._plan.refs if move.kept_under]
        lines += [
            f"update {move.ref} {move.after} {move.before or '0' * self._area.oid_bytes * 2}"
            if move.after
            else f"delete {move.ref} {move.before}"
            for move in self._plan.refs
            if move.ref != "HEAD" and present.get(move.ref) != move.after
        ]
        self._on_step("before branches move")
        if lines:
            transaction = "".join(f"{line}\n" for line in lines).encode()
            await git.run("update-ref", "--no-deref", "-m", REASON, "--stdin", stdin=transaction)
        self._on_step("after branches moved")
        head = await read_head(git)
        if target.branch and head.branch != target.branch:
            await git.run("symbolic-ref", "-m", REASON, "HEAD", target.branch)
        elif target.branch is None and target.commit and head != target:
            await git.run("update-ref", "--no-deref", "-m", REASON, "HEAD", target.commit)
        self._on_step("after HEAD moved")

    def _move_files(self, waiting: Waiting, ready: dict[str, Path]) -> None:
        targets = {move.path for move in self._plan.writes}
        above = {folder for path in targets for folder in parents(path)}
        writes = [move for move in waiting if move.after]
        deletes = [move for move in waiting if not move.after]
        # Delete first what blocks a write: a file that becomes a folder, or a folder that becomes a file.
        first = [move for move in deletes if move.path in above or not targets.isdisjoint(parents(move.path))]
        for move in first:
            self._step(move, waiting[move], None)
        for move in writes:
            self._files.remove_empty_folders(move.path)
            self._step(move, waiting[move], ready[move.path])
        for move in deletes:
            if move not in first:
                self._step(move, waiting[move], None)
        self._on_step("before folders")
        for folder in self._plan.folders_removed:
            self._files.remove_folder(folder)
        for folder in self._plan.folders_made:
            self._files.make_folder(folder)
        self._on_step("after folders")

    async def _learn(self) -> None:
        """Update the private index with the restored files, so that the next checkpoint need not read them.

        Otherwise that checkpoint would not cover a file over the size limit, and an undo would have to leave it alone.
        Reading a few small files is faster than writing the index.
        """
        plan = self._plan
        moved = {move.path for move in (*plan.writes, *plan.deletes)}
        if not same_rules(plan.now, plan.target, moved) or moved & {*plan.now.forced, *plan.target.forced}:
            forget_sweep(self._area, self._area.read_state())
        moved -= {*plan.now.secrets, *plan.target.secrets}
        if are_few(self._area, moved):
            return
        paths = nul_list(moved)
        with suppress(GitError):  # it is only a cache
            args = ("update-index", "--index-version", "4", "--add", "--remove", "--replace", "-z", "--stdin")
            await self._area.git.run(*args, stdin=paths)

    def _step(self, move: FileDelta, signature: Signature | None, source: Path | None) -> None:
        self._on_step(f"before {move.path}")
        # Checked as late as possible: an editor does not know our locks.
        if self._files.signature(move.path) != (signature if move.before else None):
            raise WorkChanged((move.path,))
        if source and move.after:
            self._files.put(move.path, source, move.after.mode)
        else:
            self._files.remove(move.path)
        self._on_step(f"after {move.path}")

    def _write_merge_files(self) -> None:
        for name in MERGE_FILES:
            path, text = self._area.repository.git_dir / name, self._plan.target.merge_files.get(name)
            if text is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, text.encode("utf-8", "surrogateescape"))


async def _make_ready(area: Area, moves: list[FileDelta], secrets: Mapping[str, SecretFile]) -> dict[str, Path]:
    """Write the contents to a folder of ours, named by numbers, so that no path from the plan is used there."""
    if not moves:
        return {}
    place = scratch(area) / "contents"
    place.mkdir()
    apart = [move.path for move in moves if move.path in secrets]
    ready = {path: place / f"secret-{number}" for number, path in enumerate(apart)}
    for path, source in ready.items():
        source.touch(0o600)
        source.write_bytes(read_secret(area.repository, secrets[path].blob.oid))
        source.chmod(secrets[path].permissions)
    return ready | await _have_git_write(area, [move for move in moves if move.path not in secrets], place)


async def _have_git_write(area: Area, moves: list[FileDelta], place: Path) -> dict[str, Path]:
    if not moves:
        return {}
    git = replace(area.git, index=scratch(area) / "contents-index")
    blobs: list[Blob] = [move.after for move in moves if move.after]
    rows = "".join(f"{blob.mode} {blob.oid}\t{number}\n" for number, blob in enumerate(blobs))
    await git.run("update-index", "--add", "--index-info", stdin=rows.encode())
    try:
        await git.run("checkout-index", "--all", "--quiet", f"--prefix={place}/")
    except GitError as error:
        if "unable to write file" in error.stderr:  # git does not say why
            raise CheckpointRefused(
                f"What is to come back could not be written to {place}: is the disk full?"
            ) from error
        raise
    return {move.path: place / str(number) for number, move in enumerate(moves)}


async def _read_branches(git: Git, refs: list[str]) -> dict[str, str]:
    if not refs:
        return {}
    lines = (await git.run("for-each-ref", "--format=%(refname) %(objectname)", *refs)).text.splitlines()
    pairs = (line.partition(" ") for line in lines)
    return {name: oid for name, _, oid in pairs}
