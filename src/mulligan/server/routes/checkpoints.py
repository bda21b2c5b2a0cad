"""Checkpoints, and the way back to them."""

from fastapi import APIRouter

from mulligan.core.visible_text import on_one_line
from mulligan.server import restores
from mulligan.server.dependencies import AtDesk
from mulligan.server.frames.envelopes import Told
from mulligan.server.views.bodies import CheckpointView, NewCheckpoint, RestorePreview, SessionView
from mulligan.server.views.checkpoints import checkpoint_view, session_view
from mulligan.types.checkpoints import RestoreResult

router = APIRouter(tags=["checkpoints"])


@router.get("/api/projects/{project_id}/checkpoints")
async def checkpoints(project_id: str, desk: AtDesk) -> list[CheckpointView]:
    """Those of the project and of work trees that were made of it, in the order they were made."""
    return [checkpoint_view(each) for each in await restores.checkpoints_of(desk.project(project_id))]


@router.post("/api/projects/{project_id}/checkpoints", status_code=201)
async def new_checkpoint(project_id: str, made: NewCheckpoint, desk: AtDesk) -> CheckpointView:
    """Keep the project's files as they stand."""
    project = desk.project(project_id)
    kept = await (await project.house.checkpoints(project.path)).create(label=made.label)
    for apart in kept.snapshot.not_covered:
        words = f"not in the checkpoint: {on_one_line(apart.path)}: {apart.reason}"
        desk.hub.publish(Told(text=words), desk.place(project))
    return checkpoint_view(kept.checkpoint)


@router.get("/api/chats/{chat_id}/sessions")
async def sessions(chat_id: str, desk: AtDesk) -> list[SessionView]:
    """The sessions of agents that write in this chat, in the order they were opened."""
    project, chat = await desk.chat(chat_id)
    store = project.house.store
    opened = await store.sessions(chat_id=chat.id)
    trees: dict[str | None, str] = {}
    if any(each.worktree_id for each in opened):
        root = (await project.house.checkpoints(project.path)).root
        trees = {tree.id: tree.path for tree in await store.worktrees(str(root))}
    return [session_view(each, trees.get(each.worktree_id)) for each in opened]


@router.get("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/preview")
async def preview(session_id: str, checkpoint_id: str, desk: AtDesk) -> RestorePreview:
    """What a restore would do. Nothing is done."""
    return await restores.preview(*await restores.find_in_session(desk, session_id, checkpoint_id))


@router.post("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/restore")
async def restore(session_id: str, checkpoint_id: str, desk: AtDesk) -> RestoreResult:
    """Bring files and chat back to a checkpoint. What is there now is kept first, as a safety checkpoint."""
    return await restores.restore(desk, *await restores.find_in_session(desk, session_id, checkpoint_id))


@router.get("/api/projects/{project_id}/checkpoints/{checkpoint_id}/preview")
async def preview_in_project(project_id: str, checkpoint_id: str, desk: AtDesk) -> RestorePreview:
    """The same for a checkpoint that belongs to no session, such as one made by hand."""
    return await restores.preview(*await restores.find_in_project(desk, project_id, checkpoint_id))


@router.post("/api/projects/{project_id}/checkpoints/{checkpoint_id}/restore")
async def restore_in_project(project_id: str, checkpoint_id: str, desk: AtDesk) -> RestoreResult:
    return await restores.restore(desk, *await restores.find_in_project(desk, project_id, checkpoint_id))
