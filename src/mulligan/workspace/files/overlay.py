"""Listings and searches that include staged changes."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from mulligan.ports.files import DirEntry, GrepMatch, GrepQuery, GrepResult
from mulligan.types.changes import FileState
from mulligan.workspace.files.gitignore import ignored_names, rules_base
from mulligan.workspace.files.paths import Located
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.targets import StagedFiles, below


def with_staged(paths: Sequence[str], staged: StagedFiles) -> list[str]:
    """The paths without staged deletions and with staged new files, sorted."""
    there = {path for path, image in staged.items() if image}
    return sorted({path for path in paths if path not in staged} | there) if staged else list(paths)


def visible(root: Path, folder: Located, staged: StagedFiles) -> StagedFiles:
    """Files staged below a folder that .gitignore does not ignore."""
    base = rules_base(root)
    return {
        path: image
        for path, image in staged.items()
        if below(path, folder.relative) and (image is None or not _is_ignored(root, base, folder.relative, path))
    }


def entries_with_staged(entries: Iterable[DirEntry], folder: str, staged: StagedFiles) -> list[DirEntry]:
    """A folder's entries including staged changes."""
    named = {entry.name: entry for entry in entries}
    for path, image in staged.items():
        if not below(path, folder):
            continue
        name, deeper, _ = (path if folder == "." else path[len(folder) + 1 :]).partition("/")
        if deeper and image:
            named.setdefault(f"{name}/", DirEntry(f"{name}/", None))
        elif not deeper and image:
            named[name] = DirEntry(name, len(image.data))
        elif not deeper:
            named.pop(name, None)
    return list(named.values())


async def grep_with_staged(
    ripgrep: Ripgrep, root: Path, query: GrepQuery, target: Located, staged: StagedFiles
) -> GrepResult:
    """Search files on disk that are not staged, and the staged texts."""
    named = staged.get(target.relative)
    # A named file is searched even if .gitignore ignores it.
    inside = {target.relative: named} if named else await asyncio.to_thread(visible, root, target, staged)
    on_disk = GrepResult((), 0, 0)
    if named is None and await asyncio.to_thread(target.real.exists):
        on_disk = await ripgrep.grep(query, target, without=staged.keys())
    texts = {path: image for path, image in inside.items() if image and image.mode != "120000"}
    if not texts:
        return on_disk
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="mulligan-") as folder:
        place = Path(folder)
        await asyncio.to_thread(_write_tree, place, texts)
        there = Located(place / target.relative, target.relative, target.asked)
        in_staged = await ripgrep.in_all_of(place).grep(query, there)
    both = sorted((*on_disk.matches, *in_staged.matches), key=_place)
    return GrepResult(tuple(both[: query.limit]), on_disk.total + in_staged.total, on_disk.files + in_staged.files)


def _write_tree(place: Path, texts: dict[str, FileState]) -> None:
    for path, image in texts.items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(image.data)


def _place(match: GrepMatch) -> tuple[list[str], int]:
    """In ripgrep's order, which goes folder by folder."""
    return match.path.split("/"), match.line


def _is_ignored(root: Path, base: Path, folder: str, path: str) -> bool:
    """Whether the rules ignore it or one of its parents; a folder that was named in the request does not count."""
    at = root if folder == "." else root / folder
    *folders, name = Path(path).relative_to(folder).parts
    for each in folders:
        if ignored_names(at, base, [f"{each}/"]):
            return True
        at /= each
    return bool(ignored_names(at, base, [name]))
