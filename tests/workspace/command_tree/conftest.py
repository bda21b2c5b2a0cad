"""The commands of a chat with pending changes, in a checkout with every kind of work that is not committed."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from mulligan.core.command_policy import judge_command
from mulligan.types.changes import PendingChange
from mulligan.types.commands import ChatCommandResult
from mulligan.types.edits import TextEdit
from mulligan.types.sandbox import ExtraAccess, SandboxChoice
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.command_tree import CommandTrees, PendingAwareCommands
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.worktrees import WorkTrees
from tests.unconfined import free
from tests.workspace.worktrees.conftest import Yard, content, dirty, yard

__all__ = ["content", "dirty", "yard"]


@dataclass
class CommandScene:
    """A chat, its edits and its commands."""

    yard: Yard
    project: Path
    chat_id: str
    apply_now: bool = False
    sandbox: SandboxChoice = "none"

    def __post_init__(self) -> None:
        self.editing = StagedEditing(
            self.project,
            self.yard.store.changes,
            project=str(self.project),
            chat_id=self.chat_id,
            message_id=None,
            apply_now=self.apply_now,
            on_change=lambda _change: None,
        )
        self.reopen()

    def reopen(self) -> None:
        """As in a new process: nothing is remembered but what is on the disk and in the store."""
        worktrees = WorkTrees(self.project, self.yard.store.worktrees, home=self.yard.home)
        self.trees = CommandTrees(worktrees, self.project, self.confined, self.has_pending)
        self.commands = PendingAwareCommands(
            self.project,
            ProjectCommands(self.project, free(self.project)),
            self.editing,
            None if self.apply_now else self.trees,
            chat_id=self.chat_id,
        )

    def confined(self, folder: Path, read: tuple[Path, ...]) -> Sandbox:
        return Sandbox(self.sandbox, folder, home=self.yard.home, opened=ExtraAccess(read=read))

    async def has_pending(self, chat_id: str) -> bool:
        return bool(await self.yard.store.changes.list(str(self.project), statuses=("pending",), chat_id=chat_id))

    async def run(self, command: str) -> ChatCommandResult:
        kinds = judge_command(command, project=str(self.project)).kinds
        return await self.commands.run(command, time_limit=60, kinds=kinds)

    async def said(self, command: str) -> str:
        """What a command that sees the pending changes prints."""
        ran = await self.run(command)
        assert (ran.unseen, ran.result.stderr) == (0, ""), ran
        return ran.result.stdout

    async def edit(self, path: str, old: str, new: str) -> None:
        await self.editing.edit(path, [TextEdit(old, new)])

    async def pending(self) -> dict[str, bytes | None]:
        """What pending changes lead to, by path; the last of each file."""
        return {change.path: change.after.data if change.after else None for change in await self.changes()}

    async def changes(self) -> list[PendingChange]:
        return await self.yard.store.changes.list(str(self.project), statuses=("pending",), chat_id=self.chat_id)

    async def tree(self) -> Path:
        return (await self.trees.of(self.chat_id)).folder


async def scene_in(
    yard: Yard, project: Path | None = None, *, apply_now: bool = False, sandbox: SandboxChoice = "none"
) -> CommandScene:
    folder = project or yard.root
    chat = await yard.store.chats.create(project=str(folder), agent="coder", title="commands")
    return CommandScene(yard, folder, chat.id, apply_now, sandbox)


@pytest.fixture
async def scene(dirty: Yard) -> CommandScene:
    return await scene_in(dirty)
