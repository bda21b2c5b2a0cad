"""Ends what a program that we started left behind: its descendants may leave its process group and outlive it."""

import asyncio
from collections.abc import Iterable

from mulligan.runtime import marked_processes
from mulligan.runtime.marked_processes import MarkedProcess

MARK = "MULLIGAN_AGENT_MARK"
"""Not `MULLIGAN_AGENT`, which is a setting: a Mulligan that the agent runs would read it."""


async def sweep(mark: str, *, spare: frozenset[MarkedProcess] = frozenset()) -> int:
    """Kill all processes with the mark, except those to spare. Returns how many there were."""
    return len(await asyncio.to_thread(marked_processes.end_marked, f"{MARK}={mark}", spare=spare))


async def sweep_around(mark: str, root: int | None) -> int:
    """Kill what an agent left behind, but not the agent (`root`) and its helpers. Returns how many processes it was.

    Without a root, all are killed.
    """
    spare = process_tree(await marked(mark), root) if root is not None else frozenset[MarkedProcess]()
    return await sweep(mark, spare=spare)


async def marked(mark: str) -> frozenset[MarkedProcess]:
    """The processes that have the mark now."""
    return await asyncio.to_thread(marked_processes.marked, f"{MARK}={mark}")


def process_tree(processes: Iterable[MarkedProcess], root: int) -> frozenset[MarkedProcess]:
    """The root and its descendants whose parents still run: the agent and its helpers, without what was left behind."""
    by_parent: dict[int, list[MarkedProcess]] = {}
    members: list[MarkedProcess] = []
    for process in processes:
        by_parent.setdefault(process.parent, []).append(process)
        if process.pid == root:
            members.append(process)
    for member in members:
        members += by_parent.get(member.pid, ())
    return frozenset(members)


class ChildWatchdog(marked_processes.Watchdog):
    """Kills a program's processes if Mulligan ends before it."""

    def __init__(self, mark: str) -> None:
        """Raises `OSError` if the shell can't be started."""
        super().__init__(f"{MARK}={mark}")
