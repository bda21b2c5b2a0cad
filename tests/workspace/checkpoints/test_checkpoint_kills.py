"""Killed at any step: a checkpoint leaves no trace, and a restore is finished by doing it again."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.workspace.checkpoints import capture, execute_restore, list_refs, plan_restore, read_snapshot
from tests.forked_function import run_forked
from tests.workspace.checkpoints import ended_process
from tests.workspace.checkpoints.repositories import Repository, everything

STEPS_OF_THE_FIRST_CHECKPOINT = 6
STEPS_OF_A_CHECKPOINT = 5
STEPS_OF_A_RESTORE = 23


def was_killed(work: Callable[[Path, dict[str, str], int], None], repository: Repository, step: int) -> bool:
    """Run a work in a process that ends itself at a step; false if it had fewer steps."""
    env = {name: os.environ[name] for name in ("HOME", "GIT_CONFIG_GLOBAL")}
    code = run_forked(work, repository.root, env, step)
    assert code in {0, -signal.SIGKILL}
    return code != 0


def busy(repository: Repository) -> None:
    """Something of every kind that a checkpoint has to keep."""
    repository.commit(a="1\n", b="1\n", c="1\n")
    repository.write("a", "staged\n")
    repository.git("add", "a")
    repository.write("a", "unstaged\n")
    repository.write("untracked")
    repository.write("x/inner", "a folder\n")
    (repository.root / "empty").mkdir()
    (repository.root / "link").symlink_to("a")


def go_on(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit(a="2\n", new="2\n")
    repository.git("branch", "-f", "main")
    shutil.rmtree(repository.root / "x")
    repository.write("x", "a file\n")
    repository.write("later/y")
    (repository.root / "c").unlink()
    (repository.root / "empty").rmdir()


@pytest.mark.parametrize(
    ("step", "earlier"),
    [(step, False) for step in range(STEPS_OF_THE_FIRST_CHECKPOINT)]
    + [(step, True) for step in range(STEPS_OF_A_CHECKPOINT)],
)
async def test_a_checkpoint_killed_at_any_step_leaves_the_next_one_whole(
    repository: Repository, step: int, earlier: bool
) -> None:
    busy(repository)
    if earlier:
        await repository.checkpoint("earlier")
        repository.write(".gitignore", "untracked\n")
    before, folder = repository.photograph(), everything(repository.root / ".git")
    assert was_killed(ended_process.take_checkpoint, repository, step)
    assert repository.photograph() == before
    assert everything(repository.root / ".git") == folder
    again = await repository.checkpoint("again")
    shutil.rmtree(repository.root / ".git" / "mulligan")
    assert (await repository.checkpoint("afresh")).tree == again.tree


async def test_a_checkpoint_has_no_more_steps_than_are_tried(repository: Repository) -> None:
    busy(repository)
    assert not was_killed(ended_process.take_checkpoint, repository, STEPS_OF_THE_FIRST_CHECKPOINT)
    assert list(await list_refs(repository.root)) == ["c"]


@pytest.mark.parametrize("step", range(STEPS_OF_A_RESTORE))
async def test_a_restore_killed_at_any_step_is_finished_by_doing_it_again(repository: Repository, step: int) -> None:
    busy(repository)
    target = await repository.checkpoint("target")
    then = repository.photograph()
    go_on(repository)
    now = repository.photograph()
    safety = await capture(repository.root, checkpoint_id="safety", before=target)
    assert was_killed(ended_process.restore, repository, step)
    plan = await plan_restore(repository.root, target, safety, restore_id="r")
    await execute_restore(repository.root, plan)
    assert repository.photograph() == then
    assert not (repository.root / ".git" / "index.lock").exists()
    await repository.restore(safety, number=2)
    assert repository.photograph() == now


@pytest.mark.parametrize("step", range(3, STEPS_OF_A_RESTORE, 5))
async def test_a_restore_killed_at_any_step_can_be_taken_back_instead(repository: Repository, step: int) -> None:
    busy(repository)
    target = await repository.checkpoint("target")
    go_on(repository)
    now = repository.photograph()
    await capture(repository.root, checkpoint_id="safety", before=target)
    assert was_killed(ended_process.restore, repository, step)
    await repository.restore(await read_snapshot(repository.root, "safety"), number=2)
    assert repository.photograph() == now


async def test_a_restore_has_no_more_steps_than_are_tried(repository: Repository) -> None:
    busy(repository)
    target = await repository.checkpoint("target")
    then = repository.photograph()
    go_on(repository)
    await capture(repository.root, checkpoint_id="safety", before=target)
    assert not was_killed(ended_process.restore, repository, STEPS_OF_A_RESTORE)
    assert repository.photograph() == then
