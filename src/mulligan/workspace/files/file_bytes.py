"""Files on disk, byte for byte, and their text."""

import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path

from mulligan.runtime.regular_files import read_checked, special_kind
from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.files.paths import printable

MAX_FILE_BYTES = 64_000_000
"""A written file is in memory and in the store, twice."""

BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32", "utf-32-be"),
    (b"\xff\xfe", "utf-16", "utf-16-le"),
    (b"\xfe\xff", "utf-16", "utf-16-be"),
)
"""Byte order mark, name of the encoding, and encoding of the following bytes. Longer marks come first."""


@frozen
class Decoded:
    """A file's text and its encoding."""

    text: str
    """The text with its own line endings, without the byte order mark."""
    encoding: str
    bom: bytes = b""


def read_file_state(real_path: Path | str, *, folder: int | None = None, shown: str | None = None) -> FileState | None:
    """The file at a path, without following links; None for nothing. `folder` is a descriptor that the path starts
    from.

    Raises `CallRejected` for a folder, a device, what can't be read, and what is too large.
    """
    name = shown or printable(str(real_path))
    try:
        if stat.S_ISLNK(os.stat(real_path, dir_fd=folder, follow_symlinks=False).st_mode):
            return FileState(os.fsencode(os.readlink(real_path, dir_fd=folder)), "120000")
        check = partial(_refuse_what_is_no_file, shown=name)
        data, info = read_checked(real_path, check, limit=MAX_FILE_BYTES, follow=False, folder=folder)
        if len(data) > MAX_FILE_BYTES:  # it grew meanwhile
            raise _too_large(name, len(data))
        return FileState(data, "100755" if info.st_mode & stat.S_IXUSR else "100644")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CallRejected("exec_error", f"{name} can't be read: {error.strerror}.") from error


def decode(image: FileState) -> Decoded | None:
    """The text of a file; None for a binary file or a link."""
    return None if image.mode == "120000" else decode_bytes(image.data)


def decode_bytes(data: bytes) -> Decoded | None:
    """None for binary data: it contains a NUL."""
    for mark, encoding, codec in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            with suppress(UnicodeDecodeError):
                text = data[len(mark) :].decode(codec)
                if "\0" not in text:
                    return Decoded(text, encoding, mark)
            break
    if b"\0" in data:
        return None
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return Decoded(data.decode(encoding), encoding)
    return Decoded(data.decode("latin-1"), "latin-1")


def encode(text: str, like: Decoded | None) -> bytes:
    """The text in the encoding of another one, its byte order mark included; UTF-8 for a new file.

    Raises `CallRejected` naming the character that can't be written so.
    """
    bom = like.bom if like else b""
    encoding = like.encoding if like else "utf-8"
    codec = next((codec for mark, _, codec in BYTE_ORDER_MARKS if mark == bom), encoding)
    if "\0" in text:
        raise CallRejected("exec_error", "The new text holds a NUL character, which no text file can. Leave it out.")
    try:
        return bom + text.encode(codec)
    except UnicodeEncodeError as error:
        bad = text[error.start]
        shown = f"{bad!r} (U+{ord(bad):04X})"
        why = f"the file is in {encoding}, which has no {shown}" if like else f"{shown} is half a character"
        line = text.count("\n", 0, error.start) + 1
        words = f"The new text can't be written: {why}, in line {line}. Use other characters there."
        raise CallRejected("exec_error", words) from error


def _refuse_what_is_no_file(info: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise CallRejected("exec_error", f"{shown} is a folder, not a file.")
    if words := special_kind(info.st_mode):
        raise CallRejected("exec_error", f"{shown} is {words}, not a file.")
    if info.st_size > MAX_FILE_BYTES:
        raise _too_large(shown, info.st_size)


def _too_large(shown: str, size: int) -> CallRejected:
    words = f"{shown} is too large ({size / 1e6:.0f} MB, the limit is {MAX_FILE_BYTES / 1e6:.0f} MB)."
    return CallRejected("exec_error", words)
