"""Play many faults, a few at a time."""

import asyncio
import os
from collections.abc import Callable, Sequence

from mulligan.drill.fault import Fault
from mulligan.drill.outcome import Outcome
from mulligan.drill.playing import play


async def play_all(
    faults: Sequence[Fault], *, on_start: Callable[[Fault], None], on_end: Callable[[Outcome], None]
) -> list[Outcome]:
    """The outcomes in the order of the faults; told of as they come."""
    # One more than there are cores: some faults are played by waiting.
    room = asyncio.Semaphore((os.cpu_count() or 1) + 1)

    async def one(fault: Fault) -> Outcome:
        async with room:
            on_start(fault)
            outcome = await play(fault)
            on_end(outcome)
            return outcome

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(fault)) for fault in faults]
    return [task.result() for task in tasks]
