import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.file_bytes import Decoded, decode, encode, read_file_state

Write = Callable[..., Path]


def test_a_file_is_read_to_the_byte_with_its_mode(write: Write) -> None:
    file = write("a.sh", b"#!/bin/sh\r\n\xff\0")
    assert read_file_state(file) == FileState(b"#!/bin/sh\r\n\xff\0", "100644")
    file.chmod(0o750)
    assert read_file_state(file) == FileState(b"#!/bin/sh\r\n\xff\0", "100755")


def test_a_link_is_read_as_where_it_leads(root: Path, write: Write) -> None:
    write("a.txt", "text")
    (root / "link").symlink_to("a.txt")
    (root / "dangling").symlink_to("nowhere")

    assert read_file_state(root / "link") == FileState(b"a.txt", "120000")
    assert read_file_state(root / "dangling") == FileState(b"nowhere", "120000")


@pytest.mark.parametrize("path", ["missing", "missing/deeper", "a.txt/below"])
def test_nothing_is_none(root: Path, write: Write, path: str) -> None:
    write("a.txt")

    assert read_file_state(root / path) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(Path.mkdir, "is a folder", id="a folder"),
        pytest.param(os.mkfifo, "a named pipe", id="a pipe"),
    ],
)
def test_what_is_no_file_is_refused(root: Path, make: Callable[[Path], None], words: str) -> None:
    make(root / "odd")

    with pytest.raises(CallRejected, match=words):
        read_file_state(root / "odd")


@pytest.mark.parametrize(
    ("data", "decoded"),
    [
        pytest.param(b"", Decoded("", "utf-8"), id="empty"),
        pytest.param("naïve\r\n€\r".encode(), Decoded("naïve\r\n€\r", "utf-8"), id="utf-8, mixed endings"),
        pytest.param(
            "naïve €\n".encode("utf-8-sig"), Decoded("naïve €\n", "utf-8-sig", b"\xef\xbb\xbf"), id="utf-8 with a mark"
        ),
        pytest.param(
            b"\xff\xfe" + "é\n".encode("utf-16-le"), Decoded("é\n", "utf-16", b"\xff\xfe"), id="utf-16 little-endian"
        ),
        pytest.param(
            b"\xfe\xff" + "é\n".encode("utf-16-be"), Decoded("é\n", "utf-16", b"\xfe\xff"), id="utf-16 big-endian"
        ),
        pytest.param(
            b"\x00\x00\xfe\xff" + "é".encode("utf-32-be"),
            Decoded("é", "utf-32", b"\x00\x00\xfe\xff"),
            id="utf-32 big-endian",
        ),
        pytest.param("naïve €".encode("cp1252"), Decoded("naïve €", "cp1252"), id="cp1252"),
        pytest.param(b"\x81\xe9", Decoded("\x81é", "latin-1"), id="latin-1"),
        pytest.param(b"a\0b", None, id="binary"),
    ],
)
def test_text_is_decoded_with_its_encoding_and_written_back_alike(data: bytes, decoded: Decoded | None) -> None:
    assert decode(FileState(data)) == decoded
    if decoded:
        assert encode(decoded.text, decoded) == data


def test_a_link_is_no_text() -> None:
    assert decode(FileState(b"a.txt", "120000")) is None


@given(st.binary() | st.text().map(lambda text: text.encode("utf-16")) | st.text().map(str.encode))
def test_whatever_is_decoded_is_encoded_to_the_same_bytes(data: bytes) -> None:
    decoded = decode(FileState(data))

    assert decoded is None or encode(decoded.text, decoded) == data


def test_a_new_file_is_written_in_utf_8() -> None:
    assert encode("naïve €\n", None) == "naïve €\n".encode()


@pytest.mark.parametrize(
    ("text", "like", "words"),
    [
        pytest.param(
            "a\nb → c", Decoded("é", "cp1252"), r"in cp1252, which has no '→' \(U\+2192\), in line 2", id="cp1252"
        ),
        pytest.param("€", Decoded("\x81", "latin-1"), r"latin-1, which has no '€'", id="latin-1"),
        pytest.param("a\ud800", None, r"U\+D800\) is half a character", id="half a surrogate pair"),
        pytest.param("a\0", None, "NUL", id="a NUL"),
    ],
)
def test_a_character_that_can_not_be_written_is_named(text: str, like: Decoded | None, words: str) -> None:
    with pytest.raises(CallRejected, match=words):
        encode(text, like)
