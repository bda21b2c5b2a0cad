"""A process that restores a checkpoint and, at one of its steps, is killed.

python restore_process.py ROOT DATABASE CHECKPOINT STEP
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from mulligan.store.ids import new_id
from mulligan.store.store import open_store
from mulligan.workspace.checkpoints.service import open_checkpoints


async def restore(root: Path, database: Path, checkpoint_id: str, last: int) -> None:
    store = await open_store(database)
    checkpoints = await open_checkpoints(root, store, new_id=new_id)
    taken = 0

    def at(_step: str) -> None:
        nonlocal taken
        if taken == last:
            os.kill(os.getpid(), signal.SIGKILL)
        taken += 1

    await checkpoints.restore(await checkpoints.find(checkpoint_id), tell=lambda _words: None, at=at)
    await store.close()


if __name__ == "__main__":
    asyncio.run(restore(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
