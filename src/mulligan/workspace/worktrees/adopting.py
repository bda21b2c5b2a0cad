"""Work trees that somebody else made: finds their base, and so the work done in them."""

from dataclasses import replace
from pathlib import Path

from mulligan.types.checkpoints import WorkTree
from mulligan.workspace.checkpoints.area import Area, private_area, scratch
from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.checkpoints.model import Blob, FileDelta
from mulligan.workspace.checkpoints.objects import file_deltas
from mulligan.workspace.checkpoints.user_index import FIXED_DATE, commit_tree
from mulligan.workspace.git import Git, nul_list, open_repository
from mulligan.workspace.worktrees.layout import BASES, BROUGHT, write_refs
from mulligan.workspace.worktrees.model import WorkTreeUnusable
from mulligan.workspace.worktrees.work_since import snapshot_work


async def adopt(checkout: Git, path: Path) -> WorkTree:
    """Treat any linked work tree of the checkout's repository as one of ours.

    Its base is the merge base of its commits and the checkout's. Raises `WorkTreeUnusable` or `NoRepository`.
    """
    git = await open_repository(path)
    if git.common_dir != checkout.common_dir:
        raise WorkTreeUnusable(f"{path} is no work tree of the repository of {checkout.work_tree}")
    if git.work_tree == checkout.work_tree:
        raise WorkTreeUnusable(f"{path} is the project itself: what is in it need not be brought back")
    name = git.git_dir.name
    base = await commit_of(git, BROUGHT) or await commit_of(git, BASES + name) or await _parting(checkout, git)
    return WorkTree(id=name, project=str(checkout.work_tree), path=str(git.work_tree), base_commit=base, created_at=0.0)


async def _parting(checkout: Git, git: Git) -> str:
    """The merge base, with files as they would be checked out: git may store them in another form."""
    here, there = await commit_of(checkout, "HEAD"), await commit_of(git, "HEAD")
    ancestor = (await git.run("merge-base", here, there, accept=(0, 1))).text if here and there else ""
    if not ancestor:
        raise WorkTreeUnusable(
            f"{git.work_tree} and {checkout.work_tree} have no commit in common: bring it back by hand"
        )
    now = await snapshot_work(git.work_tree)
    moves = await file_deltas(git, ancestor, now.tree)
    async with private_area(git.work_tree) as area:
        tree = await _as_checked_out(area, moves, now.tree)
        base = await commit_tree(area.git, tree, [ancestor], "base", date=FIXED_DATE)
    await write_refs(git, [f"update {BROUGHT} {base}"])
    return base


async def _as_checked_out(area: Area, moves: list[FileDelta], present: str) -> str:
    """The present tree, with the differing files as the user's settings would check them out."""
    place = scratch(area) / "before"
    place.mkdir()
    known: list[tuple[str, Blob]] = [(move.path, move.before) for move in moves if move.before]
    rows = b"".join(f"{blob.mode} {blob.oid}\t".encode() + nul_list([path]) for path, blob in known)
    user_git = replace(area.repository, index=scratch(area) / "before-index", user_config=True)
    await user_git.run("update-index", "--add", "-z", "--index-info", stdin=rows)
    await user_git.run("checkout-index", "--all", "--quiet", f"--prefix={place}/")
    raw = replace(area.git, work_tree=place, index=scratch(area) / "raw-index")
    await raw.run("read-tree", present)
    created = [move.path for move in moves if not move.before]
    await raw.run("update-index", "--force-remove", "-z", "--stdin", stdin=nul_list(created))
    paths = nul_list(path for path, _ in known)
    await raw.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=paths)
    return (await raw.run("write-tree", "--missing-ok")).text
