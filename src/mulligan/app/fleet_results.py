"""A job's result in the user's checkout: as pending changes, or as a commit on a branch."""

import base64
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mulligan.app.session import Session
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.fleet import FleetJob, JobResult
from mulligan.workspace.git import Git, GitError, open_repository


async def stage_result(session: Session, job: FleetJob, result: JobResult) -> int:
    """Stage the job's changes on top of the checkout's current content. Returns the number of changes.

    Raises `ConfigurationError` if they don't fit.
    """
    from mulligan.workspace.run_tree.returning import apply_patch
    from mulligan.workspace.worktrees import import_work

    trees = session.worktrees()
    made = await trees.make(f"fleet-{job.id}", dependencies=False)
    try:
        try:
            await apply_patch(Path(made.tree.path), base64.b64decode(result.patch))
        except GitError as error:
            raise ConfigurationError(
                f"the result of job {job.id} does not fit this checkout: {error}. It was made from commit "
                f"{job.commit[:12]}; `mulligan fleet fetch {job.id} --branch NAME` gets it as a branch"
            ) from error
        agent = session.agent("coder")
        chat = await session.new_chat(f"fleet: {job.spec.wanted}", agent)
        imported = await import_work(
            made.tree, session.store.changes, project=str(session.settings.project), chat_id=chat.id
        )
        return len(imported.changes)
    finally:
        await trees.remove(made.tree.id, force=True)


async def fetch_branch(session: Session, job: FleetJob, result: JobResult, branch: str) -> str:
    """The new commit. HEAD, index and files stay as they are. Raises `ConfigurationError`."""
    git = await open_repository(session.settings.project)
    ref = f"refs/heads/{branch}"
    if not branch.isprintable() or branch.startswith("-") or (await _fails(git, "check-ref-format", ref)):
        raise ConfigurationError(f"{branch!r} is not a valid branch name")
    if not await _fails(git, "rev-parse", "-q", "--verify", ref):
        raise ConfigurationError(f"branch {branch} already exists: choose another name")
    if await _fails(git, "cat-file", "-e", f"{job.commit}^{{commit}}"):
        raise ConfigurationError(
            f"this checkout lacks commit {job.commit}, which the job started from: git fetch {job.spec.repository} "
            f"{job.spec.ref or 'HEAD'}"
        )
    with tempfile.TemporaryDirectory() as folder:
        commit = await _committed(git, job, base64.b64decode(result.patch), Path(folder) / "index")
    try:
        await git.run("update-ref", ref, commit, "0" * len(commit))
    except GitError as error:  # another branch is named as a part of this name, or the other way round
        raise ConfigurationError(f"there can't be a branch {branch}: {error}. Choose another name") from error
    return commit


async def _fails(git: Git, *words: str) -> bool:
    return (await git.run(*words, accept=None)).code != 0


async def _committed(git: Git, job: FleetJob, patch: bytes, index: Path) -> str:
    env = {"GIT_INDEX_FILE": os.fspath(index)}
    await git.run("read-tree", job.commit, env=env)
    await git.run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, env=env)
    tree = (await git.run("write-tree", env=env)).text
    message = f"{job.spec.wanted.splitlines()[0][:70]}\n\nMade by fleet job {job.id}: {job.state}.\n"
    return (await git.run("commit-tree", tree, "-p", job.commit, "-F", "-", stdin=message.encode())).text


async def newest_of(folder: Path, jobs: Iterable[FleetJob]) -> FleetJob | None:
    """The first that has ended and whose repository is the folder, or a remote of it."""
    names = await _names(folder)
    return next((job for job in jobs if job.ended_at is not None and _plain(job.spec.repository) in names), None)


async def is_checkout(folder: Path, job: FleetJob) -> bool:
    """Whether it is the job's repository, or has it as a remote."""
    return _plain(job.spec.repository) in await _names(folder)


async def _names(folder: Path) -> set[str]:
    """Under which jobs know a checkout: where it is, and its remotes."""
    urls: list[str] = []
    with suppress(MulliganError):
        git = await open_repository(folder)
        named = await git.run("config", "--get-regexp", r"^remote\..*\.url$", accept=(0, 1))
        urls = [line.partition(" ")[2] for line in named.text.splitlines()]
    return {_plain(each) for each in (str(folder), *urls)}


def _plain(repository: str) -> str:
    return repository.rstrip("/").removesuffix(".git")
