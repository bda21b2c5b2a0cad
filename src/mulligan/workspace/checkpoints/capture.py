"""Takes a checkpoint: work tree, index, HEAD and unfinished git operations, as one commit that is on no branch."""

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mulligan.workspace.checkpoints.area import Area, forget_sweep, private_area
from mulligan.workspace.checkpoints.heads import (
    NAMING_COMMITS,
    commit_of,
    operation_under_way,
    read_head,
    read_merge_files,
)
from mulligan.workspace.checkpoints.index_file import notable_entries
from mulligan.workspace.checkpoints.manifest import checkpoint_ref, manifest_text
from mulligan.workspace.checkpoints.model import (
    GITLINK,
    Head,
    SecretFile,
    SkippedPath,
    Snapshot,
    StepHook,
    no_interruption,
)
from mulligan.workspace.checkpoints.objects import entries_at
from mulligan.workspace.checkpoints.quick_tree import quick_tree, remember_base
from mulligan.workspace.checkpoints.refusals import explain_git_error, translate_os_errors
from mulligan.workspace.checkpoints.scan import (
    NESTED,
    Scan,
    examine,
    ignored,
    list_differences,
    parents,
    passes_link,
    scan,
    select,
)
from mulligan.workspace.checkpoints.secret_files import keep_secret, sweep_secrets
from mulligan.workspace.checkpoints.seeding import seed_index
from mulligan.workspace.checkpoints.user_index import (
    SECRET_NAMES,
    UserIndex,
    commit_tree,
    copy_index,
    record_index,
    secret_entries,
)
from mulligan.workspace.git import Git, GitError, nul_list, run_both

LIMIT_BYTES = 50 * 1024 * 1024

NOT_STORED = "failed to insert into database"
"""Then the problem is not an unreadable file, but a repository that can't be written."""

CULPRIT = re.compile(r"^fatal: Unable to process path (.*)$", re.MULTILINE | re.DOTALL)


async def capture(
    root: Path,
    *,
    checkpoint_id: str | None,
    label: str = "",
    limit_bytes: int = LIMIT_BYTES,
    before: Snapshot | None = None,
    on_step: StepHook = no_interruption,
) -> Snapshot:
    """Take a checkpoint of the work tree around `root`, under `refs/mulligan/checkpoints/<checkpoint_id>`.

    Without an id there is no ref: enough for a preview, and git's garbage collection removes it. `before` is the
    snapshot that will be restored next: everything that the restore would replace is captured too, even files that are
    now ignored. Raises `CheckpointRefused`, `NoRepository`, `GitMissing` or `GitError`, with no visible change made.
    """
    with translate_os_errors("No checkpoint was taken"):
        async with private_area(root) as area:
            work = _Capture(area, limit_bytes, before, on_step)
            try:
                return await work.run(checkpoint_id, label)
            except GitError as error:
                if explain_git_error(error.stderr):
                    raise
                # Our index is damaged, or names objects that git has garbage-collected.
                area.forget_index()
                return await work.run(checkpoint_id, label)


