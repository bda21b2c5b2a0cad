"""Files in `.mulligan/`: whole or not at all, never through a link."""

import stat
from pathlib import Path

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.workspace.changes.own_files import read_own_file, write_own_file


def test_what_was_written_is_read_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    written = write_own_file(tmp_path, "runs/ab/report.md", b"one")
    assert written == tmp_path / ".mulligan/runs/ab/report.md"
    write_own_file(tmp_path, "runs/ab/report.md", b"two")
    assert read_own_file(tmp_path, "runs/ab/report.md") == b"two"
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {".mulligan/.gitignore", ".mulligan/runs/ab/report.md"}


def test_where_nothing_is_nothing_is_read(tmp_path: Path) -> None:
    assert read_own_file(tmp_path, "issues.md") is None
    assert list(tmp_path.iterdir()) == []


def test_git_ignores_what_is_written(tmp_path: Path) -> None:
    write_own_file(tmp_path, "issues.md", b"")
    assert (tmp_path / ".mulligan/.gitignore").read_text() == "*\n"


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    written = write_own_file(tmp_path, "issues.md", b"one")
    written.chmod(0o600)
    write_own_file(tmp_path, "issues.md", b"two")
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_nothing_is_read_through_a_link(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".mulligan").mkdir(parents=True)
    (tmp_path / "theirs").write_text("x")
    (project / ".mulligan/issues.md").symlink_to(tmp_path / "theirs")
    with pytest.raises(ConfigurationError, match=r"issues.md is a symbolic link"):
        read_own_file(project, "issues.md")


def test_nothing_is_written_through_a_link_to_a_folder(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project, outside):
        folder.mkdir()
    (project / ".mulligan").symlink_to(outside)
    with pytest.raises(ConfigurationError, match=r"\.mulligan is a symbolic link"):
        write_own_file(project, "issues.md", b"x")
    assert list(outside.iterdir()) == []


def test_what_can_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".mulligan").write_text("a file in the way")
    with pytest.raises(ConfigurationError, match=r"\.mulligan/issues.md can't be written"):
        write_own_file(tmp_path, "issues.md", b"x")
