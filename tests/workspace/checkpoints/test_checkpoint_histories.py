"""Whatever happens to a work tree, a restore brings back what was there, and an undo what was there before it."""

import pytest

from bench.checkpoints.trial import run_history

ONCE_LOST = (101222, 103292)
"""A link to a folder that is ignored by now, and a tracked file that was ignored and too large at first."""


SEEDS = [pytest.param(seed, marks=[] if seed < 12 else [pytest.mark.breadth]) for seed in range(60)]


@pytest.mark.parametrize("seed", [*SEEDS, *ONCE_LOST])
async def test_a_restore_and_its_undo_lose_nothing(seed: int) -> None:
    await run_history(seed)


@pytest.mark.parametrize("seed", SEEDS)
async def test_secret_files_come_back_like_all_others_and_are_in_no_commit(seed: int) -> None:
    await run_history(seed, secrets=True)
