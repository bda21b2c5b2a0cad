"""A first AGENTS.md for a project, gathered from its index, its manifests and its sources."""

import asyncio
import sys
from collections.abc import Sequence

from mulligan.app.project_manifests import read_texts
from mulligan.codecontext.index import ProjectIndex
from mulligan.core.draft_instructions import ProjectFacts, draft_instructions, is_read_at_top
from mulligan.core.project_commands import find_commands, manifests_among
from mulligan.syntax.file_types import file_type
from mulligan.types.settings import Settings
from mulligan.workspace.files.project_files import ProjectFiles

MAX_SAMPLES = 60
"""Source files to check for their indentation."""


async def drafted(settings: Settings) -> str:
    """Uses no model, and writes nothing but the index."""
    files = ProjectFiles(settings.project)
    paths = (await files.find_files("*", ".", sys.maxsize)).paths

    async def listed() -> Sequence[str]:
        return paths

    index = ProjectIndex(settings.project, settings.home / "index", listed)
    try:
        # Requested together, they share one scan of the files.
        overview, frameworks = await asyncio.gather(index.overview(), index.frameworks())
    finally:
        index.close()
    manifests = await read_texts(files, manifests_among(paths))
    top = [path for path in paths if "/" not in path and is_read_at_top(path)]
    sources = [path for path in paths if (kind := file_type(path)) and kind.is_code]
    spread = sources[:: max(1, len(sources) // MAX_SAMPLES)][:MAX_SAMPLES]
    return draft_instructions(
        ProjectFacts(
            name=settings.project.name,
            paths=paths,
            overview=overview,
            frameworks=frameworks,
            commands=find_commands(manifests, paths),
            at_top=await read_texts(files, top),
            samples=await read_texts(files, spread),
        )
    )
