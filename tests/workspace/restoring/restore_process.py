"""A restore in a process of its own, which is killed at one of its steps."""

import asyncio
import os
import signal
from pathlib import Path

from mulligan.store.ids import new_id
from mulligan.store.store import open_store
from mulligan.workspace.checkpoints.service import open_checkpoints


def restore(root: Path, database: Path, checkpoint_id: str, last: int) -> None:
    asyncio.run(_restore(root, database, checkpoint_id, last))


async def _restore(root: Path, database: Path, checkpoint_id: str, last: int) -> None:
    store = await open_store(database)
    checkpoints = await open_checkpoints(root, store, new_id=new_id)
    taken = 0

    def at(_step: str) -> None:
        nonlocal taken
        if taken == last:
            os.kill(os.getpid(), signal.SIGKILL)
        taken += 1

    await checkpoints.restore(await checkpoints.find(checkpoint_id), tell=lambda _words: None, on_step=at)
    await store.close()
