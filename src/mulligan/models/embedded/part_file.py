"""An incomplete file: bytes are appended and hashed as they arrive.

Its length is the progress of the download; there is no journal. It gets its real name only once its hash is right.
"""

import asyncio
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from mulligan.models.embedded.download_progress import Checking, MirrorFailed, Report

BLOCK = 1024 * 1024


class PartFile:
    """Open it with `with`, then `resume` it, then `append`."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = size
        self._hash = hashlib.sha256()
        self.at = 0
        """Bytes that are there, all of them hashed."""

    def __enter__(self) -> Self:
        self._file = self._path.open("a+b")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    async def resume(self, report: Report, *, multiple_of: int = 1) -> int:
        """Keep and hash what an earlier download left, rounded down to a multiple of this many bytes. Returns its
        size."""
        there = min(self._path.stat().st_size, self._size)
        self.cut(there if there == self._size else there - there % multiple_of)
        self.at = await _read_through(self._file, self._hash.update, self._size, report)
        return self.at

    def append(self, data: bytes) -> None:
        """Raises `MirrorFailed` for more than the whole file has: a mirror must not fill the disk."""
        if self.at + len(data) > self._size:
            raise MirrorFailed(f"sends more than the {self._size:,} bytes that the file has")
        self._file.write(data)
        self._hash.update(data)
        self.at += len(data)

    def cut(self, length: int) -> None:
        """Drop everything after this many bytes. Unless that is zero, `resume` must follow."""
        self._file.flush()
        self._file.truncate(length)
        self._hash = hashlib.sha256()
        self.at = 0

    def sha256(self) -> str:
        return self._hash.hexdigest()

    def publish(self, path: Path) -> None:
        """Give the file its real name, once every byte is on disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._path.replace(path)

    def discard(self) -> None:
        self._path.unlink()


async def sha256_of(path: Path, size: int, report: Report) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        await _read_through(file, digest.update, size, report)
    return digest.hexdigest()


async def _read_through(file: BinaryIO, take: Callable[[bytes], None], size: int, report: Report) -> int:
    """Read the file from the start; returns the number of bytes. Can be cancelled between two blocks."""
    file.seek(0)
    done = 0
    while block := file.read(BLOCK):
        take(block)
        done += len(block)
        report(Checking(done, size))
        await asyncio.sleep(0)
    return done
