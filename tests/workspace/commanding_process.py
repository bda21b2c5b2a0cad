"""A process that runs a command as Mulligan does, and can be killed meanwhile.

python commanding_process.py SCRIPT. Afterwards it says whether it has a child left.
"""

import asyncio
import os
import sys
from pathlib import Path

from mulligan.workspace.process import run_kept
from mulligan.workspace.spawning import Launch


async def command(script: str) -> None:
    env = {"PATH": os.environ["PATH"]}
    await run_kept(Launch(["sh", "-c", script], Path("/"), env), time_limit=60, keep=1_000, grace=1)


def children() -> str:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return "no child"
    return "a child"


if __name__ == "__main__":
    asyncio.run(command(sys.argv[1]))
    sys.stdout.write(children())
