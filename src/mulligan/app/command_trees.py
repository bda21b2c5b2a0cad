"""The work trees where commands of a project's chats run."""

from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.session import Session
    from mulligan.workspace.command_tree import CommandTrees


async def sweep_command_trees(session: "Session") -> None:
    """Remove the work trees of chats whose commands no longer need one."""
    await session.project_tools(session.settings.project).command_trees().sweep()


def command_trees(session: "Session", project: Path) -> "CommandTrees":
    from mulligan.workspace.command_tree import CommandTrees
    from mulligan.workspace.worktrees import WorkTrees

    async def has_pending(chat_id: str) -> bool:
        try:
            chat = await session.store.chats.find(chat_id)
        except ConfigurationError:  # it is gone
            return False
        return bool(await session.store.changes.list(chat.project, statuses=("pending",), chat_id=chat_id))

    return CommandTrees(
        WorkTrees(project, session.store.worktrees, home=session.settings.home),
        project,
        lambda folder, read: session.sandbox(folder, undoable=True, read=read),
        has_pending,
    )
