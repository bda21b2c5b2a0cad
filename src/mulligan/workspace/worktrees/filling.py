"""Give a new work tree the content of a snapshot, and an index that shows what the checkout shows."""

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mulligan.workspace.checkpoints.area import Area, private_area, replace_file, scratch
from mulligan.workspace.checkpoints.index_file import compose, entries
from mulligan.workspace.checkpoints.model import At, SkippedPath, Snapshot
from mulligan.workspace.checkpoints.persons_index import flagged_entries
from mulligan.workspace.git import Git


async def fill(root: Path, snapshot: Snapshot, *, at: At) -> None:
    """Files byte for byte, folders, index, and a merge under way."""
    async with private_area(root) as area:
        # By way of our own index, which converts nothing, and knows the files from then on.
        await area.git.run("read-tree", snapshot.tree)
        await area.git.run("checkout-index", "--all", "--index", "--quiet")
        for folder in snapshot.folders:
            (root / folder).mkdir(parents=True, exist_ok=True)
        at("after the files")
        await _write_index(area, snapshot)
        for name, text in snapshot.merge_files.items():
            replace_file(area.repository.git_dir / name, text.encode("utf-8", "surrogateescape"))
        at("after the index")


async def forget_branch(git: Git, branch: str) -> None:
    """HEAD as in a repository without a commit, on a branch of its own: the person's shall not be born here."""
    await git.run("symbolic-ref", "HEAD", branch)


def copy_uncovered(checkout: Path, root: Path, snapshot: Snapshot) -> list[SkippedPath]:
    """Files that are too large for a snapshot's tree, or secret, are copied as they are. Returns what can't be."""
    left: list[SkippedPath] = []
    for apart in snapshot.outside_tree:
        source, target = checkout / apart.path, root / apart.path
        if source.is_symlink() or not source.is_file() or not os.access(source, os.R_OK):
            left.append(apart)
            continue
        if shutil.disk_usage(root).free < source.stat().st_size:
            left.append(SkippedPath(apart.path, f"{apart.reason}, and there is no space left on the disk"))
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # deleted at this very moment
            shutil.copy2(source, target)
    return left


async def _write_index(area: Area, snapshot: Snapshot) -> None:
    path = scratch(area) / "made-index"
    git = replace(area.repository, index=path)
    # What a sparse checkout skips is among the flagged entries.
    await git.run("read-tree", "--no-sparse-checkout", snapshot.index.tree)
    flagged = await flagged_entries(git, snapshot.index)
    if flagged:
        special = {entry.path for entry in flagged}
        plain = [entry for entry in entries(path.read_bytes(), area.oid_bytes) if entry.path not in special]
        path.write_bytes(compose([*plain, *flagged], area.oid_bytes))
    # What is right depends on how the person has files converted, so their settings hold. Its exit code only says
    # that some files differ from the index.
    persons = replace(git, persons_config=True)
    await persons.run("update-index", "-q", "--unmerged", "--refresh", accept=None)
    path.replace(area.repository.git_dir / "index")
