"""The project as a map, without a model."""

from typing import Annotated

from fastapi import APIRouter, Query

from mulligan.server.at_desk import AtDesk
from mulligan.server.views import FileView, GroupView, OverviewView, SymbolView

router = APIRouter(tags=["overview"])


@router.get("/api/projects/{project_id}/overview")
async def overview(project_id: str, desk: AtDesk) -> OverviewView:
    raise NotImplementedError


@router.get("/api/projects/{project_id}/overview/file")
async def file(project_id: str, desk: AtDesk, path: Annotated[str, Query(max_length=4096)]) -> FileView:
    """One file: its symbols, what it uses, what uses it."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/overview/around")
async def around(project_id: str, desk: AtDesk, name: Annotated[str, Query(max_length=4096)]) -> list[GroupView]:
    """The group a path or a symbol is in, then those it touches."""
    raise NotImplementedError


@router.get("/api/projects/{project_id}/overview/symbols")
async def symbols(
    project_id: str,
    desk: AtDesk,
    query: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=200)] = 40,
) -> list[SymbolView]:
    raise NotImplementedError
