"""The cache of repositories that fleet jobs use: what no job needs goes, and what one uses stays. On real git."""

import subprocess
import time
from pathlib import Path

import pytest

from mulligan.workspace.repository_cache import NotFetched, RepositoryCache, Unfetchable


@pytest.fixture
def cache(tmp_path: Path) -> RepositoryCache:
    return RepositoryCache.of_home(tmp_path / "home")


def make_repository(folder: Path) -> str:
    folder.mkdir()
    (folder / "a.py").write_text("a = 1\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    commit(folder, "first")
    return str(folder)


def commit(folder: Path, message: str) -> None:
    git(folder, "commit", "-qm", message, "--allow-empty")


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


async def test_only_what_no_job_uses_is_deleted_and_it_is_fetched_again(cache: RepositoryCache, tmp_path: Path) -> None:
    one, other = make_repository(tmp_path / "one"), make_repository(tmp_path / "other")
    async with cache.using(one):
        fetched = await cache.fetch(one, "")
        async with cache.using(other):
            await cache.fetch(other, "")
        assert [each.in_use for each in cache.survey()] == [True, False]
        (gone,) = cache.prune(days=0)
        assert gone.size > 0
        await cache.check_out(fetched, tmp_path / "checkout")
    assert (tmp_path / "checkout" / "a.py").read_text() == "a = 1\n"
    assert [each.in_use for each in cache.survey()] == [False]
    async with cache.using(other):
        assert (await cache.fetch(other, "")).cache.name == gone.name


async def test_the_one_used_longest_ago_makes_room(cache: RepositoryCache, tmp_path: Path) -> None:
    for name in ("one", "two"):
        repository = make_repository(tmp_path / name)
        async with cache.using(repository):
            newest = (await cache.fetch(repository, "")).cache
    before = cache.survey()
    (gone,) = cache.prune(days=30, most_bytes=sum(each.size for each in before) - 1)
    assert gone == before[0]
    assert [each.name for each in cache.survey()] == [newest.name]
    assert sorted(path.suffix for path in newest.parent.iterdir()) == [".git", ".lock", ".use"], "no lock is left of it"


async def test_what_a_killed_clean_up_left_is_deleted(cache: RepositoryCache, tmp_path: Path) -> None:
    left = tmp_path / "home" / "fleet" / "repositories" / "0123-4567.gone"
    left.mkdir(parents=True)
    (left / "pack").write_bytes(b"x" * 5000)
    assert [each.name for each in cache.prune(days=30)] == [left.name]
    assert not left.exists()


async def test_a_repository_of_before_that_has_no_lock_yet_is_as_old_as_its_folder(
    cache: RepositoryCache, tmp_path: Path
) -> None:
    (tmp_path / "home" / "fleet" / "repositories" / "0123.git").mkdir(parents=True)
    before = time.time() - 60
    assert all(before < each.used_at for each in cache.survey())
    assert cache.prune(days=1) == []
    assert len(cache.prune(days=0)) == 1


async def test_the_locks_of_a_git_that_was_killed_do_not_keep_a_repository_from_being_fetched(
    cache: RepositoryCache, tmp_path: Path
) -> None:
    repository = make_repository(tmp_path / "one")
    async with cache.using(repository):
        fetched = await cache.fetch(repository, "")
        commit(tmp_path / "one", "second")
        newest = git(tmp_path / "one", "rev-parse", "HEAD").strip()
        for lock in ("shallow.lock", f"refs/fetched/{newest}.lock"):
            (fetched.cache / lock).touch()
        assert (await cache.fetch(repository, "")).commit == newest


async def test_a_path_that_is_not_absolute_is_refused(cache: RepositoryCache) -> None:
    with pytest.raises(Unfetchable, match="neither a URL nor an absolute path"):
        async with cache.using("engine"):
            pass


@pytest.mark.parametrize("ref", ["no-such-branch", "0123456789" * 4, "a b"], ids=["branch", "commit", "no ref"])
async def test_what_a_repository_does_not_have_nobody_can_fetch(
    cache: RepositoryCache, tmp_path: Path, ref: str
) -> None:
    with pytest.raises(Unfetchable, match=f"{ref} can't be fetched"):
        await cache.fetch(make_repository(tmp_path / "one"), ref)


@pytest.mark.parametrize("where", ["/nowhere/engine", "http://127.0.0.1:1/engine.git"], ids=["no folder", "no server"])
async def test_what_is_not_here_another_machine_may_fetch(cache: RepositoryCache, where: str) -> None:
    with pytest.raises(NotFetched, match="can't be fetched") as raised:
        await cache.fetch(where, "")
    assert not isinstance(raised.value, Unfetchable)
