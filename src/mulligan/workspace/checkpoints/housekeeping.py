"""Lists checkpoints, measures their disk use, deletes them."""

from collections.abc import Iterable
from pathlib import Path

from mulligan.workspace.checkpoints.heads import commit_of
from mulligan.workspace.checkpoints.manifest import CHECKPOINTS, checkpoint_ref
from mulligan.workspace.checkpoints.secret_files import secrets_use, sweep_secrets
from mulligan.workspace.git import open_repository


async def list_refs(root: Path) -> dict[str, str]:
    """Ids and commits of the checkpoints in the repository, of all its work trees."""
    git = await open_repository(root)
    lines = (await git.run("for-each-ref", "--format=%(refname) %(objectname)", CHECKPOINTS)).text.splitlines()
    return {name.removeprefix(CHECKPOINTS): commit for name, commit in (line.split(" ") for line in lines)}


async def drop(root: Path, ids: Iterable[str]) -> list[str]:
    """Delete checkpoints; returns the ids that existed. Git's garbage collection frees the space later."""
    git = await open_repository(root)
    there = await list_refs(root)
    dropped = [checkpoint_id for checkpoint_id in dict.fromkeys(ids) if checkpoint_id in there]
    lines = "".join(f"delete {checkpoint_ref(checkpoint_id)} {there[checkpoint_id]}\n" for checkpoint_id in dropped)
    await git.run("update-ref", "--no-deref", "--stdin", stdin=lines.encode())
    await sweep_secrets(git)
    return dropped


async def disk_use(root: Path) -> int:
    """Bytes that are kept only by checkpoints and by commits that a restore set aside."""
    git = await open_repository(root)
    user_refs = ["--branches", "--tags", "--remotes", "--glob=refs/stash"]
    if await commit_of(git, "HEAD"):
        user_refs.append("HEAD")
    listed = await git.run("rev-list", "--objects", "--disk-usage", "--glob=refs/mulligan", "--not", *user_refs)
    return int(listed.text) + secrets_use(git)
