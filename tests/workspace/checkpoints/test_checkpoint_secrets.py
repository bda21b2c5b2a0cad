"""Secret files that are not tracked come back with a restore, and no git command shows what was in them."""

import os
import stat
import time
from pathlib import Path

import pytest

from mulligan.workspace.checkpoints import CheckpointRefused, changes_between, diff_text, drop, read_snapshot
from tests.workspace.checkpoints.repositories import Repository

SECRET = "TOKEN=zebra-cloud-9\n"  # noqa: S105 - nobody's


def copies(repository: Repository) -> list[Path]:
    folder = repository.root / ".git" / "mulligan" / "secrets"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def age(paths: list[Path]) -> None:
    then = time.time() - 7200
    for path in paths:
        os.utime(path, (then, then))


def shown_by_git(repository: Repository) -> str:
    """All that git can be made to show: every commit as a patch, and every object."""
    objects = repository.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    blobs = [line.split()[0] for line in objects.splitlines() if line.endswith("blob")]
    return repository.git("log", "--all", "-p") + "".join(repository.git("cat-file", "blob", blob) for blob in blobs)


async def test_git_shows_nothing_of_an_untracked_secret_file(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    repository.write("deploy/prod.env", SECRET)
    snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == ["a"]
    assert sorted(snapshot.secrets) == [".env", "deploy/prod.env"]
    assert "zebra" not in shown_by_git(repository)
    assert await read_snapshot(repository.root, "c") == snapshot


async def test_copies_are_for_their_owner_alone_and_one_for_equal_contents(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    repository.write(".env.local", SECRET)
    await repository.checkpoint()
    (copy,) = copies(repository)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    assert b"zebra" not in copy.read_bytes()


async def test_a_restore_brings_back_what_was_changed_or_deleted_and_deletes_what_is_new(
    repository: Repository,
) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    repository.write(".netrc", SECRET).chmod(0o600)
    target = await repository.checkpoint()
    repository.write(".env", "TOKEN=other\n")
    (repository.root / ".netrc").unlink()
    repository.write("id_rsa", "new\n")
    await repository.restore(target)
    assert repository.read(".env") == SECRET.encode()
    assert repository.read(".netrc") == SECRET.encode()
    assert stat.S_IMODE((repository.root / ".netrc").stat().st_mode) == 0o600
    assert not (repository.root / "id_rsa").exists()


async def test_a_tracked_secret_file_is_in_the_checkpoint_as_it_is_in_the_history(repository: Repository) -> None:
    repository.write(".env", SECRET)
    repository.git("add", ".env")
    snapshot = await repository.checkpoint()
    assert repository.tree(snapshot) == [".env"]
    assert not snapshot.secrets


async def test_one_that_is_tracked_no_more_leaves_the_next_checkpoint_and_comes_back_all_the_same(
    repository: Repository,
) -> None:
    repository.write(".env", SECRET)
    repository.git("add", ".env")
    repository.commit(a="1\n")
    tracked = await repository.checkpoint("tracked")
    repository.git("rm", "-q", "--cached", ".env")
    loose = await repository.checkpoint("loose")
    assert (repository.tree(loose), sorted(loose.secrets)) == (["a"], [".env"])
    repository.write(".env", "TOKEN=other\n")
    await repository.restore(tracked, number=1)
    assert repository.read(".env") == SECRET.encode()
    await repository.restore(loose, number=2)
    assert repository.read(".env") == SECRET.encode()
    assert repository.git("status", "--porcelain") == "D  .env\n?? .env\n"


async def test_an_ignored_one_is_not_touched(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".gitignore", ".env\n")
    repository.write(".env", SECRET)
    target = await repository.checkpoint()
    assert not target.secrets
    repository.write(".env", "TOKEN=other\n")
    await repository.restore(target)
    assert repository.read(".env") == b"TOKEN=other\n"


async def test_changes_name_the_file_and_the_diff_does_not_show_it(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    before = await repository.checkpoint()
    repository.write(".env", "TOKEN=zebra\n")
    changes = await changes_between(repository.root, before)
    assert [(each.path, each.kind, each.size_before, each.size_after) for each in changes] == [
        (".env", "modified", len(SECRET), 12)
    ]
    assert await diff_text(repository.root, before) == ""


async def test_a_copy_goes_with_the_last_checkpoint_that_names_it(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    await repository.checkpoint("one")
    await repository.checkpoint("two")
    age(copies(repository))
    await drop(repository.root, ["one"])
    assert len(copies(repository)) == 1
    await drop(repository.root, ["two"])
    assert not copies(repository)


async def test_a_copy_that_no_checkpoint_names_goes_with_the_next_checkpoint(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    await changes_between(repository.root, await repository.checkpoint("one"))
    await drop(repository.root, ["one"])
    age(copies(repository))
    repository.write(".env", "TOKEN=other\n")
    await repository.checkpoint("two")
    assert len(copies(repository)) == 1


async def test_a_lost_copy_is_said_before_anything_is_changed(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.write(".env", SECRET)
    target = await repository.checkpoint()
    copies(repository)[0].unlink()
    repository.write("a", "2\n")
    repository.write(".env", "TOKEN=other\n")
    with pytest.raises(CheckpointRefused, match="A secret file of this checkpoint can't be brought back"):
        await repository.restore(target)
    assert repository.read("a") == b"2\n"
    assert repository.read(".env") == b"TOKEN=other\n"
