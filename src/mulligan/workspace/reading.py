"""A file's text, or words that say why there is none."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from mulligan.ports import FileText
from mulligan.types.errors import CallRejected

LARGEST = 5_000_000
"""Bytes. A model can't use more, and decoding more would be felt."""

BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
"""In an order in which no mark hides a longer one."""

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

SPECIAL_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_text_file(real: Path, shown: str) -> FileText:
    """Read a file whose links are resolved; `shown` is its name in what is said. Raises `CallRejected`."""
    data = _read_bytes(real, shown)
    text, encoding = _decode(data, shown)
    return FileText(path=shown, lines=split_lines(text), encoding=encoding)


def split_lines(text: str) -> tuple[str, ...]:
    r"""Lines end in \n, \r\n or \r and in nothing else; a last line ending begins no new line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def _read_bytes(real: Path, shown: str) -> bytes:
    try:
        # Asked before opening: opening a device can do something, and opening a pipe waits for its other end.
        _refuse_what_is_no_file(real.stat(), shown)
        # The last name is no link any more; should it have become one meanwhile, it is not followed.
        opened = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(opened, "rb") as file:  # noqa: PTH123  from a descriptor
            _refuse_what_is_no_file(os.fstat(opened), shown)
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise CallRejected("exec_error", f"{shown} is a symbolic link to something that does not exist.") from error
    except OSError as error:
        raise CallRejected("exec_error", f"{shown} can't be read: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise _too_large(shown, len(data))
    return data


def _refuse_what_is_no_file(info: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise CallRejected("exec_error", f"{shown} is a folder; use list_dir.")
    for is_kind, words in SPECIAL_FILES:
        if is_kind(info.st_mode):
            raise CallRejected("exec_error", f"{shown} is {words}, not a file that can be read.")
    if info.st_size > LARGEST:
        raise _too_large(shown, info.st_size)


def _too_large(shown: str, size: int) -> CallRejected:
    return CallRejected(
        "exec_error",
        f"{shown} is too large to view ({size / 1_000_000:.1f} MB, the limit is {LARGEST / 1_000_000:.0f} MB); "
        "use grep with this path to find the lines that matter.",
    )


def _decode(data: bytes, shown: str) -> tuple[str, str]:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            with suppress(UnicodeDecodeError):
                text = data.decode(encoding)
                if "\0" not in text:
                    return text, encoding
            break
    if b"\0" in data:
        raise CallRejected("exec_error", f"{shown} is a binary file, {len(data):,} bytes{_kind_of(data)}.")
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), encoding
    return data.decode("latin-1"), "latin-1"


def _kind_of(data: bytes) -> str:
    for signature, name in SIGNATURES:
        if data.startswith(signature):
            return f", looks like {name}"
    return ""
