"""Copies of folders. Content is shared where the file system can, and then parts when either side is written."""

import fcntl
import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event

from mulligan.workspace.worktrees.moved_paths import Moved

CLONE = 0x40049409
"""Linux' FICLONE: two files with one content, each written on its own. A hard link would be written through."""


@dataclass(frozen=True, slots=True)
class Measured:
    bytes: int
    sample: Path | None
    """One of the files."""


def measure(folder: Path) -> Measured:
    total, sample = 0, None
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as inside:
            for entry in inside:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry))
                elif entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
                    sample = Path(entry)
    return Measured(total, sample)


class Copying:
    """Copies folders of a checkout into a work tree."""

    def __init__(self, moved: Moved, stop: Event) -> None:
        self._moved = moved
        self._stop = stop
        self._shares = True

    def can_share(self, sample: Path) -> bool:
        with TemporaryFile(dir=self._moved.to) as target, suppress(OSError), sample.open("rb") as source:
            return _cloned(source.fileno(), target.fileno())
        return False

    def folder(self, source: Path, target: Path, *, shown: Path) -> None:
        """Copy all of a folder. `shown` is its path in the checkout, which its relative links start from."""
        waiting = [(source, target, shown)]
        made: list[tuple[Path, os.stat_result]] = []
        while waiting and not self._stop.is_set():
            here, there, place = waiting.pop()
            there.mkdir()
            made.append((there, here.stat()))
            with os.scandir(here) as inside:
                entries = list(inside)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((Path(entry), there / entry.name, place / entry.name))
                else:
                    # Another program may be at work in it; what is gone by now need not be copied.
                    with suppress(FileNotFoundError):
                        self._entry(Path(entry), there / entry.name, place)
        for folder, info in reversed(made):
            folder.chmod(stat.S_IMODE(info.st_mode) | stat.S_IRWXU)
            os.utime(folder, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _entry(self, source: Path, target: Path, place: Path) -> None:
        info = source.lstat()
        if stat.S_ISLNK(info.st_mode):
            target.symlink_to(self._moved.link(os.fspath(source.readlink()), place))
        elif stat.S_ISREG(info.st_mode):
            self._file(source, target)
            target.chmod(stat.S_IMODE(info.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
            # Compiled Python is believed as long as its source has the time it had.
            os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))

    def _file(self, source: Path, target: Path) -> None:
        if self._shares:
            with source.open("rb") as original, target.open("xb") as copy:
                self._shares = _cloned(original.fileno(), copy.fileno())
        if not self._shares:
            shutil.copyfile(source, target)


def _cloned(source: int, target: int) -> bool:
    try:
        fcntl.ioctl(target, CLONE, source)
    except OSError:
        return False
    return True
