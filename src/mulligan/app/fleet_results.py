"""A job's result in a person's checkout: as pending changes, or as a commit on a branch."""

import base64
import os
import tempfile
from pathlib import Path

from mulligan.app.session import Session
from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import FleetJob, JobResult
from mulligan.workspace.git import Git, GitError, open_repository


async def stage_result(session: Session, job: FleetJob, result: JobResult) -> int:
    """Stage what the job changed, on top of what the checkout holds now. How many changes there are.

    Raises `ConfigurationError` where it does not fit.
    """
    from mulligan.workspace.run_tree.returning import apply_patch
    from mulligan.workspace.worktrees import bring_back

    trees = session.worktrees()
    made = await trees.make(f"fleet-{job.id}", dependencies=False)
    try:
        try:
            await apply_patch(Path(made.tree.path), base64.b64decode(result.patch))
        except GitError as error:
            raise ConfigurationError(
                f"the result of job {job.id} does not fit what is here: {error}. It was made of commit "
                f"{job.commit[:12]}; `mulligan fleet fetch {job.id} --branch NAME` has it as a branch"
            ) from error
        agent = session.agent("coder")
        chat = await session.new_chat(f"fleet: {job.spec.wanted}", agent)
        brought = await bring_back(
            made.tree, session.store.changes, project=str(session.settings.project), chat_id=chat.id
        )
        return len(brought.changes)
    finally:
        await trees.remove(made.tree.id, force=True)


async def fetch_branch(session: Session, job: FleetJob, result: JobResult, branch: str) -> str:
    """The new commit. HEAD, index and files stay as they are. Raises `ConfigurationError`."""
    git = await open_repository(session.settings.project)
    ref = f"refs/heads/{branch}"
    if (await git.run("check-ref-format", ref, accept=None)).code != 0:
        raise ConfigurationError(f"{branch!r} is no name for a branch")
    if (await git.run("rev-parse", "-q", "--verify", ref, accept=None)).code == 0:
        raise ConfigurationError(f"there is a branch {branch} already: choose another name")
    if (await git.run("cat-file", "-e", f"{job.commit}^{{commit}}", accept=None)).code != 0:
        raise ConfigurationError(
            f"this checkout lacks commit {job.commit}, which the job started from: git fetch {job.spec.repository} "
            f"{job.spec.ref or 'HEAD'}"
        )
    with tempfile.TemporaryDirectory() as folder:
        commit = await _committed(git, job, base64.b64decode(result.patch), Path(folder) / "index")
    await git.run("update-ref", ref, commit, "0" * len(commit))
    return commit


async def _committed(git: Git, job: FleetJob, patch: bytes, index: Path) -> str:
    env = {"GIT_INDEX_FILE": os.fspath(index)}
    await git.run("read-tree", job.commit, env=env)
    await git.run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, env=env)
    tree = (await git.run("write-tree", env=env)).text
    message = f"{job.spec.wanted.splitlines()[0][:70]}\n\nMade by fleet job {job.id}: {job.state}.\n"
    return (await git.run("commit-tree", tree, "-p", job.commit, "-F", "-", stdin=message.encode())).text
