"""A snapshot of a project's files at the last call of `watch_changes`, stored next to its cache for every process."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from mulligan.codecontext.cache import cache_file
from mulligan.runtime.regular_files import read_regular
from mulligan.types.codecontext import FileChanges

MAX_BYTES = 256 << 20
"""Limit of the stored file."""


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    time: float
    """Seconds since 1970."""
    hashes: Mapping[str, str]
    """Of the files, by their paths."""


def snapshot_file(folder: Path, root: Path) -> Path:
    """Not in the cache, which is discarded whenever something is wrong with it."""
    return cache_file(folder, root).with_suffix(".looked.json")


def read_snapshot(path: Path) -> IndexSnapshot | None:
    """None if there was no snapshot, or it can't be read."""
    try:
        found = json.loads(read_regular(path, limit=MAX_BYTES, follow=False))
        return IndexSnapshot(float(found["time"]), {str(name): str(each) for name, each in found["hashes"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_snapshot(path: Path, snapshot: IndexSnapshot) -> None:
    """Store it atomically, even if this process is killed. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_text(json.dumps(asdict(snapshot)), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def changes_between(before: IndexSnapshot | None, now: IndexSnapshot) -> FileChanges:
    if before is None:
        return FileChanges((), (), (), since=None)
    old, new = before.hashes, now.hashes
    return FileChanges(
        added=tuple(sorted(new.keys() - old.keys())),
        modified=tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        deleted=tuple(sorted(old.keys() - new.keys())),
        since=before.time,
    )
