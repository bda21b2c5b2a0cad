import os
import textwrap
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from mulligan.codecontext.index import ProjectIndex


class Project:
    """A folder with files, and indexes of it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.cache = folder / "cache"
        self.root.mkdir()
        self._opened: list[ProjectIndex] = []

    def write(self, files: dict[str, str | bytes]) -> None:
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode())

    def delete(self, path: str) -> None:
        (self.root / path).unlink()

    def index(self, cache: Path | None = None) -> ProjectIndex:
        made = ProjectIndex(self.root, cache or self.cache, self.list_files)
        self._opened.append(made)
        return made

    async def list_files(self) -> Sequence[str]:
        found: list[str] = []
        for folder, _, names in os.walk(self.root):
            inside = Path(folder).relative_to(self.root)
            found.extend((inside / name).as_posix() for name in names)
        return sorted(found)

    def close(self) -> None:
        for index in self._opened:
            index.close()


@pytest.fixture
async def project(tmp_path: Path) -> AsyncGenerator[Project]:
    made = Project(tmp_path)
    yield made
    made.close()
