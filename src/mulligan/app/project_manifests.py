"""Reads the files that say how a project is tested and checked."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from mulligan.ports.files import Workspace
from mulligan.types.errors import CallRejected

MAX_FILES = 100_000


async def read_manifests(files: Workspace) -> tuple[dict[str, str], Sequence[str]]:
    """Texts of manifests by path, and the paths of all files."""
    paths = (await files.find_files("*", ".", MAX_FILES)).paths
    return await read_texts(files, await asyncio.to_thread(_named, paths)), paths


async def read_texts(files: Workspace, paths: Sequence[str]) -> dict[str, str]:
    """The texts of the readable ones."""
    read: dict[str, str] = {}
    for path in paths:
        with suppress(CallRejected):
            read[path] = "\n".join((await files.read_text(path)).lines)
    return read


def _named(paths: Sequence[str]) -> Sequence[str]:
    """In a thread: importing it and checking very many paths takes a while, and a request may be about to go out."""
    from mulligan.core.project_commands import manifests_among

    return manifests_among(paths)
