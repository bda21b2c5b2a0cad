"""A real project folder with something beside it that must never be reached."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.workspace.files.project_files import ProjectFiles

Write = Callable[..., Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "private.txt").write_text("OUTSIDE\n")
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    """Writes a file of the project, its folders included."""

    def write(path: str, content: str | bytes = "") -> Path:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


@pytest.fixture
def files(root: Path) -> ProjectFiles:
    return ProjectFiles(root)


@pytest.fixture
def git(root: Path) -> Callable[..., str]:
    """Runs git in the project, untouched by the machine's own configuration."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str, folder: Path = root) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
        ).stdout

    return git
