"""Play many faults, a few at a time."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence

from mulligan import __version__
from mulligan.drill.commands import loaded
from mulligan.drill.fault import Fault
from mulligan.drill.outcome import DrillEnd, Outcome
from mulligan.drill.player import play
from mulligan.workspace.sandbox import find_sandbox


async def play_all(
    faults: Sequence[Fault], *, on_start: Callable[[Fault], None], on_end: Callable[[Outcome], None]
) -> DrillEnd:
    """Begun in the order of the faults, told of as they end. Cancelled, it leaves no process and no folder behind."""
    began = time.monotonic()
    # One more than there are cores: some faults are played by waiting.
    room = asyncio.Semaphore((os.cpu_count() or 1) + 1)

    async def one(fault: Fault) -> Outcome:
        async with room:
            on_start(fault)
            missing = await asyncio.to_thread(_missing, fault)
            outcome = _skipped(fault, missing) if missing else await play(fault, commands)
            on_end(outcome)
            return outcome

    async with loaded() as commands, asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(fault)) for fault in faults]
    outcomes = [outcome for task in tasks if (outcome := task.result()).played]
    return DrillEnd(
        version=__version__,
        faults=len(outcomes),
        held=sum(outcome.holds for outcome in outcomes),
        requests=sum(outcome.requests for outcome in outcomes),
        seconds=round(time.monotonic() - began, 2),
    )


def _missing(fault: Fault) -> str:
    """Why a fault can't be played here: without its sandbox, what it tries would be done."""
    if fault.way is None or fault.way == "none":
        return ""
    found = find_sandbox(fault.way)
    return "" if found.way == fault.way else found.missing or "it does not work here"


def _skipped(fault: Fault, missing: str) -> Outcome:
    return Outcome(
        name=fault.name,
        title=fault.title,
        group=fault.group,
        did=f"was not played, as there is no {fault.way}: {missing}",
        requests=0,
        played=False,
        holds=True,
        problems=(),
        seconds=0.0,
    )
