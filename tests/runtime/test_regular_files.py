"""Reading what somebody else may have put there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.runtime.regular_files import UnfitFile, read_regular, read_regular_text
from tests.odd_files import ODD_FILES


@pytest.mark.parametrize(("make", "words"), ODD_FILES)
def test_what_is_no_small_file_is_not_read_and_named(tmp_path: Path, make: Callable[[Path], None], words: str) -> None:
    make(tmp_path / "odd")
    with pytest.raises(UnfitFile, match=words):
        read_regular(tmp_path / "odd")


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_a_file_up_to_the_limit_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_regular(tmp_path / "file", limit=10) == b"x" * size


def test_one_byte_more_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 11)
    with pytest.raises(UnfitFile, match="larger than 10 bytes"):
        read_regular(tmp_path / "file", limit=10)


def test_a_file_that_says_it_is_empty_and_is_not_is_bounded_too() -> None:
    with pytest.raises(UnfitFile, match="larger than 10 bytes"):
        read_regular(Path("/proc/self/status"), limit=10)


def test_a_link_to_a_file_is_followed_unless_it_must_not_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link") == b"text"
    with pytest.raises(UnfitFile, match="a symbolic link"):
        read_regular(tmp_path / "link", follow=False)


def test_line_endings_are_those_of_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes("\ufeffa\r\nb\rc\n".encode())
    assert read_regular_text(tmp_path / "file", "utf-8-sig") == "a\nb\nc\n"


def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nothing")
