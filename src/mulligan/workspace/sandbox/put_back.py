"""What can't be write-protected is put back: for sandboxes that give rights to whole folders only.

A hook or a setting that a command plants in `.git` would be run later by the person's own git, outside of any sandbox.
"""

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mulligan.core.sandbox.profile import KEPT_FROM_GIT_WRITES

LARGEST = 10_000_000
"""Bytes of a file that is put back. A larger one is left as it is."""
KEPT_NAMES = tuple(name for name in KEPT_FROM_GIT_WRITES if "/" not in name and name != "mulligan")


A_LINK = -1
"""In place of a mode: the data is where it leads."""


@dataclass(frozen=True, slots=True)
class _Kept:
    data: bytes
    mode: int


@contextmanager
def kept_as_it_was(protected: Iterable[Path]) -> Generator[None]:
    """Hooks and settings of these git folders are afterwards as they were, byte for byte."""
    places = [folder / name for folder in protected if (folder / "HEAD").is_file() for name in KEPT_NAMES]
    before = {place: _read(place) for place in places}
    try:
        yield
    finally:
        for place, was in before.items():
            now = _read(place)
            if now != was:
                _put_back(place, now, was)


def _read(place: Path) -> dict[str, _Kept]:
    """The files at or below a place, by their path from it."""
    if place.is_symlink() or place.is_file():
        files = [place]
    else:
        files = [Path(folder, name) for folder, _, names in os.walk(place) for name in names]
    found: dict[str, _Kept] = {}
    for file in files:
        with suppress(OSError):
            mode = file.lstat()
            if file.is_symlink():
                found[str(file.relative_to(place))] = _Kept(os.fsencode(file.readlink()), A_LINK)
            elif mode.st_size <= LARGEST:
                found[str(file.relative_to(place))] = _Kept(file.read_bytes(), mode.st_mode)
    return found


def _put_back(place: Path, now: dict[str, _Kept], was: dict[str, _Kept]) -> None:
    for name, kept in now.items():
        if kept != was.get(name):
            with suppress(OSError):
                (place / name).unlink()
    for name, kept in was.items():
        if now.get(name) == kept:
            continue
        file = place / name
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            if kept.mode == A_LINK:
                file.symlink_to(os.fsdecode(kept.data))
            else:
                file.write_bytes(kept.data)
                file.chmod(kept.mode & 0o7777)
