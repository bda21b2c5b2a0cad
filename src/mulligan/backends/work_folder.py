"""The folder that an agent is to work in."""

import asyncio
from pathlib import Path

from mulligan.types.errors import BackendError


async def work_folder(folder: Path, agent: str) -> Path:
    """The folder, as an absolute path. Raises `BackendError` if there is none.

    Checked by us: some agents take a folder that is not there, and work somewhere else, or make it.
    """
    if not await asyncio.to_thread(folder.is_dir):
        raise BackendError(f"{folder} is not a folder: {agent} can't work there.")
    return await asyncio.to_thread(folder.absolute)
