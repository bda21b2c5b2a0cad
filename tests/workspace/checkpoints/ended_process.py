"""A checkpoint or a restore in a process of its own, which ends itself with SIGKILL at a step."""

import asyncio
import os
import signal
from pathlib import Path

from mulligan.workspace.checkpoints import capture, execute_restore, plan_restore, read_snapshot
from mulligan.workspace.checkpoints.model import StepHook


def take_checkpoint(root: Path, env: dict[str, str], step: int) -> None:
    os.environ.update(env)
    asyncio.run(capture(root, checkpoint_id="c", on_step=_end_at(step)))


def restore(root: Path, env: dict[str, str], step: int) -> None:
    os.environ.update(env)
    asyncio.run(_restore(root, step))


async def _restore(root: Path, step: int) -> None:
    target, safety = await read_snapshot(root, "target"), await read_snapshot(root, "safety")
    plan = await plan_restore(root, target, safety, restore_id="r")
    await execute_restore(root, plan, on_step=_end_at(step))


def _end_at(step: int) -> StepHook:
    left = [step]

    def on_step(_name: str) -> None:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    return on_step
