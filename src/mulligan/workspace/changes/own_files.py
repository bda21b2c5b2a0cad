"""Reads and writes Mulligan's own files in a project's `.mulligan/`, each atomically."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.workspace.changes.writing import cant_write
from mulligan.workspace.files.confined_folders import OWN_FOLDER, existing_folder, made_folder, own_folder, split
from mulligan.workspace.files.file_bytes import read_file_state


def read_own_file(root: Path, path: str) -> bytes | None:
    """The content of a file below `.mulligan/`; None if there is none. Raises `ConfigurationError`, also for a link."""
    folders, name = split(f"{OWN_FOLDER}/{path}")
    with _translate_os_errors(f"{OWN_FOLDER}/{path}"), existing_folder(root, folders) as folder:
        image = None if folder is None else read_file_state(name, folder=folder, shown=f"{OWN_FOLDER}/{path}")
        if image and image.mode == "120000":
            raise ConfigurationError(f"{OWN_FOLDER}/{path} is a symbolic link: put a file there, or nothing")
        return image.data if image else None


def write_own_file(root: Path, path: str, data: bytes) -> Path:
    """Write a file below `.mulligan/`, replacing an existing one. Raises `ConfigurationError`."""
    folders, name = split(f"{OWN_FOLDER}/{path}")
    temporary = f".mulligan-{os.getpid()}-{token_hex(8)}"
    with (
        _translate_os_errors(f"{OWN_FOLDER}/{path}"),
        own_folder(root, "tmp") as scratch,
        made_folder(root, folders) as folder,
    ):
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            made = os.open(temporary, flags, 0o666, dir_fd=scratch)
            with open(made, "wb") as file:  # noqa: PTH123  from a descriptor
                _keep_mode(made, folder, name)
                file.write(data)
                file.flush()
                os.fsync(made)
            os.replace(temporary, name, src_dir_fd=scratch, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=scratch)
        with suppress(OSError):  # some file systems can't sync a folder
            os.fsync(folder)
    return root / OWN_FOLDER / path


def _keep_mode(made: int, folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        was = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISREG(was.st_mode):
            os.fchmod(made, stat.S_IMODE(was.st_mode) & 0o777)


@contextmanager
def _translate_os_errors(shown: str) -> Generator[None]:
    try:
        yield
    except CallRejected as error:
        raise ConfigurationError(str(error)) from error
    except OSError as error:
        raise ConfigurationError(cant_write(shown, error)) from error
