import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.types.errors import CallRejected
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.text_files import MAX_FILE_BYTES, read_text_file

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(b"", (), id="an empty file"),
        pytest.param(b"\n", ("",), id="one empty line"),
        pytest.param(b"a\nb\n", ("a", "b"), id="unix"),
        pytest.param(b"a\nb", ("a", "b"), id="no newline at the end"),
        pytest.param(b"a\r\nb\r\n", ("a", "b"), id="windows"),
        pytest.param(b"a\rb\r", ("a", "b"), id="old mac"),
        pytest.param(b"a\r\n\rb\n\nc", ("a", "", "b", "", "c"), id="mixed"),
        pytest.param(
            "a\x0cb\x0bc\x1cd\x85e\u2028f\u2029g\n".encode(), ("a\x0cb\x0bc\x1cd\x85e\u2028f\u2029g",), id="odd"
        ),
    ],
)
async def test_lines_end_in_newlines_and_carriage_returns_only(
    files: ProjectFiles, write: Write, content: bytes, lines: tuple[str, ...]
) -> None:
    write("a.txt", content)

    assert (await files.read_text("a.txt")).lines == lines


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        pytest.param("naïve €".encode(), "utf-8", id="utf-8"),
        pytest.param("naïve €".encode("utf-8-sig"), "utf-8-sig", id="utf-8 with a mark"),
        pytest.param("naïve €".encode("utf-16"), "utf-16", id="utf-16 with a mark"),
        pytest.param(b"\xfe\xff" + "naïve €".encode("utf-16-be"), "utf-16", id="utf-16 big-endian with a mark"),
        pytest.param("naïve €".encode("utf-32"), "utf-32", id="utf-32 with a mark"),
        pytest.param("naïve €".encode("cp1252"), "cp1252", id="cp1252"),
    ],
)
async def test_other_encodings_are_read_and_named(
    files: ProjectFiles, write: Write, content: bytes, encoding: str
) -> None:
    write("a.txt", content)

    text = await files.read_text("a.txt")

    assert (text.lines, text.encoding) == (("naïve €",), encoding)


async def test_bytes_that_not_even_cp1252_knows_are_read_as_latin_1(files: ProjectFiles, write: Write) -> None:
    write("a.txt", b"\x81\xe9")

    assert (await files.read_text("a.txt")).encoding == "latin-1"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0", "binary file, 11 bytes, looks like PNG", id="a picture"),
        pytest.param(b"\x7fELF\0\0", "looks like ELF", id="a program"),
        pytest.param(b"some\0thing", "binary file, 10 bytes.$", id="of no known kind"),
        pytest.param(b"text\n" * 5000 + b"\0", "binary file", id="late in the file"),
        pytest.param(b"\xff\xfe\0", "binary file", id="with the mark of an encoding that it is not in"),
        pytest.param("a\0b".encode("utf-16"), "binary file", id="text that holds a NUL"),
        pytest.param(b"x" * (MAX_FILE_BYTES + 1), r"too large to view \(5\.0 MB, .*use grep", id="too large"),
    ],
)
async def test_what_is_no_readable_text_is_said_with_its_kind(
    files: ProjectFiles, write: Write, content: bytes, words: str
) -> None:
    write("a.bin", content)

    with pytest.raises(CallRejected, match=words) as refused:
        await files.read_text("a.bin")
    assert refused.value.kind == "exec_error"


async def test_a_file_of_the_largest_size_is_read(files: ProjectFiles, write: Write) -> None:
    write("a.txt", b"x" * MAX_FILE_BYTES)

    assert len((await files.read_text("a.txt")).lines[0]) == MAX_FILE_BYTES


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_dangling(path: Path) -> None:
    path.symlink_to("nothing")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(Path.mkdir, "is a folder; use list_dir", id="a folder"),
        pytest.param(make_pipe, "a named pipe", id="a pipe that nobody writes to"),
        pytest.param(make_socket, "a socket", id="a socket"),
        pytest.param(make_loop, "can't be read", id="a link to itself"),
        pytest.param(make_dangling, "symbolic link to something that does not exist", id="a dangling link"),
    ],
)
async def test_what_is_no_file_is_answered_in_words(
    root: Path, files: ProjectFiles, make: Callable[[Path], None], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)  # a socket's path must be short
    make(Path("odd"))

    with pytest.raises(CallRejected, match=words) as refused:
        await files.read_text("odd")
    assert refused.value.kind == "exec_error"


async def test_a_device_is_not_opened() -> None:
    files = ProjectFiles(Path("/dev"))

    with pytest.raises(CallRejected, match="a device"):
        await files.read_text("zero")


async def test_a_missing_file_names_its_nearest_neighbours(files: ProjectFiles, write: Write) -> None:
    for path in ("src/mulligan/turn.py", "src/models.py", "src/mode.txt"):
        write(path)

    with pytest.raises(CallRejected, match=r"src/model\.py does not exist .*Did you mean src/models\.py") as refused:
        await files.read_text("src/model.py")
    assert refused.value.kind == "exec_error"

    with pytest.raises(CallRejected, match=r"Did you mean src/mulligan/turn\.py\?"):
        await files.read_text("loop/turn.py")


async def test_an_ignored_file_is_read_when_asked_for_by_name(files: ProjectFiles, write: Write) -> None:
    write(".gitignore", "build/\n")
    write("build/out.txt", "built")

    assert (await files.read_text("build/out.txt")).lines == ("built",)


async def test_a_secret_is_denied(files: ProjectFiles, write: Write) -> None:
    write(".env", "TOKEN=1")
    write(".env.example", "TOKEN=")

    with pytest.raises(CallRejected, match="secrets") as refused:
        await files.read_text(".env")
    assert refused.value.kind == "permission_denied"
    assert (await files.read_text(".env.example")).lines == ("TOKEN=",)


async def test_a_link_is_answered_under_the_path_it_leads_to(root: Path, files: ProjectFiles, write: Write) -> None:
    write("src/app.py", "x")
    (root / "link.py").symlink_to("src/app.py")

    assert (await files.read_text("link.py")).path == "src/app.py"


def test_a_link_that_took_the_place_of_a_file_since_it_was_located_is_not_followed(root: Path) -> None:
    (root / "a.txt").symlink_to(root.parent / "outside" / "private.txt")

    with pytest.raises(CallRejected, match="can't be read"):
        read_text_file(root / "a.txt", "a.txt")
