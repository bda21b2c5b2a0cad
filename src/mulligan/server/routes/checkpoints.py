"""Checkpoints, and the way back to them."""

from fastapi import APIRouter

from mulligan.server.at_desk import AtDesk
from mulligan.server.views import CheckpointView, NewCheckpoint, RestorePreview
from mulligan.types.checkpoints import RestoreResult

router = APIRouter(tags=["checkpoints"])


@router.get("/api/projects/{project_id}/checkpoints")
async def checkpoints(project_id: str, desk: AtDesk) -> list[CheckpointView]:
    """Those of the project and of work trees that were made of it, in the order they were made."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/checkpoints", status_code=201)
async def new_checkpoint(project_id: str, made: NewCheckpoint, desk: AtDesk) -> CheckpointView:
    """Keep the project's files as they stand."""
    raise NotImplementedError


@router.get("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/preview")
async def preview(session_id: str, checkpoint_id: str, desk: AtDesk) -> RestorePreview:
    """What a restore would do. Nothing is done."""
    raise NotImplementedError


@router.post("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/restore")
async def restore(session_id: str, checkpoint_id: str, desk: AtDesk) -> RestoreResult:
    """Bring files and chat back to a checkpoint. What is there now is kept first, as a safety checkpoint."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/checkpoints/{checkpoint_id}/preview")
async def preview_in_project(project_id: str, checkpoint_id: str, desk: AtDesk) -> RestorePreview:
    """The same for a checkpoint that belongs to no session, such as one made by hand."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/checkpoints/{checkpoint_id}/restore")
async def restore_in_project(project_id: str, checkpoint_id: str, desk: AtDesk) -> RestoreResult:
    raise NotImplementedError
