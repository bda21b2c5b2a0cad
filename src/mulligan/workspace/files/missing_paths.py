"""What a model is told when there is nothing at its path."""

import asyncio
from pathlib import Path

from mulligan.types.errors import CallRejected, MulliganError
from mulligan.workspace.files.confined_folders import is_too_long
from mulligan.workspace.files.nearest_paths import nearest_paths
from mulligan.workspace.files.overlay import with_staged
from mulligan.workspace.files.paths import Located, Missing, is_internal, printable
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.targets import StagedImages, file_on_the_way


async def nothing_there(root: Path, missing: Missing, staged: StagedImages, ripgrep: Ripgrep) -> CallRejected:
    """The refusal, with the paths that may have been meant."""
    if is_too_long(missing.relative):
        return CallRejected("exec_error", "The path is longer than a path, or a name in it, can be.")
    if blocking := await asyncio.to_thread(file_on_the_way, root, missing.relative, staged):
        words = f"{missing.shown} does not exist: {printable(blocking)} is a file, not a folder."
        return CallRejected("exec_error", words)
    try:
        paths = with_staged(await ripgrep.files(Located(root, ".", ".")), staged)
    except MulliganError:  # without suggestions the answer is still right
        paths = []
    siblings = await asyncio.to_thread(_siblings, root, missing.relative, staged)
    near = await asyncio.to_thread(nearest_paths, missing.relative, siblings, paths)
    hint = f" Did you mean {' or '.join(map(printable, near))}?" if near else " Use find_files to look for it."
    return CallRejected("exec_error", f"{missing.shown} does not exist in the project.{hint}")


def _siblings(root: Path, relative: str, staged: StagedImages) -> list[str]:
    folder = Path(relative).parent
    try:
        on_disk = [str(each.relative_to(root)) for each in (root / folder).iterdir() if not is_internal(each.name)]
    except OSError:
        on_disk = []
    return with_staged(on_disk, {path: image for path, image in staged.items() if Path(path).parent == folder})
