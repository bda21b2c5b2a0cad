"""A worker's cache of repositories: bare, shallow, fetched into by one job at a time, read by all.

A job gets a repository of its own that borrows the cache's objects, so that making one copies nothing; and its
commands, which may only read the cache, can't spoil it for others.
"""

import asyncio
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.workspace.git import environment
from mulligan.workspace.process import ProcessEnd, run_process
from mulligan.workspace.worktrees.locks import hold_lock

FETCH_SECONDS = 900.0
LOCK_SECONDS = 900.0
OUTPUT = 1 << 20
PROTOCOLS = "file:git:http:https:ssh"


class NotFetched(MulliganError):
    """The repository, or what was named in it, can't be had."""


@dataclass(frozen=True, slots=True)
class FetchedCommit:
    cache: Path
    commit: str

    @property
    def objects(self) -> Path:
        return self.cache / "objects"


class Repositories:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def fetch(self, repository: str, ref: str, *, commit: str = "") -> FetchedCommit:
        """The commit of a ref, now; or that very commit, where it can still be had. Raises `NotFetched`."""
        address = _address(repository)
        name = hashlib.sha256(address.encode()).hexdigest()[:20]
        cache = self._folder / f"{name}.git"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if commit and await self._has(cache, commit):
            return FetchedCommit(cache, commit)
        async with hold_lock(
            self._folder / f"{name}.lock", busy=f"another job fetches {repository} for too long", patience=LOCK_SECONDS
        ):
            if not (cache / "HEAD").exists():
                await _git(self._folder, "init", "-q", "--bare", str(cache))
                await _git(cache, "config", "gc.auto", "0")  # nothing goes that a job may borrow
            if commit:
                await _fetch(cache, address, commit)
                if await self._has(cache, commit):
                    return FetchedCommit(cache, commit)
            end = await _fetch(cache, address, ref or "HEAD")
            if end.code != 0:
                why = end.stderr.decode(errors="replace").strip().splitlines()
                told = next((line for line in why if line.startswith("fatal:")), why[-1] if why else "it took too long")
                raise NotFetched(f"{repository} {ref} can't be fetched: {told}")
            found = (await _git(cache, "rev-parse", "FETCH_HEAD^{commit}")).stdout.decode().strip()
            # Kept by a ref, so that nobody's clean-up takes it.
            await _git(cache, "update-ref", f"refs/fetched/{found}", found)
        return FetchedCommit(cache, found)

    async def check_out(self, fetched: FetchedCommit, folder: Path) -> None:
        """A repository with that commit checked out, on no branch. Raises `NotFetched`."""
        await asyncio.to_thread(folder.mkdir, parents=True)
        await _git(folder, "init", "-q")
        (folder / ".git/objects/info/alternates").write_text(f"{fetched.objects}\n")
        shallow = fetched.cache / "shallow"
        if shallow.exists():
            (folder / ".git/shallow").write_bytes(shallow.read_bytes())
        await _git(folder, "update-ref", "--no-deref", "HEAD", fetched.commit)
        await _git(folder, "reset", "-q", "--hard")

    async def _has(self, cache: Path, commit: str) -> bool:
        if not (cache / "HEAD").exists():
            return False
        return (await _run(cache, "cat-file", "-e", f"{commit}^{{commit}}")).code == 0


def _address(repository: str) -> str:
    """As git takes it: a path is made absolute, `~` is the home folder."""
    if "://" in repository or (":" in repository.partition("/")[0] and not Path(repository).exists()):
        return repository
    path = Path(repository).expanduser()
    if not path.is_absolute():
        raise NotFetched(f"{repository} is no URL and no absolute path: workers have folders of their own")
    return str(path)


async def _fetch(cache: Path, address: str, what: str) -> ProcessEnd:
    return await _run(cache, "fetch", "-q", "--no-tags", "--depth", "1", "--no-write-commit-graph", address, what)


async def _git(folder: Path, *words: str) -> ProcessEnd:
    end = await _run(folder, *words)
    if end.code != 0:
        raise NotFetched(f"git {words[0]} failed: {end.stderr.decode(errors='replace').strip()[:500]}")
    return end


async def _run(folder: Path, *words: str) -> ProcessEnd:
    """With the person's settings, which may hold how to sign in, and nobody to ask."""
    env = {
        **environment((("protocol.allow", "user"), ("core.hooksPath", os.devnull)), persons_config=True),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    }
    try:
        async with asyncio.timeout(FETCH_SECONDS + 5):
            return await run_process(["git", *words], cwd=folder, env=env, time_limit=FETCH_SECONDS, output_cap=OUTPUT)
    except ConfigurationError as error:
        raise NotFetched(str(error)) from error
