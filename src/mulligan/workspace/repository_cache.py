"""A cache of the repositories that fleet jobs on this machine use: bare and shallow. One job at a time fetches into a
repository, all read it.

A job gets its own repository that borrows the cache's objects, so creating one copies nothing, and the job's commands,
which may only read the cache, can't damage it for others. Users of a cached repository hold a shared lock; deleting it
needs the exclusive lock.
"""

import asyncio
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from mulligan.core.fleet.submissions import is_url
from mulligan.core.pruning import CachedRepository, unneeded_repositories
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.workspace.git import environment
from mulligan.workspace.process import ProcessEnd, run_process
from mulligan.workspace.worktrees.discarding import disk_size
from mulligan.workspace.worktrees.locks import hold_lock, take_lock

FETCH_SECONDS = 900.0
LOCK_SECONDS = 900.0
OUTPUT = 1 << 20
PROTOCOLS = "file:git:http:https:ssh"
NO_SUCH_REF = ("couldn't find remote ref", "not our ref", "unadvertised object", "invalid refspec")
"""Git's messages about a missing ref; git runs with English messages."""
GONE = ".gone"
"""Suffix of repositories that are being deleted."""


class NotFetched(MulliganError):
    """It can't be fetched here and now; another machine may, or this one later."""


class Unfetchable(NotFetched):
    """It can't be fetched anywhere: the repository has no such ref, or the job names no repository."""


@dataclass(frozen=True, slots=True)
class FetchedCommit:
    cache: Path
    commit: str

    @property
    def objects(self) -> Path:
        return self.cache / "objects"


class RepositoryCache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_home(cls, home: Path) -> "RepositoryCache":
        return cls(home / "fleet" / "repositories")

    @asynccontextmanager
    async def using(self, repository: str) -> AsyncGenerator[None]:
        """Protects it from deletion during the block. Raises `NotFetched`."""
        name = _name(_address(repository))
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = await asyncio.to_thread(_hold_shared, self._folder / f"{name}.use")
        try:
            yield
        finally:
            os.close(held)

    def survey(self) -> list[CachedRepository]:
        """The cached repositories, least recently used first."""
        with suppress(OSError):
            found = [self._look(path) for path in self._folder.iterdir() if path.suffix in {".git", GONE}]
            return sorted(found, key=lambda each: each.used_at)
        return []

    def delete(self, chosen: list[CachedRepository]) -> list[CachedRepository]:
        """Returns the deleted ones; one that is in use again stays."""
        return [each for each in chosen if self._delete(each.name)]

    def prune(self, *, days: float, most_bytes: int | None = None) -> list[CachedRepository]:
        """Delete what was unused for these days, and what exceeds the space. Returns what was deleted."""
        return self.delete(unneeded_repositories(self.survey(), time.time(), days=days, most_bytes=most_bytes))

    def _look(self, path: Path) -> CachedRepository:
        if path.suffix == GONE:
            return CachedRepository(path.name, disk_size(path), 0.0, in_use=False)
        used = path.with_suffix(".use")
        when = (used if used.exists() else path).stat().st_mtime
        with _held_alone(used) as alone:
            return CachedRepository(path.name, disk_size(path), when, in_use=not alone)

    def _delete(self, name: str) -> bool:
        path = self._folder / name
        if path.suffix != GONE:
            with _held_alone(path.with_suffix(".use")) as alone:
                if not alone:
                    return False
                gone = path.with_name(f"{path.stem}-{token_hex(4)}{GONE}")
                path.rename(gone)
                for lock in (".lock", ".use"):
                    path.with_suffix(lock).unlink(missing_ok=True)
            path = gone
        shutil.rmtree(path, ignore_errors=True)
        return True

    async def fetch(self, repository: str, ref: str, *, commit: str = "") -> FetchedCommit:
        """The current commit of a ref, or the given commit if it is still available. It stays while `using`.
        Raises `NotFetched`."""
        address = _address(repository)
        name = _name(address)
        cache = self._folder / f"{name}.git"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if commit and await self._has(cache, commit):
            return FetchedCommit(cache, commit)
        async with hold_lock(
            self._folder / f"{name}.lock",
            busy=f"another job has been fetching {repository} for too long",
            time_limit=LOCK_SECONDS,
        ):
            for stale in (*cache.glob("*.lock"), *cache.glob("refs/fetched/*.lock")):
                stale.unlink()  # left by a killed git: nobody else writes here while we hold our lock
            if not (cache / "HEAD").exists():
                await _git(self._folder, "init", "-q", "--bare", str(cache))
                await _git(cache, "config", "gc.auto", "0")  # keep everything that a job may borrow
            if commit:
                await _fetch(cache, address, commit)
                if await self._has(cache, commit):
                    return FetchedCommit(cache, commit)
            end = await _fetch(cache, address, ref or "HEAD")
            if end.code != 0:
                lines = end.stderr.decode(errors="replace").strip().splitlines() or ["it took too long"]
                error = next((line for line in lines if line.startswith("fatal:")), lines[-1])
                kind = Unfetchable if any(words in error for words in NO_SUCH_REF) else NotFetched
                raise kind(f"{repository} {ref} can't be fetched: {error}")
            found = (await _git(cache, "rev-parse", "FETCH_HEAD^{commit}")).stdout.decode().strip()
            # Referenced, so that no clean-up deletes it.
            await _git(cache, "update-ref", f"refs/fetched/{found}", found)
        return FetchedCommit(cache, found)

    async def check_out(self, fetched: FetchedCommit, folder: Path) -> None:
        """Create a repository with that commit checked out, without a branch. Raises `NotFetched`."""
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


def _hold_shared(lock: Path) -> int:
    """Take the shared lock, held until closed. The file's time is the repository's last use."""
    while (opened := take_lock(lock, fcntl.LOCK_SH)) is None:  # a deletion holds it only briefly
        pass
    os.utime(opened)
    return opened


@contextmanager
def _held_alone(lock: Path) -> Generator[bool]:
    """Whether nobody else holds the lock; if so, nobody can take it during the block."""
    opened = take_lock(lock)
    try:
        yield opened is not None
    finally:
        if opened is not None:
            os.close(opened)


def _name(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:20]


def _address(repository: str) -> str:
    """The address for git, with `~` expanded in paths."""
    if is_url(repository) and not Path(repository).exists():
        return repository
    path = Path(repository).expanduser()
    if not path.is_absolute():
        raise Unfetchable(f"{repository} is neither a URL nor an absolute path: workers have other folders")
    return str(path)


async def _fetch(cache: Path, address: str, what: str) -> ProcessEnd:
    return await _run(cache, "fetch", "-q", "--no-tags", "--depth", "1", "--no-write-commit-graph", address, what)


async def _git(folder: Path, *words: str) -> ProcessEnd:
    end = await _run(folder, *words)
    if end.code != 0:
        raise NotFetched(f"git {words[0]} failed: {end.stderr.decode(errors='replace').strip()[:500]}")
    return end


async def _run(folder: Path, *words: str) -> ProcessEnd:
    """Runs git with the user's settings, which may contain credentials, and without prompts."""
    env = {
        **environment((("protocol.allow", "user"), ("core.hooksPath", os.devnull)), user_config=True),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    }
    try:
        async with asyncio.timeout(FETCH_SECONDS + 5):
            return await run_process(["git", *words], cwd=folder, env=env, time_limit=FETCH_SECONDS, output_cap=OUTPUT)
    except ConfigurationError as error:
        raise NotFetched(str(error)) from error
