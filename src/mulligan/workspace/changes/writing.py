"""The only place that writes to the user's project: whole files, each atomically."""

import errno
import os
import re
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.confined_folders import (
    OWN_FOLDER,
    existing_folder,
    made_folder,
    own_folder,
    refuse_closed,
    split,
    status_at,
)
from mulligan.workspace.files.file_bytes import read_file_state
from mulligan.workspace.files.paths import printable

TEMPORARY = re.compile(r"\.mulligan-(\d+)-[0-9a-f]{16}")
"""The number is the id of the process that writes the file."""

ADVICE = {
    errno.EACCES: "no permission. Give yourself write permission to its folder",
    errno.EPERM: "no permission. Check who owns it, and whether it is protected",
    errno.EROFS: "it is on a file system that can only be read",
    errno.ENOSPC: "there is no space left on the disk. Free some and try again",
    errno.EDQUOT: "your disk quota is used up. Free some space and try again",
    errno.ENAMETOOLONG: "its path is too long. Use shorter names",
    errno.EISDIR: "there is a folder of this name. Use another name",
    errno.ENOTDIR: "a part of its path is a file, not a folder. Use another path",
    errno.ENOENT: "its folder, or what was to be put there, was removed meanwhile. Try again",
}

NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}


def write_file_state(root: Path, path: str, *, expected: FileState | None, image: FileState | None) -> None:
    """Replace `expected` by `image`; None means no file. Creates missing folders, never removes any.

    The caller holds the file's lock. Raises `CallRejected`, having changed nothing.
    """
    refuse_closed(path)
    folders, name = split(path)
    with _translate_os_errors(path):
        if image is None:
            with existing_folder(root, folders) as folder:
                if folder is not None:
                    _refuse_read_only(folder, name, path)
                    _refuse_surprise(folder, name, path, expected)
                    os.unlink(name, dir_fd=folder)
                    _settle(folder)
            return
        with made_folder(root, folders) as folder:
            _refuse_read_only(folder, name, path)
            try:
                with own_folder(root, "tmp") as scratch:
                    _put(scratch, folder, name, path, expected=expected, image=image)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _put(folder, folder, name, path, expected=expected, image=image)


def remove_left_behind(root: Path, folders: Iterable[tuple[str, ...]]) -> None:
    """Remove temporary files of dead processes from our own folder and the given ones."""
    for each in {(OWN_FOLDER, "tmp"), *folders}:
        with suppress(OSError, CallRejected), existing_folder(root, each) as folder:
            for name in [] if folder is None else os.listdir(folder):  # noqa: PTH208  a descriptor
                found = TEMPORARY.fullmatch(name)
                if found and not _is_running(int(found[1])):
                    with suppress(FileNotFoundError):  # another process may be removing it too
                        os.unlink(name, dir_fd=folder)


def _put(scratch: int, folder: int, name: str, path: str, *, expected: FileState | None, image: FileState) -> None:
    """Write through a temporary file in `scratch`, which is removed afterwards."""
    temporary = f".mulligan-{os.getpid()}-{token_hex(8)}"
    try:
        _write_temporary(scratch, temporary, image, None if expected is None else status_at(folder, name))
        # Checked as late as possible: an editor does not know our locks.
        _refuse_surprise(folder, name, path, expected)
        if expected is None:
            _link(scratch, temporary, folder, name)
        else:
            os.replace(temporary, name, src_dir_fd=scratch, dst_dir_fd=folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=scratch)
    _settle(folder)


def _write_temporary(scratch: int, temporary: str, image: FileState, like: os.stat_result | None) -> None:
    if image.mode == "120000":
        os.symlink(image.data, temporary, dir_fd=scratch)
        return
    runs = image.mode == "100755"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    made = os.open(temporary, flags, 0o600 if like else 0o777 if runs else 0o666, dir_fd=scratch)
    with open(made, "wb") as file:  # noqa: PTH123  from a descriptor
        if like:
            _keep_owner_and_mode(made, like, runs=runs)
        file.write(image.data)
        file.flush()
        os.fsync(made)


def _keep_owner_and_mode(made: int, like: os.stat_result, *, runs: bool) -> None:
    mine = os.fstat(made)
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        with suppress(OSError):  # only root may change a file's owner
            os.fchown(made, like.st_uid, like.st_gid)
    mode = stat.S_IMODE(like.st_mode) & 0o777 if stat.S_ISREG(like.st_mode) else 0o644
    if runs != bool(mode & stat.S_IXUSR):
        # Everybody who can read the file gets the execute bit.
        mode = mode | (mode & 0o444) >> 2 if runs else mode & ~0o111
    os.fchmod(made, mode)


def _link(scratch: int, temporary: str, folder: int, name: str) -> None:
    """Give the file its name unless the name is taken: a rename would replace the other file."""
    try:
        os.link(temporary, name, src_dir_fd=scratch, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        os.replace(temporary, name, src_dir_fd=scratch, dst_dir_fd=folder)


def _refuse_surprise(folder: int, name: str, path: str, expected: FileState | None) -> None:
    if read_file_state(name, folder=folder, shown=printable(path)) != expected:
        words = f"{printable(path)} was changed by another program at this very moment. Look at it and try again."
        raise CallRejected("exec_error", words)


def _refuse_read_only(folder: int, name: str, path: str) -> None:
    """A rename would replace a read-only file, but somebody made it read-only on purpose."""
    info = status_at(folder, name)
    if info and not stat.S_ISLNK(info.st_mode):
        allowed = os.access(name, os.W_OK, dir_fd=folder, effective_ids=True)
        if not allowed or not stat.S_IMODE(info.st_mode) & 0o222:
            words = f"{printable(path)} is read-only. If it is to be changed, make it writable first (chmod u+w)."
            raise CallRejected("permission_denied", words)
    if not stat.S_IMODE(os.fstat(folder).st_mode) & 0o222:
        words = f"{printable(path)} is in a read-only folder. If it is to be changed, make the folder writable first."
        raise CallRejected("permission_denied", words)


def _settle(folder: int) -> None:
    """Sync the folder, so that the new name is on disk. Some file systems can't do that."""
    with suppress(OSError):
        os.fsync(folder)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it exists and belongs to another user
    return True


@contextmanager
def _translate_os_errors(path: str) -> Generator[None]:
    try:
        yield
    except FileExistsError as error:
        words = f"{printable(path)} was made by another program at this very moment. Look at it and try again."
        raise CallRejected("exec_error", words) from error
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise
        raise CallRejected("exec_error", cant_write(path, error)) from error


def cant_write(path: str, error: OSError) -> str:
    """What failed and what to do, for the user or a model."""
    reason = ADVICE.get(error.errno or 0, error.strerror or str(error))
    return f"{printable(path)} can't be written: {reason}."
