"""A return to a snapshot of a run's work tree, in a process of its own, which ends itself with SIGKILL at a step."""

import asyncio
import os
import signal
from pathlib import Path

from mulligan.store.store import open_store
from mulligan.workspace.run_tree import RunTree
from mulligan.workspace.worktrees import WorkTrees
from tests.unconfined import free


def go_back(project: Path, home: Path, worktree_id: str, snapshot: str, step: int) -> None:
    asyncio.run(_go_back(project, home, worktree_id, snapshot, step))


async def _go_back(project: Path, home: Path, worktree_id: str, snapshot: str, step: int) -> None:
    store = await open_store(home / "mulligan.db")
    run = await RunTree.reopen(WorkTrees(project, store.worktrees, home=home), store, worktree_id, free)
    left = step

    def at(_step: str) -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    await run.return_to(snapshot, on_step=at)
    await store.close()
