"""A process that runs a command in the sandbox, as Mulligan does: python confined_process.py WAY PROJECT HOME LINE."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, cast

from mulligan.workspace.sandbox import Sandbox


async def main(way: str, project: Path, home: Path, line: str) -> None:
    sandbox = Sandbox(cast("Any", way), project, home=home / ".mulligan")
    ended = await sandbox.run(
        ["/bin/bash", "-c", line],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        time_limit=120,
        keep=10_000,
        grace=1,
    )
    status = await sandbox.status()
    sys.stdout.write(f"{status.mechanism} {ended.end.code} {ended.end.stdout.text(1000)}{ended.end.stderr.text(1000)}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]))
