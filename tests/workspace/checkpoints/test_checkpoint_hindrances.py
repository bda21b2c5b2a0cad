"""Where a checkpoint can't be written it says why, and nothing is half done."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mulligan.workspace.checkpoints import CheckpointRefused, list_refs
from mulligan.workspace.git import NoRepository
from tests.workspace.checkpoints.repositories import Repository

NOBODY = 65534


def run(*command: str) -> None:
    subprocess.run(command, check=True)


@contextmanager
def mounted(place: Path, *options: str) -> Generator[None]:
    place.mkdir(exist_ok=True)
    ran = subprocess.run(["mount", *options, str(place)], check=False, capture_output=True)
    if ran.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {ran.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


async def test_a_read_only_git_folder_is_said(repository: Repository) -> None:
    repository.commit(a="1\n")
    folder = repository.root / ".git"
    with mounted(folder, "--bind", str(folder)):
        run("mount", "-o", "remount,bind,ro", str(folder))
        with pytest.raises(CheckpointRefused, match="can only be read"):
            await repository.checkpoint()
    await repository.checkpoint()


async def test_a_full_disk_is_said_and_the_next_checkpoint_works(repository: Repository) -> None:
    small = repository.at(repository.home / "small")
    with mounted(small.root, "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        small.git("init", "-q")
        small.commit(a="1\n")
        first = await small.checkpoint("first")
        small.write("random", os.urandom(1_500_000))
        filler = small.write(".git/filler", b"")
        with filler.open("wb") as file:
            left = os.statvfs(small.root)
            file.write(bytes(left.f_bavail * left.f_frsize - 400_000))
        before = small.photograph()
        with pytest.raises(CheckpointRefused, match="no space left on the disk"):
            await small.checkpoint()
        assert small.photograph() == before
        assert list(await list_refs(small.root)) == ["first"]
        filler.unlink()
        (small.root / "random").unlink()
        assert (await small.checkpoint()).tree == first.tree


async def test_a_restore_on_a_full_disk_touches_nothing(repository: Repository) -> None:
    small = repository.at(repository.home / "small")
    with mounted(small.root, "-t", "tmpfs", "-o", "size=6m", "tmpfs"):
        small.git("init", "-q")
        small.write("large", os.urandom(1_000_000))
        snapshot = await small.checkpoint()
        (small.root / "large").unlink()
        filler = small.root / ".git" / "filler"
        left = os.statvfs(small.root)
        filler.write_bytes(bytes(left.f_bavail * left.f_frsize - 300_000))
        before = small.photograph()
        with pytest.raises(CheckpointRefused, match="is the disk full"):
            await small.restore(snapshot)
        assert small.photograph() == before
        filler.unlink()
        await small.restore(snapshot, number=2)
        assert (small.root / "large").stat().st_size == 1_000_000


async def test_a_git_folder_on_another_file_system_is_written_from(repository: Repository) -> None:
    repository.write("a", "then\n")
    (repository.root / "link").symlink_to("a")
    folder = repository.root / ".git"
    aside = folder.rename(repository.home / "aside")
    with mounted(folder, "-t", "tmpfs", "tmpfs"):
        run("cp", "-a", f"{aside}/.", str(folder))
        snapshot = await repository.checkpoint()
        then = repository.photograph()
        repository.write("a", "now\n")
        (repository.root / "link").unlink()
        await repository.restore(snapshot)
        assert repository.photograph() == then


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_what_another_user_may_not_read_is_named(repository: Repository, tmp_path: Path) -> None:
    repository.write("hidden", "mine\n").chmod(0o600)
    repository.write("closed/a", "mine\n")
    repository.write("open", "for all\n")
    ran = _as_nobody(repository, tmp_path, closed=("hidden", "closed"))
    assert ran == ["closed it can't be read: Permission denied", "hidden it can't be read: permission denied", "open"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
async def test_a_repository_of_another_user_is_said_unless_the_person_allowed_it(repository: Repository) -> None:
    repository.write("a")
    for path in (repository.root, repository.root / ".git"):
        os.chown(path, NOBODY, NOBODY)
    with pytest.raises(NoRepository, match="belongs to another user"):
        await repository.checkpoint()
    repository.settings(f"[safe]\ndirectory = {repository.root}\n")
    assert repository.tree(await repository.checkpoint()) == ["a"]


async def test_two_processes_at_once_both_get_their_checkpoint(repository: Repository) -> None:
    for number in range(300):
        repository.write(f"file{number}", str(number))
    code = (
        "import asyncio, sys; from pathlib import Path; from mulligan.workspace.checkpoints import capture;"
        "print(asyncio.run(capture(Path(sys.argv[1]), checkpoint_id=sys.argv[2])).tree)"
    )
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, str(repository.root), f"c{number}", stdout=asyncio.subprocess.PIPE
        )
        for number in range(3)
    ]
    trees = {(await process.communicate())[0] for process in started}
    assert len(trees) == 1
    assert trees != {b""}
    assert len(await list_refs(repository.root)) == 3


def _as_nobody(repository: Repository, tmp_path: Path, closed: tuple[str, ...]) -> list[str]:
    """What a checkpoint by another user says, in a repository that is theirs but for some paths."""
    for path in (tmp_path, *tmp_path.parents[:-2], *tmp_path.rglob("*")):
        own = any(repository.root / name in (path, *path.parents) for name in closed)
        if path.is_relative_to(tmp_path) and not own:
            os.chown(path, NOBODY, NOBODY)
        elif not path.is_relative_to(tmp_path):
            path.chmod(0o755)
    (repository.root / "closed").chmod(0o700)
    code = (
        "import asyncio, os, sys; from pathlib import Path; import mulligan.workspace.checkpoints as c;"
        f"os.setgid({NOBODY}); os.setuid({NOBODY});"
        "s = asyncio.run(c.capture(Path(sys.argv[1]), checkpoint_id='c'));"
        "print(*(f'{a.path} {a.reason}' for a in s.not_covered), sep='\\n')"
    )
    repository.settings("[safe]\ndirectory = *\n")
    ran = subprocess.run(
        [sys.executable, "-c", code, str(repository.root)], check=False, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return [
        *ran.stdout.splitlines(),
        *repository.git("ls-tree", "-r", "--name-only", "refs/mulligan/checkpoints/c").split(),
    ]
