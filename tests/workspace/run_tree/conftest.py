"""A run's work tree, made of a checkout with every kind of work that is not committed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.workspace.run_tree import RunTree
from tests.unconfined import free
from tests.workspace.worktrees.conftest import Yard, content, dirty, yard

__all__ = ["dirty", "yard"]

Photograph = tuple[dict[str, tuple[str, bytes]], str, str, str]

IGNORED = ("noise.log", "build")


@dataclass
class Scene:
    """A run's work tree, and the checkout beside it."""

    yard: Yard
    run: RunTree

    @property
    def root(self) -> Path:
        return Path(self.run.tree.path)

    def git(self, *args: str) -> str:
        named = ("-c", "user.name=A", "-c", "user.email=a@localhost")
        return self.yard.git(*named, *args, folder=self.root)

    def photograph(self) -> Photograph:
        """All that a return to a snapshot has to bring back."""
        files = {name: held for name, held in content(self.root).items() if not name.startswith(IGNORED)}
        return files, self.git("status", "--porcelain"), self.git("ls-files", "--stage"), self.head()

    def head(self) -> str:
        asked = ["git", "rev-parse", "--symbolic-full-name", "HEAD", "--verify", "HEAD"]
        return subprocess.run(asked, cwd=self.root, check=False, capture_output=True, text=True).stdout

    async def sh(self, script: str) -> None:
        """A command of the run, which succeeds."""
        result = await self.run.run(script, time_limit=60)
        assert result.exit_code == 0, result


@pytest.fixture
async def scene(dirty: Yard) -> Scene:
    return Scene(dirty, await RunTree.make(dirty.trees, dirty.store, "r1", free))


@pytest.fixture
async def nested(yard: Yard) -> Scene:
    """The project is a folder of its repository."""
    for name in ("outside", "app/main.py", "app/deep/part.py", "other/app"):
        (yard.root / name).parent.mkdir(parents=True, exist_ok=True)
        (yard.root / name).write_text(f"{name}\n")
    yard.commit_all("first")
    return Scene(yard, await RunTree.make(yard.trees_of(yard.root / "app"), yard.store, "r1", free))


@pytest.fixture
async def unborn(yard: Yard) -> Scene:
    """The repository has no commit."""
    (yard.root / "a").write_text("a\n")
    (yard.root / "staged").write_text("staged\n")
    yard.git("add", "staged")
    return Scene(yard, await RunTree.make(yard.trees, yard.store, "r1", free))
