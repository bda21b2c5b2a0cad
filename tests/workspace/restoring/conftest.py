"""A real repository, a real store, and a chat in which a turn is about to begin."""

import subprocess
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.store.ids import new_id
from mulligan.store.store import SqlStore, open_store
from mulligan.types.checkpoints import Checkpoint
from mulligan.types.messages import Text, TurnMeta, UserMeta
from mulligan.workspace.checkpoints.service import Checkpoints, open_checkpoints

GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost", "-c", "commit.gpgsign=false"]


@dataclass
class Scene:
    root: Path
    database: Path
    store: SqlStore
    checkpoints: Checkpoints
    chat_id: str

    def git(self, *arguments: str) -> str:
        done = subprocess.run([*GIT, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout

    async def turn(self, prompt: str) -> Checkpoint:
        """A turn that was answered, with the checkpoint that was taken before it."""
        turn = TurnMeta(agent="coder", model="m")
        message = await self.store.messages.open_turn(self.chat_id, prompt, UserMeta(), turn)
        made = await self.checkpoints.create(label=prompt, kind="turn", chat_id=self.chat_id, message_id=message.id)
        await self.store.messages.save_parts(message.id, 0, [Text(text=f"done: {prompt}")])
        await self.store.messages.close_reply(message.id, "complete", turn)
        return made.checkpoint

    async def said(self) -> list[str]:
        messages = await self.store.messages.list(self.chat_id)
        return [part.text for message in messages for part in message.parts if isinstance(part, Text)]

    def files(self) -> dict[str, str]:
        found = (path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(self.root)): path.read_text() for path in found}

    def state(self) -> tuple[dict[str, str], str, str]:
        """All that a restore has to bring back."""
        return self.files(), self.git("status", "--porcelain=v2", "--branch"), self.git("ls-files", "--stage")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    (root / "kept.py").write_text("one\n")
    (root / "gone.py").write_text("two\n")
    (root / ".gitignore").write_text("*.log\n")
    subprocess.run([*GIT, "add", "-A"], cwd=root, check=True)
    subprocess.run([*GIT, "commit", "-qm", "first"], cwd=root, check=True)
    (root / "untracked.txt").write_text("mine\n")
    return root


@pytest.fixture
async def scene(repository: Path, tmp_path: Path) -> AsyncGenerator[Scene]:
    database = tmp_path / "mulligan.db"
    store = await open_store(database)
    chat = await store.chats.create(project=str(repository), agent="coder", title="t")
    yield Scene(repository, database, store, await open_checkpoints(repository, store, new_id=new_id), chat.id)
    await store.close()
