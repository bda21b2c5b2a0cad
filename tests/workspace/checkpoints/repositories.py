"""Real repositories for tests, worked on with the real git."""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from bench.checkpoints.histories import IDENTITY
from bench.checkpoints.photograph import Photograph, take
from mulligan.workspace.checkpoints import RestorePlan, Snapshot, capture, execute_restore, plan_restore


@dataclass(frozen=True)
class Repository:
    root: Path
    home: Path

    def git(self, *args: str, check: bool = True) -> str:
        """As the person would, who has told git their name on the way."""
        env = os.environ | IDENTITY
        ran = subprocess.run(["git", *args], cwd=self.root, env=env, check=False, capture_output=True)
        assert ran.returncode == 0 or not check, ran.stderr.decode()
        return os.fsdecode(ran.stdout)

    def write(self, path: str, content: str | bytes = "content\n") -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode() if isinstance(content, str) else content)
        return full

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def commit(self, message: str = "a commit", **files: str) -> str:
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def settings(self, text: str) -> None:
        with (self.home / "gitconfig").open("a") as file:
            file.write(text)

    def at(self, root: Path) -> "Repository":
        return replace(self, root=root)

    def photograph(self) -> Photograph:
        return take(self.root)

    async def checkpoint(self, checkpoint_id: str = "c") -> Snapshot:
        return await capture(self.root, checkpoint_id=checkpoint_id)

    async def restore(self, target: Snapshot, *, number: int = 1) -> RestorePlan:
        safety = await capture(self.root, checkpoint_id=f"safety{number}", before=target)
        plan = await plan_restore(self.root, target, safety, restore_id=f"r{number}")
        await execute_restore(self.root, plan)
        return plan

    def tree(self, snapshot: Snapshot) -> list[str]:
        return self.git("ls-tree", "-r", "-z", "--name-only", snapshot.tree).split("\0")[:-1]

    def content(self, snapshot: Snapshot, path: str) -> bytes:
        ran = subprocess.run(
            ["git", "cat-file", "blob", f"{snapshot.tree}:{path}"], cwd=self.root, check=True, capture_output=True
        )
        return ran.stdout


def everything(folder: Path) -> dict[str, bytes]:
    """Every file of a git folder but objects and what is Mulligan's."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {"mulligan", "objects"} & set(path.relative_to(folder).parts)
    }
