"""Pending changes, and the person's yes or no."""

from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.at_desk import AtDesk
from mulligan.server.views import ChangeDetail, ChangeIds, ChangeOutcomeView, ChangeView
from mulligan.types.changes import ChangeStatus

router = APIRouter(tags=["changes"])


@router.get("/api/projects/{project_id}/changes")
async def changes(
    project_id: str,
    desk: AtDesk,
    status: Annotated[list[ChangeStatus] | None, Query()] = None,
    chat_id: str | None = None,
) -> list[ChangeView]:
    """In the order they were staged; all statuses if none is named."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/changes/{change_id}")
async def change(
    project_id: str, change_id: str, desk: AtDesk, context: Annotated[int, Query(ge=0, le=100_000)] = 3
) -> ChangeDetail:
    """What a change does to its file, line by line, with lines of context around."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/changes/apply")
async def apply_changes(project_id: str, which: ChangeIds, desk: AtDesk) -> list[ChangeOutcomeView]:
    """Write pending changes into their files. One that does not fit any more is told, and the others go on."""
    raise NotImplementedError


@router.post("/api/projects/{project_id}/changes/reject")
async def reject_changes(project_id: str, which: ChangeIds, desk: AtDesk) -> list[ChangeOutcomeView]:
    raise NotImplementedError


@router.post("/api/projects/{project_id}/changes/rewind")
async def rewind_changes(project_id: str, which: ChangeIds, desk: AtDesk) -> list[ChangeOutcomeView]:
    """Take applied changes back out of their files. Ids must be named."""
    raise NotImplementedError
