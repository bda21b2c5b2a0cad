"""A repository with a commit and work that is not committed, its work trees, and a real store."""

import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import PendingChange
from mulligan.types.checkpoints import WorkTree
from mulligan.workspace.changes.pending import ChangeOutcome, PendingChanges
from mulligan.workspace.worktrees import ImportedWork, WorkTrees, import_work

ODD = os.fsdecode(b"odd \xff\n'name'")


@dataclass
class Yard:
    """A checkout and what is made of it."""

    root: Path
    home: Path
    store: SqlStore
    run_git: Callable[..., str]

    @property
    def trees(self) -> WorkTrees:
        return self.trees_of(self.root)

    def trees_of(self, project: Path) -> WorkTrees:
        return WorkTrees(project, self.store.worktrees, home=self.home)

    async def make(self, name: str = "agent") -> WorkTree:
        return (await self.trees.make(name)).tree

    def git(self, *args: str, folder: Path | str | None = None) -> str:
        return self.run_git(*args, folder=Path(folder or self.root))

    def commit_all(self, message: str = "work", folder: Path | str | None = None) -> str:
        self.git("add", "-A", folder=folder)
        named = ("-c", "user.name=A", "-c", "user.email=a@localhost")
        self.git(*named, "commit", "-q", "-m", message, folder=folder)
        return self.git("rev-parse", "HEAD", folder=folder).strip()

    async def import_work(self, tree: WorkTree, project: Path | None = None) -> ImportedWork:
        return await import_work(tree, self.store.changes, project=str(project or self.root))

    async def apply(self, changes: tuple[PendingChange, ...]) -> list[ChangeOutcome]:
        return await PendingChanges(self.root, self.store.changes, project=str(self.root)).apply(changes)

    def refs(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)", "refs/mulligan").split()


def content(root: Path | str) -> dict[str, tuple[str, bytes]]:
    """All that is in a folder, but git's."""
    found: dict[str, tuple[str, bytes]] = {}
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*names, *(name for name in folders if Path(place, name).is_symlink())):
            path = Path(place, name)
            shown = str(path.relative_to(root))
            if path.is_symlink():
                found[shown] = ("link", os.fsencode(path.readlink()))
            elif name != ".git":
                runs = bool(path.stat().st_mode & 0o100)
                found[shown] = ("program" if runs else "file", path.read_bytes())
    return found


@pytest.fixture
async def yard(root: Path, tmp_path: Path, git: Callable[..., str]) -> AsyncGenerator[Yard]:
    store = await open_store(tmp_path / "home" / "mulligan.db")
    git("init", "-q", "-b", "main")
    yield Yard(root, tmp_path.resolve() / "home", store, git)
    await store.close()


@pytest.fixture
def dirty(yard: Yard) -> Yard:
    """Every kind of work that is not committed."""
    root = yard.root
    (root / "src").mkdir()
    for name in ("kept", "edited", "staged", "both", "deleted", "unstaged_delete", "renamed", "src/tool"):
        (root / name).write_text(f"{name}\n" * 3)
    (root / "link").symlink_to("kept")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    (root / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    yard.commit_all("first")
    (root / "edited").write_text("by hand\n")
    (root / "staged").write_text("in the index\n")
    (root / "both").write_text("in the index\n")
    (root / "deleted").unlink()
    (root / "renamed").rename(root / "other name")
    yard.git("add", "staged", "both", "deleted", "renamed", "other name")
    (root / "both").write_text("and once more\n")
    (root / "unstaged_delete").unlink()
    (root / "src" / "tool").chmod(0o755)
    (root / "link").unlink()
    (root / "link").symlink_to("edited")
    (root / "new").write_text("untracked\n")
    (root / "image.png").write_bytes(bytes(range(256)))
    (root / ODD).write_text("odd\n")
    (root / "noise.log").write_text("ignored\n")
    (root / "build").mkdir()
    (root / "build" / "out").write_text("ignored\n")
    (root / "hollow").mkdir()
    return yard


def run_apart(script: str, *args: str) -> subprocess.CompletedProcess[str]:
    """A process that may be killed."""
    return subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=False)
