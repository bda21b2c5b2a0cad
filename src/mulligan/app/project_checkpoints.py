"""The checkpoints of a project: those of its checkout, and those of its agents' work trees."""

from collections.abc import Sequence
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan.types.frames import CheckpointTaken
from mulligan.types.frozen import frozen

if TYPE_CHECKING:
    from mulligan.app.session import Session
    from mulligan.types.checkpoints import Checkpoint
    from mulligan.workspace.checkpoints.service import Checkpoints


@frozen
class ProjectCheckpoint:
    """A checkpoint, and whose it is."""

    checkpoint: "Checkpoint"
    agent: str | None
    """The agent that worked then; None for one made by hand."""
    worktree: str | None
    """The work tree's id; None for the checkout."""


async def checkpoint_before_turn(
    session: "Session",
    folder: Path,
    *,
    label: str,
    chat_id: str,
    message_id: str,
    session_id: str,
    worktree_id: str | None = None,
) -> CheckpointTaken:
    """Save the files before a turn that may change them. Best effort: the turn runs without it too."""
    try:
        made = await (await session.checkpoints(folder)).create(
            label=label,
            kind="turn",
            chat_id=chat_id,
            session_id=session_id,
            worktree_id=worktree_id,
            message_id=message_id,
        )
    except MulliganError as error:
        session.log("checkpoint_failed", chat=chat_id, message=message_id, error=error)
        return CheckpointTaken(message_id=message_id, problem=str(error))
    return CheckpointTaken(
        message_id=message_id,
        checkpoint_id=made.checkpoint.id,
        not_covered=tuple(f"{apart.path}: {apart.reason}" for apart in made.snapshot.not_covered),
        pruned=made.pruned,
    )


async def list_project_checkpoints(session: "Session") -> list[ProjectCheckpoint]:
    """The checkpoints, in the order they were made."""
    here = await session.checkpoints(session.settings.project)
    trees = {tree.path: tree.id for tree in await session.store.worktrees.list(str(here.root))}
    kept = [await session.store.checkpoints.list(root=root) for root in (str(here.root), *trees)]
    # Within a work tree they are in order; between two, only the clock tells.
    every = list(merge(*kept, key=lambda each: each.created_at))
    agents = await _agents(session, every)
    return [ProjectCheckpoint(each, agents.get(each.id), trees.get(each.root)) for each in every]


async def find_checkpoint(session: "Session", prefix: str) -> "Checkpoint":
    """The checkpoint whose id starts like this, wherever it is. Raises `ConfigurationError` for none or several."""
    typed = prefix.strip().lower()
    if not typed:
        raise ConfigurationError("no checkpoint was named: give the start of its id")
    ids = {each.checkpoint.id: each.checkpoint for each in await list_project_checkpoints(session)}
    found = [each for known, each in ids.items() if known.startswith(typed)]
    if not found:
        raise ConfigurationError(
            f"there is no checkpoint {prefix!r} of this project or its work trees: `mulligan checkpoints list` lists "
            "them"
        )
    if len(found) > 1:
        several = ", ".join(each.id for each in found)
        raise ConfigurationError(f"several checkpoints start with {prefix!r} ({several}): type more of the id")
    return found[0]


async def before_last_restore(session: "Session") -> "Checkpoint":
    """What the newest restore saved, here or in a work tree."""
    safety = [each.checkpoint for each in await list_project_checkpoints(session) if each.checkpoint.kind == "safety"]
    return safety[-1] if safety else await (await session.checkpoints(session.settings.project)).before_last_restore()


async def checkpoints_around(session: "Session", checkpoint: "Checkpoint") -> "Checkpoints":
    """The checkpoints of the work tree that a checkpoint belongs to. Raises `ConfigurationError` if it was deleted."""
    _refuse_deleted(checkpoint)
    return await session.checkpoints(Path(checkpoint.root))


def _refuse_deleted(checkpoint: "Checkpoint") -> None:
    if not Path(checkpoint.root).is_dir():
        raise ConfigurationError(
            f"checkpoint {checkpoint.id} can't be used: its work tree {checkpoint.root} was deleted. The files are "
            f"still in git, under refs/mulligan/checkpoints/{checkpoint.id}"
        )


async def _agents(session: "Session", checkpoints: "Sequence[Checkpoint]") -> dict[str, str]:
    """The agents that worked, by checkpoint. A session knows its agent; without one, the chat's own agent worked."""
    sessions = {each.session_id for each in checkpoints if each.session_id}
    chats = {each.chat_id for each in checkpoints if each.chat_id and not each.session_id}
    of_session = {each: (await session.store.sessions.find(each)).agent for each in sessions}
    of_chat = {each: (await session.store.chats.find(each)).agent for each in chats}
    return {
        each.id: of_session[each.session_id] if each.session_id else of_chat[each.chat_id or ""]
        for each in checkpoints
        if each.session_id or each.chat_id
    }