class _Capture:
    def __init__(self, area: Area, limit_bytes: int, before: Snapshot | None, on_step: StepHook) -> None:
        self._area = area
        self._git = area.git
        self._limit = limit_bytes
        self._before = before
        self._on_step = on_step

    async def run(self, checkpoint_id: str | None, label: str) -> Snapshot:
        ref = checkpoint_ref(checkpoint_id) if checkpoint_id else None
        state = self._area.read_state()
        self._on_step("before the index is recorded")
        if not self._area.index.exists():
            await seed_index(self._area)
            self._on_step("after the private index is seeded")
        (user_index, head), listing = await run_both(
            run_both(record_index(self._area, state), read_head(self._area.repository)), list_differences(self._git)
        )
        found = await scan(self._git, listing, limit_bytes=self._limit, user_index=user_index)
        forced = await self._sweep(found, user_index, state)
        self._on_step("before the private index is written")
        tree = await self._write_tree(found, state)
        self._on_step("after the private index is written")
        if also := await self._take_also(tree, found):
            # They are ignored: the next checkpoint has to drop them again.
            forget_sweep(self._area, state)
            tree = await self._write_tree(found, state)
        secrets = await asyncio.to_thread(self._keep_secrets, found) if found.secrets else {}
        draft = Snapshot(
            id=checkpoint_id,
            commit="",
            tree=tree,
            label=label,
            created_at=time.time(),
            head=head,
            branches=await self._branches(head),
            index=user_index.record,
            rules=self._area.rules,
            merge_files=read_merge_files(self._area.repository.git_dir),
            operation=operation_under_way(self._area.repository.git_dir),
            folders=tuple(sorted(await self._bare_folders(found))),
            forced=tuple(sorted((*forced, *also))),
            not_covered=tuple(sorted(set(found.not_covered), key=lambda apart: apart.path)),
            secrets=secrets,
        )
        snapshot = await self._committed(draft, state)
        self._on_step("before the ref is written")
        if ref:
            silent = replace(self._area.repository, settings=("core.logAllRefUpdates=false",))
            await silent.run("update-ref", "--no-deref", ref, snapshot.commit)
        self._on_step("after the ref is written")
        if secrets:
            await sweep_secrets(self._area.repository)
        self._area.write_state(state)
        return snapshot

    async def _sweep(self, found: Scan, user_index: UserIndex, state: dict[str, Any]) -> list[str]:
        """Drop files that are now ignored and not tracked; take and return those that are ignored but tracked."""
        rules = self._area.rules
        signature = [user_index.record.commit, rules.exclude, rules.personal, SECRET_NAMES]
        if not found.rules_touched and state.get("swept") == signature:
            return list(state["forced"])
        forget_sweep(self._area, state)
        listed = ("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
        user_git = replace(self._git, index=await copy_index(self._area, "swept"))
        ours, theirs = await run_both(self._git.run(*listed), user_git.run(*listed))
        tracked = {path for path in theirs.fields if ".mulligan" not in path.split("/")[:-1]}
        leaving = set(ours.fields) - tracked
        found.drop += leaving
        found.take = [path for path in found.take if path not in leaving]
        present = [path for path in sorted(tracked) if self._stands(path)]
        for path in present:
            examine(self._area.root, path, found, limit_bytes=self._limit, submodules=user_index.submodules)
        self._let_go_of_submodules(found, user_index)
        self._let_go_of_secrets(found, leaving)
        left_out = {apart.path for apart in found.not_covered}
        taken = [path for path in present if path not in left_out]
        if len(taken) == len(tracked):
            # Otherwise a missing or too large file may be fit to take next time, and nothing else would notice.
            state["swept"], state["forced"] = signature, taken
        return taken

    def _let_go_of_submodules(self, found: Scan, user_index: UserIndex) -> None:
        for entry in notable_entries(self._area.index.read_bytes(), self._area.oid_bytes):
            path = os.fsdecode(entry.path)
            if f"{entry.mode:o}" == GITLINK and path not in user_index.submodules:
                found.drop.append(path)
                if (self._area.root / path / ".git").exists():
                    found.not_covered.append(SkippedPath(path, NESTED))

    def _let_go_of_secrets(self, found: Scan, leaving: Collection[str]) -> None:
        """Drop files that were tracked when taken, or taken before their name counted as that of a secret file."""
        known = {*secret_entries(self._area.index.read_bytes(), self._area.oid_bytes)}
        for path in sorted(known.difference(found.tracked_secrets, leaving, found.secrets)):
            if self._stands(path) and not (self._area.root / path).is_symlink():
                examine(self._area.root, path, found, limit_bytes=self._limit)
        found.drop += known.intersection(found.secrets)

    def _keep_secrets(self, found: Scan) -> dict[str, SecretFile]:
        kept: dict[str, SecretFile] = {}
        for path in sorted(set(found.secrets)):
            try:
                kept[path] = keep_secret(self._area.repository, self._area.root / path)
            except OSError as error:
                found.not_covered.append(SkippedPath(path, f"it can't be read: {error.strerror}"))
        return kept

    async def _take_also(self, tree: str, found: Scan) -> list[str]:
        """Files that the coming restore would overwrite, but that were not captured because they are ignored."""
        if self._before is None:
            return []
        missing = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A")
        listed = {*(await self._git.run(*missing, tree, self._before.tree)).fields}
        secrets = self._before.secrets.keys()
        listed |= secrets - (await entries_at(self._git, tree, secrets)).keys() if secrets else set()
        left_out = {apart.path for apart in found.not_covered}
        wanted = [
            path
            for path in sorted(listed.difference(found.secrets))
            if self._stands(path)
            and ((self._area.root / path).is_symlink() or not (self._area.root / path).is_dir())
            and left_out.isdisjoint((path, *parents(path)))
        ]
        for path in wanted:
            examine(self._area.root, path, found, limit_bytes=self._limit)
        return wanted

    def _stands(self, path: str) -> bool:
        return os.path.lexists(self._area.root / path) and not passes_link(self._area.root, path)

    async def _write_tree(self, found: Scan, state: dict[str, Any]) -> str:
        if tree := await quick_tree(self._area, found, state):
            return tree
        if found.drop:
            await self._git.run("update-index", "--force-remove", "-z", "--stdin", stdin=nul_list(found.drop))
        await _update(self._git, found)
        args = ("--missing-ok",) if self._area.partial_clone else ()
        tree = (await self._git.run("write-tree", *args)).text
        remember_base(self._area, tree, state)
        return tree

    async def _bare_folders(self, found: Scan) -> set[str]:
        """Folders that hold no captured file."""
        filled = {folder for path in (*found.take, *found.secrets) for folder in parents(path)}
        bare = found.folders - filled
        left = {folder for path in (*found.gone, *found.drop) for folder in parents(path)} - filled
        present = sorted(folder for folder in left if (self._area.root / folder).is_dir() and self._stands(folder))
        if present:
            listed, covered = await run_both(
                select(self._git, "ls-files", "-z", paths=present), ignored(self._git, present)
            )
            # The index may still list files that are gone.
            there = {*set(listed.fields).difference(found.gone, found.drop), *found.secrets}
            filled = {folder for path in there for folder in parents(path)}
            bare |= set(present) - filled - covered
        nested = {apart.path for apart in found.not_covered if apart.reason == NESTED}
        return {folder for folder in bare if nested.isdisjoint((folder, *parents(folder)))}

    async def _branches(self, head: Head) -> dict[str, str | None]:
        named = {} if head.branch is None else {head.branch: head.commit}
        others = self._before.branches.keys() - named.keys() if self._before else ()
        return {branch: await commit_of(self._area.repository, branch) for branch in others} | named

    async def _committed(self, draft: Snapshot, state: dict[str, Any]) -> Snapshot:
        """Adds the commit: that of the last checkpoint if nothing has changed since."""
        content = draft.tree + manifest_text(replace(draft, created_at=0))
        key = hashlib.sha256(content.encode()).hexdigest()
        last = state.get("last", {})
        if last.get("key") == key:
            return replace(draft, commit=last["commit"], created_at=last["created_at"])
        snapshot = replace(draft, commit=await self._commit(draft))
        state["last"] = {"key": key, "commit": snapshot.commit, "created_at": snapshot.created_at}
        return snapshot

    async def _commit(self, draft: Snapshot) -> str:
        merging = [draft.merge_files[name].split() for name in NAMING_COMMITS if name in draft.merge_files]
        named: Sequence[str | None] = (
            draft.head.commit,
            draft.index.commit,
            *draft.branches.values(),
            *(commit for commits in merging for commit in commits),
        )
        date = f"@{int(draft.created_at)} +0000"
        return await commit_tree(self._git, draft.tree, [c for c in named if c], manifest_text(draft), date=date)


async def _update(git: Git, found: Scan) -> None:
    """Bring the private index up to date. A file that git can't add is noted, and the others are still added."""
    left = [*found.take, *found.gone]
    while left:
        try:
            args = ("update-index", "--index-version", "4", "--add", "--remove", "--replace", "-z", "--stdin")
            await git.run(*args, stdin=nul_list(left))
        except GitError as error:
            culprit = CULPRIT.search(error.stderr)
            path = culprit[1].rstrip("\n") if culprit else ""
            if NOT_STORED in error.stderr or path not in left:
                raise
            left.remove(path)
            found.take = [other for other in found.take if other != path]
            found.leave_out(path, str(error))
            await git.run("update-index", "--force-remove", "-z", "--stdin", stdin=nul_list([path]))
        else:
            return
