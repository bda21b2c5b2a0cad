"""Files of a work tree, opened folder by folder, so that no link redirects a write."""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO

from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.checkpoints.model import FILE, LINK, PROGRAM, Blob, CheckpointRefused
from mulligan.workspace.files.confined_folders import existing_folder, made_folder, split, status_at

Signature = tuple[int, ...]


@frozen
class TreeEntry:
    blob: Blob | None
    """None for nothing, a folder, or something that git can't store."""
    signature: Signature | None
    """Changes whenever the file does; None if there is no file."""


NOTHING = TreeEntry(None, None)


@frozen
class TreeFiles:
    root: Path
    object_format: str

    def look(self, path: str) -> TreeEntry:
        """What is at a path now."""
        folders, name = split(path)
        try:
            with existing_folder(self.root, folders) as folder:
                return NOTHING if folder is None else self._found(folder, name)
        except CallRejected:  # a link among the parent folders: the path itself does not exist
            return NOTHING

    def blob_of(self, mode: str, data: bytes) -> Blob:
        return Blob(mode, self._oid(BytesIO(data), len(data)))

    def signature(self, path: str) -> Signature | None:
        folders, name = split(path)
        try:
            with existing_folder(self.root, folders) as folder:
                return None if folder is None else _signature(folder, name)
        except CallRejected:
            return None

    def put(self, path: str, source: Path, mode: str) -> None:
        """Move a prepared file to its place, where there is a file or nothing."""
        folders, name = split(path)
        with _no_link_on_the_way(), made_folder(self.root, folders) as folder:
            if mode != LINK:
                _keep_owner_and_mode(source, status_at(folder, name), runs=mode == PROGRAM)
            try:
                os.replace(source, name, dst_dir_fd=folder)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _put_across(source, folder, name)

    def remove(self, path: str) -> None:
        folders, name = split(path)
        with suppress(FileNotFoundError, CallRejected), existing_folder(self.root, folders) as folder:
            if folder is not None:
                os.unlink(name, dir_fd=folder)

    def make_folder(self, path: str) -> None:
        with (
            suppress(CallRejected, FileExistsError, NotADirectoryError),
            made_folder(self.root, tuple(path.split("/"))),
        ):
            pass

    def remove_folder(self, path: str) -> None:
        """Only if it is empty."""
        folders, name = split(path)
        with suppress(OSError, CallRejected), existing_folder(self.root, folders) as folder:
            if folder is not None:
                os.rmdir(name, dir_fd=folder)

    def remove_empty_folders(self, path: str) -> None:
        """Remove a folder that contains nothing but empty folders."""
        top = self.root / path
        if top.is_dir() and not top.is_symlink():
            for place, _, _ in os.walk(top, topdown=False):
                self.remove_folder(os.path.relpath(place, self.root))

    def _found(self, folder: int, name: str) -> TreeEntry:
        info = status_at(folder, name)
        if info is None:
            return NOTHING
        signature = _signature_of(info)
        if stat.S_ISLNK(info.st_mode):
            leads_to = os.fsencode(os.readlink(name, dir_fd=folder))
            return TreeEntry(Blob(LINK, self._oid(BytesIO(leads_to), len(leads_to))), signature)
        if not stat.S_ISREG(info.st_mode):
            return TreeEntry(None, signature)
        mode = PROGRAM if info.st_mode & stat.S_IXUSR else FILE
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with open(opened, "rb") as file:  # noqa: PTH123  from a descriptor
            return TreeEntry(Blob(mode, self._oid(file, os.fstat(opened).st_size)), signature)

    def _oid(self, content: IO[bytes], size: int) -> str:
        digest = hashlib.new(self.object_format, b"blob %d\0" % size, usedforsecurity=False)
        while piece := content.read(1 << 20):
            digest.update(piece)
        return digest.hexdigest()


@contextmanager
def _no_link_on_the_way() -> Generator[None]:
    try:
        yield
    except CallRejected as error:
        raise CheckpointRefused(str(error)) from error


def _signature(folder: int, name: str) -> Signature | None:
    info = status_at(folder, name)
    return None if info is None else _signature_of(info)


def _signature_of(info: os.stat_result) -> Signature:
    return (info.st_mode, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def _keep_owner_and_mode(source: Path, present: os.stat_result | None, *, runs: bool) -> None:
    if present is None or not stat.S_ISREG(present.st_mode):
        return
    if (present.st_uid, present.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):  # only root may change a file's owner
            os.chown(source, present.st_uid, present.st_gid)
    mode = stat.S_IMODE(present.st_mode) & 0o777
    # Everybody who can read the file gets the execute bit.
    source.chmod(mode | (mode & 0o444) >> 2 if runs else mode & ~0o111)


def _put_across(source: Path, folder: int, name: str) -> None:
    """From another file system: through a copy next to the target, whose name is the same at the next try."""
    sibling = f".mulligan-restore-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    with suppress(FileNotFoundError):
        os.unlink(sibling, dir_fd=folder)
    if source.is_symlink():
        os.symlink(source.readlink(), sibling, dir_fd=folder)
    else:
        made = os.open(sibling, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
        with open(made, "wb") as copy, source.open("rb") as original:  # noqa: PTH123  from a descriptor
            shutil.copyfileobj(original, copy)
            info = source.stat()
            os.fchmod(made, stat.S_IMODE(info.st_mode))
    os.replace(sibling, name, src_dir_fd=folder, dst_dir_fd=folder)
    source.unlink()
