"""A real project, a real store beside it, and one chat that changes the project."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import FileState, PendingChange
from mulligan.workspace.changes.pending import ChangeOutcome, PendingChanges
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.files.project_files import ProjectFiles


@dataclass
class ChangeBench:
    root: Path
    database: Path
    store: SqlStore
    chat_id: str
    told: list[PendingChange] = field(default_factory=list[PendingChange])
    """What `on_change` heard of."""

    @property
    def project(self) -> str:
        return str(self.root)

    @property
    def pending(self) -> PendingChanges:
        return PendingChanges(self.root, self.store.changes, project=self.project)

    def editing(self, *, apply_now: bool = False) -> StagedEditing:
        return StagedEditing(
            self.root,
            self.store.changes,
            project=self.project,
            chat_id=self.chat_id,
            message_id=None,
            apply_now=apply_now,
            on_change=self.told.append,
        )

    def files(self) -> ProjectFiles:
        """What the chat itself reads."""
        return ProjectFiles(self.root, staged=self.editing().staged)

    async def add(self, path: str, before: FileState | bytes | None, after: FileState | bytes | None) -> PendingChange:
        images = [FileState(each) if isinstance(each, bytes) else each for each in (before, after)]
        return await self.store.changes.add(
            project=self.project, path=path, before=images[0], after=images[1], chat_id=self.chat_id
        )

    async def apply(self, change: PendingChange) -> ChangeOutcome:
        (outcome,) = await self.pending.apply([change])
        return outcome

    async def revert(self, change: PendingChange) -> ChangeOutcome:
        (outcome,) = await self.pending.revert([change])
        return outcome

    async def status(self, change: PendingChange) -> str:
        return (await self.store.changes.find(self.project, change.id)).status

    def tree(self) -> dict[str, bytes]:
        """All files of the project but Mulligan's own."""
        return {
            str(file.relative_to(self.root)): file.read_bytes()
            for file in self.root.rglob("*")
            if file.is_file() and ".mulligan" not in file.parts
        }


async def open_bench(root: Path, database: Path) -> ChangeBench:
    store = await open_store(database)
    chat = await store.chats.create(project=str(root), agent="coder", title="changes")
    return ChangeBench(root, database, store, chat.id)


@pytest.fixture
async def bench(root: Path, tmp_path: Path) -> AsyncGenerator[ChangeBench]:
    bench = await open_bench(root, tmp_path / "home" / "mulligan.db")
    yield bench
    await bench.store.close()
