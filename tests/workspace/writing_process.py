"""Processes that change a project and are killed while they do.

It loads everything once. Each line that it reads makes a child, which is a fork, so that many can be killed in little
time: it says the child's pid, and `ended` once the child is gone. The line is JSON: the project, the database, what to
do, and where to die.
"""

import asyncio
import inspect
import json
import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import FileState
from mulligan.workspace.changes.pending import PendingChanges
from mulligan.workspace.files.confined_folders import present_file

PATHS = ("a.txt", "src/b.txt", "src/deep/c.txt")
LINES = 20_000


def content(number: int) -> bytes:
    """All lines are alike, so that half a file would show."""
    return f"{number:08}\n".encode() * LINES


async def forever(root: Path, store: SqlStore) -> None:
    """Create, edit, delete; apply each and revert every third."""
    pending = PendingChanges(root, store.changes, project=str(root))
    for number in count(os.getpid() * 1_000):
        path = PATHS[number % len(PATHS)]
        before = present_file(root, path)
        after = None if before and number % 5 == 0 else FileState(content(number))
        change = await store.changes.add(project=str(root), path=path, before=before, after=after)
        await pending.apply([change])
        if number % 3 == 0:
            await pending.revert([change])


async def act(root: Path, store: SqlStore, action: str, change_id: str) -> None:
    pending = PendingChanges(root, store.changes, project=str(root))
    change = await store.changes.find(str(root), change_id)
    await (pending.apply if action == "apply" else pending.revert)([change])


async def work(order: dict[str, str]) -> None:
    root, store = Path(order["root"]), await open_store(Path(order["database"]))
    if "action" not in order:
        await forever(root, store)
    place = {"os": os, "store": store.changes}[order["where"]]
    setattr(place, order["call"], deadly(getattr(place, order["call"]), order["when"]))
    await act(root, store, order["action"], order["change"])
    await store.close()


def deadly(real: Callable[..., Any], when: str) -> Callable[..., Any]:
    """The call, and death before it or after it."""

    def sync(*arguments: Any, **options: Any) -> Any:
        if when == "before":
            die()
        result = real(*arguments, **options)
        die()
        return result

    async def later(*arguments: Any, **options: Any) -> Any:
        if when == "before":
            die()
        result = await real(*arguments, **options)
        die()
        return result

    return later if inspect.iscoroutinefunction(real) else sync


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            asyncio.run(work(json.loads(line)))
            os._exit(0)
        say(str(pid))
        os.waitpid(pid, 0)
        say("ended")


if __name__ == "__main__":
    main()
