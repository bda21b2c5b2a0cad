"""One process that asks for the overview, as the command does. Prints what it took, as JSON."""

import asyncio
import gc
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.codecontext.tree import list_tree
from mulligan.codecontext.index import ProjectIndex


async def main(root: Path, cache: Path) -> None:
    async def list_files() -> Sequence[str]:
        return list_tree(root)

    index = ProjectIndex(root, cache, list_files)
    state = await index.refresh()
    overview = await index.overview()
    index.close()
    parsers = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {"files": overview.files, "parsed": state.parsed, "seconds": state.seconds}
    print(json.dumps(told | {"parsing": parsers.ru_utime + parsers.ru_stime}))


gc.set_threshold(100_000, 20, 20)  # as the command has it
asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
