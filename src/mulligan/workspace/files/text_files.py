"""Reads a file's text, or refuses with a message."""

import os
import stat
from pathlib import Path

from mulligan.ports.files import FileText
from mulligan.runtime.regular_files import read_checked, special_kind
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.file_bytes import decode_bytes

MAX_FILE_BYTES = 5_000_000
"""A model can't use more, and decoding more would be noticeably slow."""

SIGNATURES = (
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "RIFF (WebP, WAV or AVI)"),
    (b"%PDF", "PDF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x7fELF", "ELF"),
    (b"MZ", "a Windows program"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"\x00asm", "WebAssembly"),
    (b"SQLite format 3", "SQLite"),
    (b"GGUF", "a GGUF model"),
    (b"wOF2", "a font"),
)


def read_text_file(real: Path, shown: str) -> FileText:
    """Read a file by its real path; `shown` is its name in messages. Raises `CallRejected`."""
    return text_of(_read_bytes(real, shown), shown)


def text_of(data: bytes, shown: str) -> FileText:
    """The bytes of a file as text. Raises `CallRejected` for binary or too large files."""
    if len(data) > MAX_FILE_BYTES:
        raise _too_large(shown, len(data))
    decoded = decode_bytes(data)
    if decoded is None:
        raise CallRejected("exec_error", f"{shown} is {binary_words(data)}.")
    return FileText(path=shown, lines=split_lines(decoded.text), encoding=decoded.encoding)


def binary_words(data: bytes) -> str:
    """Describes data that is not text."""
    kind = next((f", looks like {name}" for signature, name in SIGNATURES if data.startswith(signature)), "")
    return f"a binary file, {len(data):,} bytes{kind}"


def split_lines(text: str) -> tuple[str, ...]:
    r"""Lines end only in \n, \r\n or \r; a final line ending starts no new line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def _read_bytes(real: Path, shown: str) -> bytes:
    try:
        # The last name was resolved; if it has become a link meanwhile, it is not followed.
        return read_checked(
            real, lambda info: _refuse_what_is_no_file(info, shown), limit=MAX_FILE_BYTES, follow=False
        )[0]
    except FileNotFoundError as error:
        raise CallRejected("exec_error", f"{shown} is a symbolic link to something that does not exist.") from error
    except OSError as error:
        raise CallRejected("exec_error", f"{shown} can't be read: {error.strerror}.") from error


def _refuse_what_is_no_file(info: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise CallRejected("exec_error", f"{shown} is a folder; use list_dir.")
    if words := special_kind(info.st_mode):
        raise CallRejected("exec_error", f"{shown} is {words}, not a file that can be read.")
    if info.st_size > MAX_FILE_BYTES:
        raise _too_large(shown, info.st_size)


def _too_large(shown: str, size: int) -> CallRejected:
    return CallRejected(
        "exec_error",
        f"{shown} is too large to view ({size / 1_000_000:.1f} MB, the limit is {MAX_FILE_BYTES / 1_000_000:.0f} MB); "
        "use grep with this path to find the lines that matter.",
    )
