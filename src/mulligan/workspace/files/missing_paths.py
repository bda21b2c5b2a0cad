"""The message for a model whose path does not exist."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from mulligan.types.errors import CallRejected, MulliganError
from mulligan.workspace.files.confined_folders import is_too_long
from mulligan.workspace.files.overlay import with_staged
from mulligan.workspace.files.paths import Located, Missing, is_internal, printable
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.targets import StagedFiles, file_on_the_way

MAX_NEAR_PATHS = 3
ALIKE = 0.7
"""How similar two names must be, by difflib's ratio."""
MAX_COMPARED_NAMES = 5_000
"""How many names are compared, at about 20 µs each."""


def nearest_paths(wanted: str, siblings: Sequence[str], paths: Sequence[str]) -> list[str]:
    """At most three: similar names in the same folder, then the same name elsewhere, then similar names elsewhere."""
    name = PurePosixPath(wanted).name
    elsewhere = {*paths, *(str(parent) for path in paths for parent in PurePosixPath(path).parents)} - {"."}
    same = sorted(path for path in elsewhere if PurePosixPath(path).name.casefold() == name.casefold())
    near = [*_alike(name, siblings), *same]
    if not near:
        near = _alike(name, sorted(elsewhere))
    return list(dict.fromkeys(near))[:MAX_NEAR_PATHS]


def _alike(name: str, paths: Iterable[str]) -> list[str]:
    from difflib import get_close_matches  # 7 ms that only a wrong path needs

    by_name: dict[str, str] = {}
    for path in paths:
        by_name.setdefault(PurePosixPath(path).name.casefold(), path)
    close = get_close_matches(name.casefold(), list(by_name)[:MAX_COMPARED_NAMES], MAX_NEAR_PATHS, ALIKE)
    return [by_name[each] for each in close]


async def nothing_there(root: Path, missing: Missing, staged: StagedFiles, ripgrep: Ripgrep) -> CallRejected:
    """The refusal, with suggestions for the path."""
    if is_too_long(missing.relative):
        return CallRejected("exec_error", "The path is longer than a path, or a name in it, can be.")
    if blocking := await asyncio.to_thread(file_on_the_way, root, missing.relative, staged):
        words = f"{missing.shown} does not exist: {printable(blocking)} is a file, not a folder."
        return CallRejected("exec_error", words)
    try:
        paths = with_staged(await ripgrep.files(Located(root, ".", ".")), staged)
    except MulliganError:  # the answer is right without suggestions too
        paths = []
    siblings = await asyncio.to_thread(_siblings, root, missing.relative, staged)
    near = await asyncio.to_thread(nearest_paths, missing.relative, siblings, paths)
    hint = f" Did you mean {' or '.join(map(printable, near))}?" if near else " Use find_files to look for it."
    return CallRejected("exec_error", f"{missing.shown} does not exist in the project.{hint}")


def _siblings(root: Path, relative: str, staged: StagedFiles) -> list[str]:
    folder = Path(relative).parent
    try:
        on_disk = [str(each.relative_to(root)) for each in (root / folder).iterdir() if not is_internal(each.name)]
    except OSError:
        on_disk = []
    return with_staged(on_disk, {path: image for path, image in staged.items() if Path(path).parent == folder})
