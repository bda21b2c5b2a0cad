"""Checkpoints and restores."""

from fastapi import APIRouter

from mulligan.core.visible_text import visible_name
from mulligan.server import restores
from mulligan.server.dependencies import StateDep
from mulligan.server.frames.envelopes import Notice
from mulligan.server.views.checkpoints import (
    CheckpointView,
    NewCheckpoint,
    RestorePreview,
    SessionView,
    checkpoint_view,
    session_view,
)
from mulligan.types.checkpoints import RestoreResult

router = APIRouter(tags=["checkpoints"])


@router.get("/api/projects/{project_id}/checkpoints")
async def checkpoints(project_id: str, state: StateDep) -> list[CheckpointView]:
    """Checkpoints of the project and of its work trees, in the order they were made."""
    return [checkpoint_view(each) for each in await restores.checkpoints_of(state.project(project_id))]


@router.post("/api/projects/{project_id}/checkpoints", status_code=201)
async def new_checkpoint(project_id: str, made: NewCheckpoint, state: StateDep) -> CheckpointView:
    """Save the project's files as they are now."""
    project = state.project(project_id)
    kept = await (await project.session.checkpoints(project.path)).create(label=made.label)
    for apart in kept.snapshot.not_covered:
        words = f"not in the checkpoint: {visible_name(apart.path)}: {apart.reason}"
        state.hub.publish(Notice(text=words), state.scope(project))
    return checkpoint_view(kept.checkpoint)


@router.get("/api/chats/{chat_id}/sessions")
async def sessions(chat_id: str, state: StateDep) -> list[SessionView]:
    """The sessions of agents that write in this chat, in the order they were opened."""
    project, chat = await state.chat(chat_id)
    store = project.session.store
    opened = await store.sessions.list(chat_id=chat.id)
    trees: dict[str | None, str] = {}
    if any(each.worktree_id for each in opened):
        root = (await project.session.checkpoints(project.path)).root
        trees = {tree.id: tree.path for tree in await store.worktrees.list(str(root))}
    return [session_view(each, trees.get(each.worktree_id)) for each in opened]


@router.get("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/preview")
async def preview(session_id: str, checkpoint_id: str, state: StateDep) -> RestorePreview:
    """What a restore would do. Changes nothing."""
    return await restores.preview(*await restores.find_in_session(state, session_id, checkpoint_id))


@router.post("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/restore")
async def restore(session_id: str, checkpoint_id: str, state: StateDep) -> RestoreResult:
    """Restore files and chat to a checkpoint. The current state is saved first, as a safety checkpoint."""
    return await restores.restore(state, *await restores.find_in_session(state, session_id, checkpoint_id))


@router.get("/api/projects/{project_id}/checkpoints/{checkpoint_id}/preview")
async def preview_in_project(project_id: str, checkpoint_id: str, state: StateDep) -> RestorePreview:
    """The same for a checkpoint that belongs to no session, such as one made by hand."""
    return await restores.preview(*await restores.find_in_project(state, project_id, checkpoint_id))


@router.post("/api/projects/{project_id}/checkpoints/{checkpoint_id}/restore")
async def restore_in_project(project_id: str, checkpoint_id: str, state: StateDep) -> RestoreResult:
    return await restores.restore(state, *await restores.find_in_project(state, project_id, checkpoint_id))
