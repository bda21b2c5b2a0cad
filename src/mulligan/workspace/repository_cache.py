"""The repositories that fleet jobs on this machine worked on: bare, shallow, fetched into by one job at a time, read by
all.

A job gets a repository of its own that borrows the cache's objects, so that making one copies nothing; and its
commands, which may only read the cache, can't spoil it for others. Whoever uses one holds a lock that others may hold,
too; it is deleted by whoever holds that lock alone.
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
"""What git says of a ref that does not exist, in English as it is asked to."""
GONE = ".gone"
"""Names of repositories that are being deleted end so."""


class NotFetched(MulliganError):
    """It can't be had here and now: another machine, or another moment, may do better."""


class Unfetchable(NotFetched):
    """Nobody can have it: the repository has no such ref, or the job names no repository."""


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
        """As long as this lasts, it is not deleted. Raises `NotFetched`."""
        name = _name(_address(repository))
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = await asyncio.to_thread(_hold_shared, self._folder / f"{name}.use")
        try:
            yield
        finally:
            os.close(held)

    def survey(self) -> list[CachedRepository]:
        """What is there, the one used longest ago first."""
        with suppress(OSError):
            found = [self._look(path) for path in self._folder.iterdir() if path.suffix in {".git", GONE}]
            return sorted(found, key=lambda each: each.used_at)
        return []

    def delete(self, chosen: list[CachedRepository]) -> list[CachedRepository]:
        """Those that were deleted; one that is used again by now stays."""
        return [each for each in chosen if self._delete(each.name)]

    def prune(self, *, days: float, most_bytes: int | None = None) -> list[CachedRepository]:
        """Delete what was not used for so long, and what there is no room for. What was deleted."""
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
        """The commit of a ref, now; or that very commit, where it can still be had. While it is `using`, it stays.
        Raises `NotFetched`."""
        address = _address(repository)
        name = _name(address)
        cache = self._folder / f"{name}.git"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if commit and await self._has(cache, commit):
            return FetchedCommit(cache, commit)
        async with hold_lock(
            self._folder / f"{name}.lock",
            busy=f"another job fetches {repository} for too long",
            time_limit=LOCK_SECONDS,
        ):
            for stale in (*cache.glob("*.lock"), *cache.glob("refs/fetched/*.lock")):
                stale.unlink()  # of a git that was killed: nobody else writes here while we hold ours
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
                kind = Unfetchable if any(words in told for words in NO_SUCH_REF) else NotFetched
                raise kind(f"{repository} {ref} can't be fetched: {told}")
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


def _hold_shared(lock: Path) -> int:
    """Open and held until it is closed. Its time is when the repository was used last."""
    while (opened := take_lock(lock, fcntl.LOCK_SH)) is None:  # whoever deletes holds it for a moment only
        pass
    os.utime(opened)
    return opened


@contextmanager
def _held_alone(lock: Path) -> Generator[bool]:
    """Whether nobody else holds it; if so, nobody does as long as this lasts."""
    opened = take_lock(lock)
    try:
        yield opened is not None
    finally:
        if opened is not None:
            os.close(opened)


def _name(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:20]


def _address(repository: str) -> str:
    """As git takes it: a path is made absolute, `~` is the home folder."""
    if is_url(repository) and not Path(repository).exists():
        return repository
    path = Path(repository).expanduser()
    if not path.is_absolute():
        raise Unfetchable(f"{repository} is no URL and no absolute path: workers have folders of their own")
    return str(path)


async def _fetch(cache: Path, address: str, what: str) -> ProcessEnd:
    return await _run(cache, "fetch", "-q", "--no-tags", "--depth", "1", "--no-write-commit-graph", address, what)


async def _git(folder: Path, *words: str) -> ProcessEnd:
    end = await _run(folder, *words)
    if end.code != 0:
        raise NotFetched(f"git {words[0]} failed: {end.stderr.decode(errors='replace').strip()[:500]}")
    return end


async def _run(folder: Path, *words: str) -> ProcessEnd:
    """With the user's settings, which may hold how to sign in, and nobody to ask."""
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
